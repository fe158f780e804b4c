"""Writes: connections with their secrets, catalogue snapshots, and the opening of the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from connections import audit, crypto, permissions, selectors, tasks
from connections.catalogue import Catalogue
from connections.contracts import Driver, Limits, LogEntry, LogSink
from connections.errors import ConnectionFailedError
from connections.models import CatalogueSnapshot, Connection, ConnectionGrant, QueryLogEntry, Team, User

if TYPE_CHECKING:
    from connections.door import Door


def create_connection(
    *, actor: User | None, password: str = "", teams: Iterable[Team] = (), **fields: Any
) -> Connection:
    """A new connection, granted to `teams`; its catalogue is read soon. Raises ValidationError."""
    connection = Connection(**fields)
    with transaction.atomic():
        save_connection(connection, actor=actor, password=password)
        for team in teams:
            grant(connection, team, actor=actor)
    return connection


def save_connection(connection: Connection, *, actor: User | None, password: str | None = None) -> None:
    """Check and store `connection`. `password` None keeps the stored one. Raises ValidationError."""
    before = Connection.objects.filter(pk=connection.pk).first() if connection.pk else None
    if password is not None:
        connection.password_encrypted = crypto.encrypt(password)
    connection.full_clean()
    with transaction.atomic():
        connection.save()
        action = "connection changed" if before else "connection created"
        audit.record(action, actor=actor, target=connection, detail=_changes(before, connection))
        queue_refresh(connection)


def delete_connection(connection: Connection, *, actor: User | None) -> None:
    """Runs on it stay readable; nothing can be asked on it any more."""
    with transaction.atomic():
        audit.record("connection deleted", actor=actor, target=connection)
        connection.delete()


def grant(connection: Connection, team: Team, *, actor: User | None) -> None:
    ConnectionGrant.objects.get_or_create(connection=connection, team=team)
    audit.record("connection granted", actor=actor, target=connection, detail={"team": team.name})


def queue_refresh(connection: Connection) -> None:
    """Read the catalogue again in a worker, once the running transaction has been committed."""
    transaction.on_commit(lambda: tasks.enqueue_refresh(connection.pk))


def refresh_catalogue(connection: Connection) -> Catalogue:
    """Read the catalogue now and keep it. Raises ConnectionFailedError; the stored one then stays."""
    catalogue = driver_of(connection).catalogue(tuple(connection.schemas))
    CatalogueSnapshot.objects.update_or_create(
        connection=connection,
        defaults={
            "fingerprint": catalogue.fingerprint,
            "data": catalogue.to_json(),
            "table_count": len(catalogue.tables),
            "column_count": sum(len(table.columns) for table in catalogue.tables),
            "taken_at": timezone.now(),
        },
    )
    return catalogue


def open_door(connection: Connection, user: User, *, run_id: UUID | None = None) -> Door:
    """The way to this customer's data for `user`, with the connection's limits; every statement is logged.

    The catalogue is the stored one, read now if there is none. Raises ConnectionFailedError, also where the right to
    ask is missing: it may have been taken away while the run was waiting.
    """
    from connections.door import Door  # late: drivers are heavy, and most processes open no door

    if not permissions.may_ask(user, connection):
        raise ConnectionFailedError(
            f"{user} may not ask {connection}. Somebody who manages the team can grant it, or switch the connection on."
        )
    catalogue = selectors.catalogue_of(connection)
    if catalogue is None:
        refresh_catalogue(connection)
        catalogue = selectors.catalogue_of(connection)
        assert catalogue is not None
    return Door(driver_of(connection), catalogue, limits_of(connection), log=query_log(connection, user, run_id))


def driver_of(connection: Connection) -> Driver:
    from connections.address import database_url  # late: drivers are heavy, and most processes need none
    from connections.drivers import driver_for

    return driver_for(database_url(connection), file_root=settings.DATABASES_DIR)


def limits_of(connection: Connection) -> Limits:
    return Limits(seconds=float(connection.max_seconds), rows=connection.max_rows)


def query_log(connection: Connection, user: User | None, run_id: UUID | None = None) -> LogSink:
    """A sink that keeps every statement with who, when, rows and milliseconds."""

    def keep(entry: LogEntry) -> None:
        QueryLogEntry.objects.create(
            connection=connection,
            connection_name=connection.name,
            user=user,
            run_id=run_id,
            purpose=entry.purpose[:20],
            sql=entry.sql,
            rows=entry.rows,
            ms=entry.ms,
            error=entry.error,
        )

    return keep


def _changes(before: Connection | None, after: Connection) -> Mapping[str, Any]:
    """Which fields changed, with old and new values; of a secret only that it changed."""
    if before is None:
        return {"kind": after.kind, "host": after.host, "database": after.database}
    found: dict[str, Any] = {}
    for field in Connection._meta.concrete_fields:
        old, new = getattr(before, field.attname), getattr(after, field.attname)
        if field.name == "password_encrypted":
            if bytes(old) != bytes(new):
                found["password"] = "changed"
        elif old != new and field.name != "updated_at":
            found[field.name] = [str(old), str(new)]
    return found
