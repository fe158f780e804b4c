"""What commands look up by name: stored connections, models and people. Only these need the product's database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from django.core.management.base import CommandError
from django.db import DatabaseError as StorageError

from agents.errors import ConnectionFailedError
from agents.llm.messages import ModelProfile
from agents.llm.profiles import LOCAL_MODEL_NAME, ProfileError, chain_from_environment, from_environment

if TYPE_CHECKING:
    from connections.door import Door
    from connections.models import Connection, User


def stored_connection(name: str) -> Connection:
    """The stored connection `name`. Raises ConnectionFailedError."""
    from connections.models import Connection

    try:
        known = list(Connection.objects.order_by("name").values_list("name", flat=True))
        connection = Connection.objects.filter(name=name).first()
    except StorageError as error:
        raise ConnectionFailedError(
            f"The stored connections cannot be read ({error}). Run `python manage.py migrate` first, or give a "
            "database URL."
        ) from error
    if connection is None:
        there = f"Stored are {', '.join(known)}." if known else "None is stored."
        raise ConnectionFailedError(
            f"There is no connection {name!r}. {there} A URL such as sqlite:////folder/file.sqlite needs none."
        )
    return connection


def stored_doors(connection: Connection) -> Callable[[], Door]:
    """Doors to a stored connection for whoever runs this machine, each as a run's: through the pool, with the
    connection's TLS, networks, schemas, limits and notes, and every statement logged. Raises ConnectionFailedError,
    also where the connection is switched off."""
    from connections import selectors, services
    from connections.door import Door

    if not connection.is_active:
        raise ConnectionFailedError(f"{connection} is switched off. Tick “May be asked” in its form to ask it.")
    stored = selectors.catalogue_of(connection) or services.refresh_catalogue(connection)
    catalogue = replace(stored, notes=selectors.notes_of(connection))  # one that was just read knows none
    pool, limits = services.pool_of(connection), services.limits_of(connection)
    log = services.query_log(connection, None)
    return lambda: Door(pool, catalogue, limits, log=log, crowded=pool.crowded)


def owner_of_imports(name: str | None) -> User:
    """The active person `name`; without a name the first administrator. Raises CommandError."""
    from connections.models import User

    people = User.objects.filter(is_active=True)
    owner = (people.filter(username=name) if name else people.filter(is_superuser=True).order_by("pk")).first()
    if owner is None:
        words = f"There is no active user {name!r}." if name else "There is no administrator: use --user."
        raise CommandError(words)
    return owner


def model_chain(name: str | None, env: Mapping[str, str]) -> list[ModelProfile]:
    """The model to ask, and those that stand in for it: the environment's without a name, else a stored one, `local`,
    or a litellm id that is reached with the environment's address and key; the environment's prices are those of its
    own model. Raises ProfileError."""
    if name is None or name == env.get("LLM_MODEL", "").strip():
        return chain_from_environment(env)
    if name == LOCAL_MODEL_NAME:
        return [from_environment({key: env[key] for key in env if not key.startswith("LLM_")})]
    stored = _stored_chain(name)
    if stored:
        return stored
    if "/" not in name:
        raise ProfileError(
            f"There is no stored model {name!r}. Give the name of one in the admin, `local`, or a litellm id such as "
            "openai/gpt-5."
        )
    others = {key: value for key, value in env.items() if not (key.startswith("LLM_PRICE_") and env.get("LLM_MODEL"))}
    return chain_from_environment({**others, "LLM_MODEL": name})


def _stored_chain(name: str) -> list[ModelProfile]:
    from agents.models import LanguageModel
    from agents.profiles import chain_of

    try:
        found = LanguageModel.objects.filter(name=name).first()
    except StorageError:
        return []
    return chain_of(found) if found else []
