"""manage.py import_trace FILE: open a trace that was downloaded elsewhere, read-only."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from agents.library.imported_traces import import_trace
from agents.management.stored import owner_of_imports


class Command(BaseCommand):
    help = "Keep a trace that was downloaded as JSON, so that its page opens here. It cannot be run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--user", metavar="NAME", help="who shall see it (default: the first administrator)")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
        try:
            run = import_trace(text, owner=owner_of_imports(options["user"]), file=file.name)
        except ValidationError as error:
            raise CommandError(f"{file.name}: {' '.join(error.messages)}") from error
        self.stdout.write(f"{settings.SITE_URL}{reverse('trace', args=[run.pk])}")
