"""What can be wrong outside: each function breaks one thing of the cast's shop or of its model."""

from __future__ import annotations

from typing import Any

from agents.models import LanguageModel
from connections import services as connection_services
from connections.models import Connection
from tests.server.conftest import Cast


def no_file(cast: Cast, settings: Any) -> None:
    (settings.DATABASES_DIR / "shop.sqlite").unlink()


def no_database(cast: Cast, settings: Any) -> None:
    (settings.DATABASES_DIR / "shop.sqlite").write_bytes(b"GIF89a" * 1000)


def no_server(cast: Cast, settings: Any) -> None:
    Connection.objects.update(kind="postgresql", host="127.0.0.1", port=1, database="x", username="u")


def connection_deleted(cast: Cast, settings: Any) -> None:
    connection_services.delete_connection(cast.shop, actor=None)


def right_withdrawn(cast: Cast, settings: Any) -> None:
    cast.team.memberships.all().delete()


def no_key(cast: Cast, settings: Any) -> None:
    LanguageModel.objects.update(api_base="", key_encrypted=b"", model="openai/gpt-5-mini")


def model_server_down(cast: Cast, settings: Any) -> None:
    LanguageModel.objects.update(api_base="http://127.0.0.1:1/v1")
