"""Writes: connections with their secrets, catalogue snapshots, and the opening of the door."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from connections import audit, crypto, permissions, selectors, snapshots, tasks
from connections.catalogue import Catalogue
from connections.contracts import Driver, Limits, LogEntry, LogSink
from connections.demo.notes import NOTES
from connections.errors import ConnectionFailedError, DatabaseError
from connections.models import (
    FILE_KINDS,
    CatalogueNote,
    Connection,
    ConnectionGrant,
    Membership,
    QueryLogEntry,
    Role,
    Team,
    User,
)
from connections.password_place import PASSWORD_ANEW, goes_elsewhere
from connections.statements import Insert
from connections.storable import storable

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from connections.checkup import Step
    from connections.door import Door
    from connections.drivers import DriverOptions
    from connections.pool import SessionPool


def create_connection(
    *, actor: User | None, password: str = "", teams: Iterable[Team] = (), **fields: Any
) -> Connection:
    """A new connection, granted to `teams`; its catalogue is read soon. Raises ValidationError."""
    connection, password = Connection(**fields), crypto.Secret(password)
    with transaction.atomic():
        save_connection(connection, actor=actor, password=password)
        for team in teams:
            grant(connection, team, actor=actor)
    return connection


def save_connection(connection: Connection, *, actor: User | None, password: str | None = None) -> None:
    """Check and store `connection`. `password` None keeps the stored one, which goes to no other place than the one
    that it was stored for. Raises ValidationError."""
    password = None if password is None else crypto.Secret(password)
    before = Connection.objects.filter(pk=connection.pk).first() if connection.pk else None
    if password is not None:
        connection.password_encrypted = crypto.encrypt(password)
    connection.full_clean()
    if password is None and before is not None and goes_elsewhere(before, vars(connection)):
        raise ValidationError(PASSWORD_ANEW, code="password")
    with transaction.atomic():
        connection.save()
        action = "connection changed" if before else "connection created"
        audit.record(action, actor=actor, target=connection, detail=_changes(before, connection))
        if connection.is_active:
            queue_refresh(connection, actor=actor)


def delete_connection(connection: Connection, *, actor: User | None) -> None:
    """What was asked and measured stays; nothing can be asked on it any more. Its notes and its catalogue go."""
    with transaction.atomic():
        audit.record("connection deleted", actor=actor, target=connection)
        connection.delete()


def grant(connection: Connection, team: Team, *, actor: User | None) -> None:
    ConnectionGrant.objects.get_or_create(connection=connection, team=team)
    audit.record("connection granted", actor=actor, target=connection, detail={"team": team.name})


def set_teams(connection: Connection, teams: Iterable[Team], *, actor: User | None) -> None:
    """Exactly `teams` may use it from now on."""
    wanted = set(teams)
    for old in connection.grants.exclude(team__in=wanted).select_related("team"):
        audit.record("connection grant removed", actor=actor, target=connection, detail={"team": old.team.name})
        old.delete()
    for team in wanted - set(connection.teams.all()):
        grant(connection, team, actor=actor)


def save_note(connection: Connection, table: str, column: str, text: str, *, actor: User | None) -> None:
    """What the model is told about `table` (and its `column`, if one is named); an empty text takes it away."""
    place: dict[str, Any] = {"connection": connection, "table": table, "column": column}
    before = CatalogueNote.objects.filter(**place).first()
    if text == (before.text if before else ""):
        return
    with transaction.atomic():
        if text:
            CatalogueNote.objects.update_or_create(**place, defaults={"text": text, "changed_by": actor})
        elif before:
            before.delete()
        name = f"{table}.{column}" if column else table
        detail = {"about": name, "text": [before.text if before else "", text]}
        audit.record("catalogue note changed", actor=actor, target=connection, detail=detail)


def queue_refresh(connection: Connection, *, actor: User | None = None) -> None:
    """Read the catalogue again in a worker, once the running transaction has been committed."""
    snapshots.asked(connection, actor)
    transaction.on_commit(lambda: tasks.enqueue_refresh(connection.pk))


def refresh_catalogue(connection: Connection) -> Catalogue:
    """Read the catalogue now and keep it. Raises ConnectionFailedError; the stored one then stays."""
    try:
        driver = driver_of(connection)
    except DatabaseError as error:
        snapshots.failed(connection, error)
        raise
    return snapshots.read(connection, driver)


def open_door(
    connection: Connection,
    user: User,
    *,
    run_id: UUID | None = None,
    limits: Limits | None = None,
    log: LogSink | None = None,
    before: Callable[[], None] = lambda: None,
) -> Door:
    """The way to this customer's data for `user`, with the connection's limits; every statement is logged.

    `limits` are others than the connection's; `log` takes the entries where the caller stores them itself; `before` is
    called before each statement.

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
    pool, log = pool_of(connection), log or query_log(connection, user, run_id)
    return Door(pool, catalogue, limits or limits_of(connection), log=log, before=before, crowded=pool.crowded)


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What a test found, step by step, and the SQL that makes a role which can only read ("" for a file)."""

    steps: tuple[Step, ...]
    role_sql: str


def test_connection(connection: Connection, *, actor: User | None) -> ConnectionTest:
    """Try the stored connection, a write that must fail included."""
    from connections import checkup  # late: drivers are heavy, and most processes need none

    try:
        driver = driver_of(connection)
        steps = checkup.checkup(driver, tuple(connection.schemas))
        role_sql = checkup.select_only_role(driver, connection.database, tuple(connection.schemas))
    except ConnectionFailedError as error:
        steps, role_sql = (checkup.Step("Name", "failed", str(error)),), ""
    failed = [step.name for step in steps if step.state == "failed"]
    audit.record("connection tested", actor=actor, target=connection, detail={"failed": failed})
    return ConnectionTest(steps, role_sql)


def driver_of(connection: Connection) -> Driver:
    """The driver of a stored connection; nothing is opened yet. Raises ConnectionFailedError."""
    from connections.drivers import driver_for  # late: drivers are heavy, and most processes need none

    url, options = _address(connection)
    return driver_for(url, file_root=settings.DATABASES_DIR, options=options)


def pool_of(connection: Connection) -> SessionPool:
    """This process's sessions for a stored connection, `max_concurrent` at most. Raises ConnectionFailedError."""
    from connections.pool import shared_pool  # late: drivers are heavy, and most processes need none

    # A file's address is relative to the folder, so the folder is part of what makes two pools different.
    where = (_address(connection), settings.DATABASES_DIR)
    return shared_pool(connection.pk, where, lambda: driver_of(connection), connection.max_concurrent)


def _address(connection: Connection) -> tuple[URL, DriverOptions]:
    from connections.address import database_url
    from connections.drivers import DriverOptions

    tls = "" if connection.kind in FILE_KINDS else connection.tls
    return database_url(connection), DriverOptions(tls=tls, networks=settings.DATABASE_NETWORKS)


def limits_of(connection: Connection) -> Limits:
    return Limits(seconds=float(connection.max_seconds), rows=connection.max_rows)


_log_query = Insert(QueryLogEntry)


def query_log(connection: Connection, user: User | None, run_id: UUID | None = None) -> LogSink:
    """A sink that keeps every statement with who, when, rows and milliseconds."""

    def keep(entry: LogEntry) -> None:
        row = QueryLogEntry(
            connection=connection,
            connection_name=connection.name,
            user=user,
            user_name=user.get_username() if user else "",
            run_id=run_id,
            purpose=entry.purpose[:20],
            sql=storable(entry.sql),
            rows=entry.rows,
            ms=entry.ms,
            error=storable(entry.error),
        )
        _log_query(row)

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


# --- People ----------------------------------------------------------------------------------------------------------


def create_admin(username: str) -> tuple[User, str]:
    """An administrator, and the generated password to be told once and changed at the first login."""
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(username, password=password, must_change_password=True)
    audit.record("user added", target=user, detail={"by": "command line", "superuser": True})
    return user, password


def reset_password(username: str) -> str:
    """A new generated password for an existing person. Raises User.DoesNotExist."""
    user = User.objects.get(username=username)
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.must_change_password = True
    user.save(update_fields=["password", "must_change_password"])
    audit.record("password reset", target=user, detail={"by": "command line"})
    return password


def add_member(team: Team, user: User, role: Role, *, actor: User | None) -> None:
    """`user` has `role` in `team` from now on, whatever it was before."""
    Membership.objects.update_or_create(team=team, user=user, defaults={"role": role})
    audit.record("membership added", actor=actor, target=team, detail={"user": user.username, "role": str(role)})


# --- The demo --------------------------------------------------------------------------------------------------------


def create_demo_connection(name: str, url: str, team: Team) -> Connection:
    """The demo shop at `url`, granted to `team`, with what its people know about its tables as notes."""
    from connections.address import fields_of

    fields = fields_of(url)
    with transaction.atomic():
        connection = create_connection(actor=None, name=name, is_demo=True, teams=[team], **fields)
        if connection.kind in FILE_KINDS:  # a server keeps them as comments
            for place, text in NOTES.items():
                table, _, column = place.partition(".")
                CatalogueNote.objects.create(connection=connection, table=table, column=column, text=text)
    return connection
