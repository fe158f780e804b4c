"""Finding one's way through a catalogue: search, pages, one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connections.catalogue import Catalogue, Column, Table

PAGE = 50


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of the list; `before`, `match`, `after` are its name cut where the search matched."""

    table: Table
    before: str
    match: str
    after: str

    @property
    def size(self) -> str:
        if self.table.row_estimate is not None:
            return f"{self.table.row_estimate:,}"
        return "" if self.table.kind == "table" else self.table.kind


@dataclass(frozen=True, slots=True)
class ShownColumn:
    column: Column
    key: str
    target: str
    note: str


@dataclass(frozen=True, slots=True)
class Listing:
    search: str
    schema: str
    schemas: Sequence[str]
    total: int
    matching: int
    tables: Sequence[FoundTable]
    page: int
    pages: int
    column_matches: int
    chosen: Table | None
    columns: Sequence[ShownColumn]
    note: str


def browse(catalogue: Catalogue, *, search: str = "", schema: str = "", table: str = "", page: str = "") -> Listing:
    """What the schema page shows. `table` is the qualified name of the chosen one; unknown ones choose the first."""
    search = search.strip()
    inside = [one for one in catalogue.tables if not schema or (one.schema or "") == schema]
    by_name = [one for one in inside if search.casefold() in one.qualified.casefold()]
    by_column = [one for one in inside if one not in by_name and _has_column(one, search)] if search else []
    found = [*by_name, *by_column]
    pages = max(-(-len(found) // PAGE), 1)
    number = min(max(int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1, 1), pages)
    shown = found[(number - 1) * PAGE : number * PAGE]
    chosen = next((one for one in catalogue.tables if one.qualified == table), None) or next(iter(shown), None)
    return Listing(
        search=search, schema=schema, schemas=sorted({one.schema for one in catalogue.tables if one.schema}),
        total=len(catalogue.tables), matching=len(found), tables=[_found(one, search) for one in shown], page=number,
        pages=pages, column_matches=len(by_column), chosen=chosen,
        columns=list(_columns(catalogue, chosen)) if chosen else [], note=_note(catalogue, chosen),
    )  # fmt: skip


def _has_column(table: Table, search: str) -> bool:
    return any(search.casefold() in column.name.casefold() for column in table.columns)


def _found(table: Table, search: str) -> FoundTable:
    at = table.name.casefold().find(search.casefold()) if search else -1
    if at < 0:
        return FoundTable(table, table.name, "", "")
    return FoundTable(table, table.name[:at], table.name[at : at + len(search)], table.name[at + len(search) :])


def _note(catalogue: Catalogue, table: Table | None) -> str:
    if table is None:
        return ""
    return catalogue.notes.get(table.qualified) or catalogue.notes.get(table.name) or ""


def _columns(catalogue: Catalogue, table: Table) -> Iterator[ShownColumn]:
    references = {name: key for key in table.foreign_keys for name in key.columns}
    for column in table.columns:
        key, target = "", ""
        if column.name in table.primary_key:
            key = "Primary key"
        if column.name in references:
            reference = references[column.name]
            names = dict(zip(reference.columns, reference.target_columns, strict=True))
            schema = f"{reference.target_schema}." if reference.target_schema else ""
            target = f"{schema}{reference.target_table}"
            key = f"{f'{key}, refers' if key else 'Refers'} to {reference.target_table}.{names[column.name]}"
        note = catalogue.notes.get(f"{table.qualified}.{column.name}") or catalogue.notes.get(
            f"{table.name}.{column.name}"
        )
        yield ShownColumn(column, key, target, note or column.comment)
