"""Stored catalogues: what a refresh finds is kept, said, and read back as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from connections import selectors, snapshots
from connections.catalogue import Catalogue, Column, ForeignKey, Table
from connections.difference import Difference, difference
from connections.errors import ConnectionFailedError
from connections.models import CatalogueRefresh, CatalogueTable
from tests.server.conftest import Cast

ID, TOTAL = Column("id", "integer", "integer", False), Column("total", "numeric(12,2)", "decimal", True, "Euro")
ORDERS = Table("orders", "public", columns=(ID, TOTAL), primary_key=("id",), unique=(("total", "id"),),
               comment="One row an order", row_estimate=40)  # fmt: skip
LINES = Table("lines", "public", columns=(ID,), foreign_keys=(ForeignKey(("id",), "public", "orders", ("id",)),))
SHOP = Catalogue("postgresql", (LINES, ORDERS), "public", "17.1", ("hr.pay cannot be read.",))

CHANGES = [
    ((ORDERS, LINES, replace(LINES, name="parts")), "added", ["public.parts"]),
    ((ORDERS,), "removed", ["public.lines"]),
    ((LINES, replace(ORDERS, columns=(ID,))), "changed", [["public.orders", ["total is gone"]]]),
    (
        (LINES, replace(ORDERS, columns=(ID, replace(TOTAL, name="sum")))),
        "changed", [["public.orders", ["total is gone", "sum is new (numeric(12,2))"]]],
    ),
    (
        (LINES, replace(ORDERS, columns=(ID, replace(TOTAL, type="text", nullable=False)))),
        "changed", [["public.orders", ["total was numeric(12,2), is text", "total may no longer be NULL"]]],
    ),
    ((LINES, replace(ORDERS, kind="view")), "changed", [["public.orders", ["was a table, is a view"]]]),
    ((LINES, replace(ORDERS, primary_key=())), "changed", [["public.orders", ["has no primary key any more"]]]),
    ((LINES, replace(ORDERS, comment="")), "changed", [["public.orders", ["another comment"]]]),
    ((replace(LINES, foreign_keys=()), ORDERS), "changed", [["public.lines", ["other references"]]]),
    ((LINES, replace(ORDERS, columns=(TOTAL, ID))), "changed", [["public.orders", ["columns in another order"]]]),
]  # fmt: skip


@pytest.fixture
def stored(cast: Cast) -> Cast:
    cast.shop.kind = "postgresql"
    cast.shop.save()
    snapshots.keep(cast.shop, SHOP)
    return cast


def test_a_stored_catalogue_is_read_back_as_it_was(stored: Cast) -> None:
    assert selectors.catalogue_of(stored.shop) == SHOP
    assert selectors.largest_tables(stored.shop, 1) == replace(SHOP, tables=(ORDERS,))


@pytest.mark.parametrize(("tables", "kind", "words"), CHANGES)
def test_a_refresh_says_what_changed(
    stored: Cast, tables: tuple[Table, ...], kind: str, words: list[object]
) -> None:
    after = replace(SHOP, tables=tables)
    snapshot = snapshots.keep(stored.shop, after)
    expected = {"added": [], "removed": [], "changed": [], kind: words}
    assert snapshot.changes == {"counts": {name: len(found) for name, found in expected.items()}, **expected}
    assert snapshot.changed_at == snapshot.taken_at
    assert selectors.catalogue_of(stored.shop) == after


def test_a_refresh_without_change_writes_only_estimates_and_keeps_the_last_change(stored: Cast) -> None:
    changed = snapshots.keep(stored.shop, replace(SHOP, tables=(ORDERS,)))
    rows = set(CatalogueTable.objects.values_list("pk", flat=True))
    grown = replace(SHOP, tables=(replace(ORDERS, row_estimate=99),), warnings=(), server_version="17.2")
    again = snapshots.keep(stored.shop, grown)
    assert set(CatalogueTable.objects.values_list("pk", flat=True)) == rows
    assert (again.changes, again.changed_at) == (changed.changes, changed.changed_at)
    assert selectors.catalogue_of(stored.shop) == grown


def test_a_replaced_schema_is_counted_in_full_and_named_in_part() -> None:
    many = tuple(Table(f"t{number}") for number in range(5_000))
    found = difference(Catalogue("sqlite", ()), Catalogue("sqlite", many))
    assert found == Difference(tuple(table.name for table in many), (), ())
    assert found.to_json()["counts"]["added"] == 5_000
    assert len(found.to_json()["added"]) == 100


def test_a_failed_refresh_is_remembered_with_its_reason(stored: Cast) -> None:
    snapshots.asked(stored.shop, stored.ada)
    snapshots.failed(stored.shop, ConnectionFailedError("There is no host named db."))
    refresh = CatalogueRefresh.objects.get()
    assert (refresh.state, refresh.text, refresh.asked_by) == ("failed", "There is no host named db.", stored.ada)
    assert selectors.catalogue_of(stored.shop) == SHOP


def test_names_that_our_own_database_would_refuse_are_kept_readable(cast: Cast) -> None:
    snapshots.keep(cast.shop, Catalogue("sqlite", (Table("a\x00b", columns=(Column("\ud800", "text"),)),)))
    kept = selectors.catalogue_of(cast.shop)
    assert kept is not None
    assert kept.tables[0].columns[0].name == "\ufffd"
