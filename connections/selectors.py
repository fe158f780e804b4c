"""Reads. What a person may not see does not exist for them: these raise `DoesNotExist`, never "forbidden"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import cast

from django.db.models import F, Q, QuerySet

from connections import permissions
from connections.catalogue import Catalogue, DialectName, Table, table_from_json
from connections.models import CatalogueNote, CatalogueRefresh, CatalogueSnapshot, CatalogueTable, Connection, User


def connections_for(user: User) -> QuerySet[Connection]:
    """What `user` sees, by name, with the heads of snapshots and how refreshes stand."""
    return permissions.visible_connections(user).select_related("snapshot", "refresh").order_by("name")


def connections_to_ask(user: User) -> QuerySet[Connection]:
    return permissions.askable_connections(user).select_related("snapshot").order_by("name")


def connections_to_show(user: User) -> QuerySet[Connection]:
    """What the list shows: what `user` sees through teams, and what they set up."""
    seen = permissions.visible_connections(user).values("pk")
    managed = permissions.manageable_connections(user).values("pk")
    found = Connection.objects.filter(Q(pk__in=seen) | Q(pk__in=managed))
    return found.select_related("snapshot", "refresh").order_by("name")


def connection_to_browse(user: User, connection_id: int) -> Connection:
    """Its catalogue may be looked at: names and types, no rows."""
    return connections_to_show(user).get(pk=connection_id)


def connection_to_manage(user: User, connection_id: int) -> Connection:
    return permissions.manageable_connections(user).get(pk=connection_id)


def connection_to_ask(user: User, connection_id: int) -> Connection:
    return connections_to_ask(user).get(pk=connection_id)


def snapshot_of(connection: Connection) -> CatalogueSnapshot | None:
    return CatalogueSnapshot.objects.select_related("connection").filter(connection=connection).first()


def refresh_of(connection: Connection) -> CatalogueRefresh | None:
    """How the newest refresh of its catalogue stands."""
    return CatalogueRefresh.objects.filter(connection=connection).select_related("asked_by").first()


def catalogue_of(connection: Connection) -> Catalogue | None:
    """The stored catalogue with the administrators' notes, or None when it was never read."""
    snapshot = snapshot_of(connection)
    if snapshot is None:
        return None
    return replace(_stored(snapshot.pk, snapshot.taken_at), notes=notes_of(connection))


def largest_tables(connection: Connection, most: int) -> Catalogue | None:
    """The stored catalogue with its `most` largest tables only, for pages that need a few examples."""
    snapshot: CatalogueSnapshot | None = getattr(connection, "snapshot", None)
    if snapshot is None:
        return None
    rows = snapshot.tables.order_by(F("row_estimate").desc(nulls_last=True), "position")[:most]
    return _catalogue(snapshot, sorted(rows, key=lambda row: row.position))


@lru_cache(maxsize=4)
def _stored(snapshot_id: int, taken_at: datetime) -> Catalogue:
    """A worker asks for the same one with every run; `taken_at` tells a newer one from it."""
    snapshot = CatalogueSnapshot.objects.get(pk=snapshot_id)
    return _catalogue(snapshot, snapshot.tables.order_by("position"))


def _catalogue(snapshot: CatalogueSnapshot, rows: Iterable[CatalogueTable]) -> Catalogue:
    return Catalogue(
        dialect=cast("DialectName", snapshot.connection.kind), tables=tuple(table_of(row) for row in rows),
        default_schema=snapshot.default_schema, server_version=snapshot.server_version,
        warnings=tuple(snapshot.warnings),
    )  # fmt: skip


def table_of(row: CatalogueTable) -> Table:
    return table_from_json({**row.data, "row_estimate": row.row_estimate})


def note_about(connection: Connection, table: Table, column: str = "") -> CatalogueNote | None:
    """The note that the model is told about `table` or its `column`: the one under its qualified name goes first."""
    found = connection.catalogue_notes.filter(table__in=(table.qualified, table.name), column=column)
    return max(found.select_related("changed_by"), key=lambda note: len(note.table), default=None)


def notes_of(connection: Connection) -> dict[str, str]:
    """Notes for the model: under "" about the database, under "table" and "table.column" about those."""
    entries: Iterable[tuple[str, str, str]] = connection.catalogue_notes.values_list("table", "column", "text")
    notes = {f"{table}.{column}" if column else table: text for table, column, text in entries}
    return {"": connection.notes, **notes} if connection.notes else notes
