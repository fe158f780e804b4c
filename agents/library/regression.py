"""A connection's regression set as questions to be measured with, and verified runs as training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from agents import selectors
from agents.answers.training import Chat, chat_of
from agents.evaluation.records import Record
from agents.models import Run
from connections.address import database_url
from connections.models import FILE_KINDS, Connection


class UnknownConnectionError(LookupError):
    """No connection has the name; the message names those that there are."""


@dataclass(frozen=True, slots=True)
class RegressionSet:
    """`waiting` questions have no verified answer yet."""

    connection: Connection
    records: tuple[Record, ...]
    waiting: int


def connection_named(name: str) -> Connection:
    connection = Connection.objects.filter(name=name).first()
    if connection is None:
        names = ", ".join(Connection.objects.order_by("name").values_list("name", flat=True)) or "none"
        raise UnknownConnectionError(f"There is no connection {name!r}; there are: {names}.")
    return connection


def regression_set(name: str) -> RegressionSet:
    """Of the connection `name`. Raises UnknownConnectionError."""
    return questions_of(connection_named(name))


def questions_of(connection: Connection) -> RegressionSet:
    """The verified questions with the SQL that answers them. The records hold the database's address with its
    password."""
    questions = list(connection.regression_set.order_by("added_at"))
    url = _whole_address(connection)
    records = tuple(
        Record(id=f"{connection.pk}-{one.pk}", url=url, question=one.text, set=connection.name, dialect=connection.kind,
               evidence=one.evidence, gold_sql=(one.gold_sql,), send_values=connection.send_values)
        for one in questions
        if one.gold_sql
    )  # fmt: skip
    return RegressionSet(connection, records, len(questions) - len(records))


def _whole_address(connection: Connection) -> str:
    """With the password, and of a file with its folder: what opens it knows nothing of the site's settings."""
    url = database_url(connection)
    if connection.kind in FILE_KINDS:
        url = url.set(database=str(settings.DATABASES_DIR / connection.database))
    return url.render_as_string(hide_password=False)


def verified_chats(name: str = "") -> Iterator[Chat]:
    """The talk behind each verified answer, oldest first, of the connection `name` or of all; [] where the run asked no
    model. Raises UnknownConnectionError."""
    runs = Run.objects.filter(verification__isnull=False).order_by("created_at")
    if name:
        runs = runs.filter(question__thread__connection=connection_named(name))
    return (chat_of(selectors.events_of(run)) for run in runs.iterator())
