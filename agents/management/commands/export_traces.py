"""manage.py export_traces --out FILE.jsonl: verified runs as chats, for fine-tuning a small model."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.library.regression import UnknownConnectionError, verified_chats
from agents.management.private_file import private_file


class Command(BaseCommand):
    help = "Write the talk with the model behind each verified answer as a line of chat-format JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                            help="JSON lines; they hold what the model was shown of the data")  # fmt: skip
        parser.add_argument("--connection", default="", metavar="NAME", help="only answers from this connection")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chats = verified_chats(options["connection"])
        except UnknownConnectionError as error:
            raise CommandError(str(error)) from error
        written = without = 0
        with private_file(options["out"]) as file:
            for chat in chats:
                if not chat:
                    without += 1
                    continue
                file.write(json.dumps({"messages": chat}, ensure_ascii=False) + "\n")
                written += 1
        rest = f"; {without} more asked no model" if without else ""
        self.stdout.write(f"{written} verified answer{'' if written == 1 else 's'} written to {options['out']}{rest}.")
