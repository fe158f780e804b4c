"""manage.py regression_set CONNECTION --out FILE.jsonl: a connection's regression set, for `manage.py evaluate`."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from connections.address import database_url
from connections.models import Connection


class Command(BaseCommand):
    help = "Write the questions that managers put into a connection's regression set, as records for `evaluate`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("connection", help="name of the connection")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                            help="JSON lines; it holds the database's address with its password")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        connection = Connection.objects.filter(name=options["connection"]).first()
        if connection is None:
            names = ", ".join(Connection.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no connection {options['connection']!r}; there are: {names}.")
        found = list(connection.regression_set.order_by("added_at"))
        known = [one for one in found if one.gold_sql]
        url = database_url(connection).render_as_string(hide_password=False)
        lines = [
            json.dumps({"id": f"{connection.pk}-{one.pk}", "set": connection.name, "url": url, "question": one.text,
                        "dialect": connection.kind, "evidence": one.evidence, "gold_sql": [one.gold_sql]},
                       ensure_ascii=False)
            for one in known
        ]  # fmt: skip
        with os.fdopen(os.open(options["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.writelines(f"{line}\n" for line in lines)
        waiting = len(found) - len(known)
        rest = f"; {waiting} more wait for a verified answer" if waiting else ""
        self.stdout.write(f"{len(known)} questions written to {options['out']}{rest}.")
