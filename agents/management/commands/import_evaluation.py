"""manage.py import_evaluation DIR: look at what `manage.py evaluate` measured in the browser."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from agents.library.imported_evaluations import import_evaluation
from agents.management.stored import owner_of_imports
from connections.models import Connection, Team


class Command(BaseCommand):
    help = "Keep a folder that `manage.py evaluate` made, with its traces, so that its page opens here."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="with results.jsonl and traces")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--connection", metavar="NAME", help="the managers of this connection see it")
        whose.add_argument("--team", metavar="NAME", help="the managers of this team see it")
        parser.add_argument("--name", default="", help="of the evaluation (default: the folder's name)")
        parser.add_argument("--user", metavar="NAME", help="whose import it is (default: the first administrator)")
        parser.add_argument("--no-traces", action="store_true", help="keep the results only")

    def handle(self, *args: Any, **options: Any) -> None:
        connection = _named(Connection, options["connection"]) if options["connection"] else None
        team = _named(Team, options["team"]) if options["team"] else None
        owner = owner_of_imports(options["user"])
        folder: Path = options["folder"]
        try:
            kept = import_evaluation(
                folder, owner=owner, connection=connection, team=team, name=options["name"],
                traces=not options["no_traces"],
            )  # fmt: skip
        except ValidationError as error:
            raise CommandError(f"{folder}: {' '.join(error.messages)}") from error
        except OSError as error:
            raise CommandError(f"{folder} cannot be read: {error}") from error
        self.stdout.write(f"{settings.SITE_URL}{reverse('evaluation', args=[kept.pk])}")


def _named(model: type[Any], name: str) -> Any:
    found = model.objects.filter(name=name).first()
    if found is None:
        there = ", ".join(model.objects.order_by("name").values_list("name", flat=True)) or "none"
        raise CommandError(f"There is no {model._meta.verbose_name} {name!r}; there are: {there}.")
    return found
