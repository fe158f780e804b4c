"""Keeping catalogues: reading one from its database, storing it, and how a refresh stands."""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.db import transaction
from django.utils import timezone

from connections import selectors
from connections.catalogue import Catalogue, Table, table_to_json
from connections.contracts import Driver
from connections.difference import difference
from connections.errors import DatabaseError
from connections.models import CatalogueRefresh, CatalogueSnapshot, CatalogueTable, Connection, RefreshState, User
from connections.storable import storable

BATCH = 500


def read(connection: Connection, driver: Driver) -> Catalogue:
    """Read the catalogue and keep it, telling the progress. Raises DatabaseError; the stored one then stays."""
    started = time.perf_counter()
    try:
        catalogue = driver.catalogue(tuple(connection.schemas), lambda text: progress(connection, text))
        progress(connection, f"Storing {len(catalogue.tables):,} tables")
        keep(connection, catalogue, time.perf_counter() - started)
    except DatabaseError as error:
        failed(connection, error)
        raise
    _move(connection, RefreshState.DONE, "")
    return catalogue


def keep(connection: Connection, catalogue: Catalogue, seconds: float = 0.0) -> CatalogueSnapshot:
    """Store `catalogue`. Where it is the one that is stored, only what always moves is written."""
    with transaction.atomic():
        before = CatalogueSnapshot.objects.select_for_update().filter(connection=connection).first()
        if before and before.fingerprint == catalogue.fingerprint:
            _keep_estimates(before, catalogue)
            return _keep_head(connection, catalogue, seconds)
        changes = _changes(connection, catalogue) if before else {}
        head = _keep_head(connection, catalogue, seconds)
        head.tables.all().delete()
        CatalogueTable.objects.bulk_create(_rows(head, catalogue), batch_size=BATCH)
        if changes:
            head.changes, head.changed_at = changes, head.taken_at
            head.save(update_fields=["changes", "changed_at"])
        return head


def _changes(connection: Connection, catalogue: Catalogue) -> dict[str, object]:
    stored = selectors.catalogue_of(connection)
    return dict(storable(difference(stored, catalogue).to_json())) if stored else {}


def _keep_head(connection: Connection, catalogue: Catalogue, seconds: float) -> CatalogueSnapshot:
    head, _ = CatalogueSnapshot.objects.update_or_create(
        connection=connection,
        defaults={
            "fingerprint": catalogue.fingerprint,
            "default_schema": catalogue.default_schema,
            "server_version": catalogue.server_version[:255],
            "warnings": storable(list(catalogue.warnings)),
            "table_count": len(catalogue.tables),
            "column_count": sum(len(table.columns) for table in catalogue.tables),
            "seconds": seconds,
            "taken_at": timezone.now(),
        },
    )
    return head


def _rows(head: CatalogueSnapshot, catalogue: Catalogue) -> Iterator[CatalogueTable]:
    for position, table in enumerate(catalogue.tables):
        yield CatalogueTable(
            snapshot=head, position=position, schema=(table.schema or "")[:255], name=table.name[:255],
            kind=table.kind, column_count=len(table.columns), row_estimate=table.row_estimate,
            qualified=storable(table.qualified.casefold())[:511], words=storable(_words(table)),
            data=storable(table_to_json(table)),
        )  # fmt: skip


def _words(table: Table) -> str:
    return "\n".join(column.name for column in table.columns).casefold()


def _keep_estimates(head: CatalogueSnapshot, catalogue: Catalogue) -> None:
    """Fingerprints are equal, so tables stand at the same positions."""
    stored = {row.position: row for row in head.tables.only("position", "row_estimate")}
    moved = []
    for position, table in enumerate(catalogue.tables):
        if stored[position].row_estimate != table.row_estimate:
            stored[position].row_estimate = table.row_estimate
            moved.append(stored[position])
    CatalogueTable.objects.bulk_update(moved, ["row_estimate"], batch_size=BATCH)


# --- How a refresh stands --------------------------------------------------------------------------------------------


def asked(connection: Connection, user: User | None) -> None:
    """Somebody, or the schedule, wants the catalogue read again."""
    now = timezone.now()
    CatalogueRefresh.objects.update_or_create(
        connection=connection,
        defaults={"state": RefreshState.WAITING, "text": "", "asked_by": user, "asked_at": now, "moved_at": now},
    )


def progress(connection: Connection, text: str) -> None:
    _move(connection, RefreshState.READING, text)


def failed(connection: Connection, reason: object) -> None:
    _move(connection, RefreshState.FAILED, str(reason))


def _move(connection: Connection, state: RefreshState, text: str) -> None:
    now = timezone.now()
    CatalogueRefresh.objects.update_or_create(
        connection=connection,
        defaults={"state": state, "text": storable(text), "moved_at": now},
        create_defaults={"state": state, "text": storable(text), "asked_at": now, "moved_at": now},
    )
