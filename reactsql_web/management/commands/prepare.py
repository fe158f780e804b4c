"""`manage.py prepare`: what a first start needs after `migrate`; a later one finds its work done."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from connections import services
from connections.errors import DatabaseError
from connections.models import Connection, Role, Team, User

DEMO = "Demo shop"


class Command(BaseCommand):
    help = "Make folders, the first administrator and the demo connection, where they are missing"

    def handle(self, *args: Any, **options: Any) -> None:
        for folder in (settings.DATABASES_DIR, settings.RESULTS_DIR):
            folder.mkdir(parents=True, exist_ok=True)
        self._first_admin()
        self._demo_connection()

    def _first_admin(self) -> None:
        if User.objects.filter(is_superuser=True).exists():
            return
        admin, password = services.create_admin("admin")
        team, _ = Team.objects.get_or_create(name="Demo")
        services.add_member(team, admin, Role.MANAGER, actor=None)
        self.stdout.write(
            f"\n  First login: {admin.username}\n     Password: {password}\n"
            "  It is shown this once; you set your own when you log in.\n"
        )

    def _demo_connection(self) -> None:
        url = settings.DEMO_DATABASE_URL or (
            f"sqlite:///{settings.DEMO_DATABASE.name}" if settings.DEMO_DATABASE.is_file() else ""
        )
        if not url or Connection.objects.filter(is_demo=True).exists():
            return
        team, _ = Team.objects.get_or_create(name="Demo")
        try:
            connection = services.create_demo_connection(DEMO, url, team)
            services.refresh_catalogue(connection)
        except DatabaseError as error:
            self.stderr.write(f"The demo database cannot be read yet: {error}")
