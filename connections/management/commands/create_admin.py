"""`manage.py create_admin NAME`: an administrator with a generated password, printed once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from connections import services
from connections.models import User


class Command(BaseCommand):
    help = "Create an administrator with a generated password, or give an existing person a new one"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", nargs="?", default="admin")
        parser.add_argument("--reset", action="store_true", help="give an existing person a new generated password")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        known = User.objects.filter(username=name).exists()
        if known and not options["reset"]:
            raise CommandError(f"There is a person named {name} already; --reset gives a new password.")
        if not known and options["reset"]:
            raise CommandError(f"There is no person named {name}.")
        password = services.reset_password(name) if known else services.create_admin(name)[1]
        self.stdout.write(f"Log in as {name} with the password {password} and set your own then.")
