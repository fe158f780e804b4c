"""`manage.py demo_database`: make the demo shop in the demo file, or in the database at --url."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from connections.demo.shop import make_shop
from connections.demo.write import DemoNotWrittenError, holds_shop, write_shop


class Command(BaseCommand):
    help = "Make the demo shop (about 200,000 rows) in an SQLite file or a PostgreSQL database"
    requires_system_checks: list[str] = []  # needs no migrated database

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", help="SQLAlchemy URL of the database; default: the demo file of the data folder")
        parser.add_argument("--until", type=date.fromisoformat, help="its last day, like 2026-11-29; default: today")
        parser.add_argument("--seed", type=int, default=1, help="another number makes another shop")
        parser.add_argument("--force", action="store_true", help="make it again where a demo shop is already")

    def handle(self, *args: Any, **options: Any) -> None:
        url = options["url"] or f"sqlite:///{settings.DEMO_DATABASE}"
        try:
            if not options["force"] and holds_shop(url):
                if options["verbosity"]:
                    self.stdout.write("The demo shop is already there; --force makes it again.")
                return
            self._make(url, options)
        except DemoNotWrittenError as error:
            raise CommandError(str(error)) from error

    def _make(self, url: str, options: dict[str, Any]) -> None:
        started = time.perf_counter()
        shop = make_shop(options["until"] or date.today(), options["seed"])
        write_shop(shop, url, replace=options["force"])
        rows, seconds = sum(map(len, shop.values())), time.perf_counter() - started
        self.stdout.write(f"Made the demo shop: {rows:,} rows in {len(shop)} tables, {seconds:.1f} s.")
