"""manage.py local_model fetch|serve|status: the model that answers when no other is set."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.llm.local_model import LocalModel, LocalModelError, fetch, local_model, serve


class Command(BaseCommand):
    help = "Fetch, serve or look at the local model. Needs no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["fetch", "serve", "status"])

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            model = local_model(os.environ)
            {"fetch": self._fetch, "serve": self._serve, "status": self._status}[options["action"]](model)
        except LocalModelError as error:
            raise CommandError(str(error)) from error

    def _fetch(self, model: LocalModel) -> None:
        self._say(f"local model: {fetch(model, self._say)}")

    def _serve(self, model: LocalModel) -> None:
        serve(model, self._say)

    def _status(self, model: LocalModel) -> None:
        served = f"answers at {model.address}" if model.is_ready() else f"not served at {model.address}"
        self._say(f"{model.path}: {'present' if model.present else 'missing'}, {served}")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
