"""What commands look up by name: stored connections, models and people. Only these need the product's database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from django.core.management.base import CommandError
from django.db import DatabaseError as StorageError

from agents.errors import ConnectionFailedError
from agents.llm.messages import ModelProfile
from agents.llm.profiles import ProfileError, chain_from_environment, from_environment, local_profile

if TYPE_CHECKING:
    from connections.door import Door
    from connections.models import User


def stored_door(name: str) -> Door:
    """A door to the stored connection `name`, for whoever runs this machine. Raises ConnectionFailedError."""
    from connections import selectors, services
    from connections.door import Door
    from connections.models import Connection

    try:
        known = list(Connection.objects.order_by("name").values_list("name", flat=True))
        connection = Connection.objects.filter(name=name).first()
    except StorageError as error:
        raise ConnectionFailedError(
            f"The stored connections cannot be read ({error}). Run `make setup` first, or give a database URL."
        ) from error
    if connection is None:
        there = f"Stored are {', '.join(known)}." if known else "None is stored."
        raise ConnectionFailedError(
            f"There is no connection {name!r}. {there} A URL such as sqlite:////folder/file.sqlite needs none."
        )
    catalogue = selectors.catalogue_of(connection) or services.refresh_catalogue(connection)
    return Door(
        services.driver_of(connection),
        catalogue,
        services.limits_of(connection),
        log=services.query_log(connection, None),
    )


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
    or a litellm id that is reached with the environment's address and key. Raises ProfileError."""
    given = chain_from_environment(env)
    if name is None or name in (given[0].name, given[0].model):
        return given
    if name == "local":
        return [local_profile()]
    stored = _stored_chain(name)
    if stored:
        return stored
    if "/" not in name:
        raise ProfileError(
            f"There is no stored model {name!r}. Give the name of one in the admin, `local`, or a litellm id such as "
            "openai/gpt-5."
        )
    named = from_environment({**env, "LLM_MODEL": name})
    return [replace(named, name=name), *given[1:]]


def _stored_chain(name: str) -> list[ModelProfile]:
    from agents.models import LanguageModel
    from agents.profiles import chain_of

    try:
        found = LanguageModel.objects.filter(name=name).first()
    except StorageError:
        return []
    return chain_of(found) if found else []
