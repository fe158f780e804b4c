"""manage.py regression_set CONNECTION --out FILE.jsonl: a connection's regression set, for `manage.py evaluate`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.library.regression import UnknownConnectionError, regression_set
from agents.management.private_file import private_file


class Command(BaseCommand):
    help = "Write the questions that managers put into a connection's regression set, as records for `evaluate`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("connection", help="name of the connection")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                            help="JSON lines; it holds the database's address with its password")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = regression_set(options["connection"])
        except UnknownConnectionError as error:
            raise CommandError(str(error)) from error
        lines = [
            json.dumps({"id": one.id, "set": one.set, "url": one.url, "question": one.question, "dialect": one.dialect,
                        "evidence": one.evidence, "gold_sql": list(one.gold_sql), "send_values": one.send_values},
                       ensure_ascii=False)
            for one in found.records
        ]  # fmt: skip
        with private_file(options["out"]) as file:
            file.writelines(f"{line}\n" for line in lines)
        rest = f"; {found.waiting} more wait for a verified answer" if found.waiting else ""
        self.stdout.write(f"{len(lines)} questions written to {options['out']}{rest}.")
