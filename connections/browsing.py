"""Finding one's way through a stored catalogue: search, pages, one table. Each page reads only what it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, Q, QuerySet, Value, When

from connections.catalogue import Column, Table
from connections.models import CatalogueSnapshot, CatalogueTable, Kind
from connections.selectors import table_of

PAGE = 50
COLUMNS = 100
FIRST_ROWS = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the address of the page asks for. `table` is a qualified name; pages are digits, and kept in range."""

    search: str = ""
    schema: str = ""
    table: str = ""
    page: str = ""
    column: str = ""
    column_page: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table of the list; `before`, `match`, `after` are its name cut where the search matched."""

    row: CatalogueTable
    before: str
    match: str
    after: str

    @property
    def qualified(self) -> str:
        return str(self.row)

    @property
    def size(self) -> str:
        if self.row.row_estimate is not None:
            return f"{self.row.row_estimate:,}"
        return "" if self.row.kind == "table" else self.row.kind


@dataclass(frozen=True, slots=True)
class ShownColumn:
    column: Column
    key: str
    target: str
    note: str


@dataclass(frozen=True, slots=True)
class Detail:
    """One table. `matching` of its columns fit the filter, `columns` are those of this page.

    `about` is the column whose note is being written, "" for the table's own; `about_note` is that note.
    `first_rows` is the statement that shows a few of its rows.
    """

    table: Table
    note: str
    about: str
    about_note: str
    columns: Sequence[ShownColumn]
    matching: int
    page: int
    pages: int
    first_rows: str


@dataclass(frozen=True, slots=True)
class Listing:
    wanted: Wanted
    schemas: Sequence[str]
    total: int
    matching: int
    column_matches: int
    tables: Sequence[FoundTable]
    page: int
    pages: int
    detail: Detail | None


def browse(snapshot: CatalogueSnapshot, notes: Mapping[str, str], wanted: Wanted) -> Listing:
    """What the schema page shows. Tables whose name matches come before those that match by a column only."""
    word = wanted.search.strip().casefold()
    inside = snapshot.tables.filter(schema=wanted.schema) if wanted.schema else snapshot.tables.all()
    by_name, by_column = Q(qualified__contains=word), Q(words__contains=word)
    found = inside.filter(by_name | by_column) if word else inside
    counted = found.aggregate(all=Count("pk"), named=Count("pk", filter=by_name))
    page, pages = _page(wanted.page, counted["all"], PAGE)
    listed = _listed(found, by_name)[(page - 1) * PAGE : page * PAGE]
    shown = [_found(row, word) for row in listed]
    return Listing(
        wanted=wanted, schemas=_schemas(snapshot), total=snapshot.table_count, matching=counted["all"],
        column_matches=counted["all"] - counted["named"], tables=shown, page=page, pages=pages,
        detail=_detail(snapshot, _chosen(snapshot, wanted.table, shown), notes, wanted),
    )  # fmt: skip


def _listed(found: QuerySet[CatalogueTable], by_name: Q) -> QuerySet[CatalogueTable]:
    rank = Case(When(by_name, then=Value(0)), default=Value(1))
    return found.defer("data", "words", "qualified").order_by(rank, "position")


def _schemas(snapshot: CatalogueSnapshot) -> list[str]:
    return list(snapshot.tables.exclude(schema="").order_by("schema").values_list("schema", flat=True).distinct())


def _page(asked: str, count: int, size: int) -> tuple[int, int]:
    """The page that is meant, and how many there are."""
    pages = max(-(-count // size), 1)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 1
    return min(max(number, 1), pages), pages


def _found(row: CatalogueTable, word: str) -> FoundTable:
    at = row.name.casefold().find(word) if word else -1
    if at < 0:
        return FoundTable(row, row.name, "", "")
    return FoundTable(row, row.name[:at], row.name[at : at + len(word)], row.name[at + len(word) :])


def _chosen(snapshot: CatalogueSnapshot, qualified: str, shown: Sequence[FoundTable]) -> CatalogueTable | None:
    """The table of that name, else the first of the list."""
    rows = snapshot.tables.filter(qualified=qualified.casefold()) if qualified else ()
    exact = next((row for row in rows if str(row) == qualified), None)
    if exact or not shown:
        return exact
    return snapshot.tables.get(pk=shown[0].row.pk)


def _detail(
    snapshot: CatalogueSnapshot, row: CatalogueTable | None, notes: Mapping[str, str], wanted: Wanted
) -> Detail | None:
    if row is None:
        return None
    table, word = table_of(row), wanted.column.strip().casefold()
    matching = [column for column in table.columns if word in column.name.casefold()]
    page, pages = _page(wanted.column_page, len(matching), COLUMNS)
    columns = list(_columns(table, matching[(page - 1) * COLUMNS : page * COLUMNS], notes))
    about = wanted.about if wanted.about in table.by_name else ""
    return Detail(
        table, _note(notes, table), about, _note(notes, table, about), columns, len(matching), page, pages,
        _first_rows(table, "`" if snapshot.connection.kind == Kind.MYSQL else '"'),
    )  # fmt: skip


def _first_rows(table: Table, mark: str) -> str:
    names = [f"{mark}{name.replace(mark, mark * 2)}{mark}" for name in (table.schema, table.name) if name]
    return f"SELECT * FROM {'.'.join(names)} LIMIT {FIRST_ROWS}"


def _note(notes: Mapping[str, str], table: Table, column: str = "") -> str:
    """Notes are kept under the bare or the qualified name of their table."""
    end = f".{column}" if column else ""
    return notes.get(f"{table.qualified}{end}") or notes.get(f"{table.name}{end}") or ""


def _columns(table: Table, columns: Sequence[Column], notes: Mapping[str, str]) -> Iterator[ShownColumn]:
    references = {name: key for key in table.foreign_keys for name in key.columns}
    for column in columns:
        key, target = "", ""
        if column.name in table.primary_key:
            key = "Primary key"
        if column.name in references:
            reference = references[column.name]
            names = dict(zip(reference.columns, reference.target_columns, strict=True))
            schema = f"{reference.target_schema}." if reference.target_schema else ""
            target = f"{schema}{reference.target_table}"
            key = f"{f'{key}, refers' if key else 'Refers'} to {reference.target_table}.{names[column.name]}"
        yield ShownColumn(column, key, target, _note(notes, table, column.name) or column.comment)
