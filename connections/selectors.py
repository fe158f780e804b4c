"""Reads. What a person may not see does not exist for them: these raise `DoesNotExist`, never "forbidden"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.db.models import QuerySet

from connections import permissions
from connections.catalogue import Catalogue
from connections.models import CatalogueSnapshot, Connection, Team, User


def connections_for(user: User) -> QuerySet[Connection]:
    """What `user` sees, by name, with snapshots."""
    return permissions.visible_connections(user).select_related("snapshot").order_by("name")


def connections_to_ask(user: User) -> QuerySet[Connection]:
    return permissions.askable_connections(user).select_related("snapshot").order_by("name")


def connection_to_see(user: User, connection_id: int) -> Connection:
    return connections_for(user).get(pk=connection_id)


def connection_to_ask(user: User, connection_id: int) -> Connection:
    return connections_to_ask(user).get(pk=connection_id)


def teams_of(user: User) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=user).order_by("name")


def snapshot_of(connection: Connection) -> CatalogueSnapshot | None:
    return CatalogueSnapshot.objects.filter(connection=connection).first()


def catalogue_of(connection: Connection) -> Catalogue | None:
    """The stored catalogue with the administrators' notes, or None when it was never read."""
    snapshot = snapshot_of(connection)
    if snapshot is None:
        return None
    return replace(Catalogue.from_json(snapshot.data), notes=notes_of(connection))


def notes_of(connection: Connection) -> dict[str, str]:
    """Notes for the model: under "" about the database, under "table" and "table.column" about those."""
    entries: Iterable[tuple[str, str, str]] = connection.catalogue_notes.values_list("table", "column", "text")
    notes = {f"{table}.{column}" if column else table: text for table, column, text in entries}
    return {"": connection.notes, **notes} if connection.notes else notes
