"""What to tell a model whose SQL names a column where it is not: where the column really is, and how to join to it.

Hints only: they come beside a typed error, never instead of one, and a statement that cannot be read has none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agents.dsl.names import nearest, quoted
from connections.catalogue import Catalogue, Table

MOST_HINTS = 3
LONGEST_PATH = 3  # joins
SQLGLOT_DIALECTS = {"postgresql": "postgres"}

Edge = tuple[Table, str]  # the table that is joined, the condition


def column_hints(sql: str, catalogue: Catalogue, *, similar: bool = True) -> list[str]:
    """One sentence for each column that `sql` looks for in the wrong place, at most three; with `similar` also for a
    column that is nowhere, with the names that look like it."""
    try:
        tree = _parsed(sql, catalogue)
    except SqlglotError:
        return []
    used = _used_tables(tree, catalogue)
    if not used:
        return []
    hints = (_hint(name, holder, used, catalogue, similar) for name, holder in _misplaced(tree, used))
    return [hint for hint in dict.fromkeys(hints) if hint][:MOST_HINTS]


def requalified(sql: str, catalogue: Catalogue) -> tuple[str, list[str]]:
    """`sql` with the alias before a column corrected where the table behind it has no such column and exactly one other
    table of the same FROM has; and what was read differently. The rest of the text stays as it was written."""
    try:
        tree = _parsed(sql, catalogue)
    except SqlglotError:
        return sql, []
    places: list[tuple[int, int, str]] = []
    notes: list[str] = []
    for column in tree.find_all(exp.Column):
        qualifier = column.args.get("table")
        right = _only_other(column, catalogue)
        if right is None or qualifier is None or "start" not in qualifier.meta:
            continue
        places.append((qualifier.meta["start"], qualifier.meta["end"] + 1, right))
        notes.append(f"read {column.table}.{column.name} as {right}.{column.name}")
    for start, end, right in sorted(places, reverse=True):
        sql = sql[:start] + right + sql[end:]
    return sql, list(dict.fromkeys(notes))


def _only_other(column: exp.Column, catalogue: Catalogue) -> str | None:
    """The one other alias beside the column's own whose table has the column that its own lacks, as SQL spells it."""
    select = column.find_ancestor(exp.Select)
    if select is None or not column.table:
        return None
    sources = [node for node in select.find_all(exp.Table) if node.find_ancestor(exp.Select) is select]
    tables = {node.alias_or_name.casefold(): (node, _table(node, catalogue)) for node in sources}
    _, own = tables.get(column.table.casefold(), (None, None))
    if own is None or _has(own, column.name):
        return None
    having = [node for node, table in tables.values() if table is not None and _has(table, column.name)]
    if len(having) != 1:
        return None
    alias = having[0].args.get("alias")
    identifier = alias.this if alias is not None else having[0].this
    return str(identifier.sql(dialect=_dialect(catalogue)))


def join_path(start: Iterable[Table], target: Table, catalogue: Catalogue) -> list[Edge] | None:
    """The fewest foreign-key joins that lead from any of `start` to `target`; None when there are none."""
    edges = _edges(catalogue)
    waiting: deque[tuple[str, list[Edge]]] = deque((table.qualified, []) for table in start)
    seen = {name for name, _ in waiting}
    while waiting:
        here, path = waiting.popleft()
        if here == target.qualified:
            return path
        for edge in edges.get(here, ()):
            name = edge[0].qualified
            if name not in seen and len(path) < LONGEST_PATH:
                seen.add(name)
                waiting.append((name, [*path, edge]))
    return None


def _used_tables(tree: exp.Expr, catalogue: Catalogue) -> Mapping[str, Table]:
    """The catalogue's tables in the statement, by the alias or name that they go by."""
    own = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    used: dict[str, Table] = {}
    for node in tree.find_all(exp.Table):
        table = _table(node, catalogue)
        if table is not None and node.name.casefold() not in own:
            used[node.alias_or_name] = table
    return used


def _table(node: exp.Table, catalogue: Catalogue) -> Table | None:
    found = catalogue.find(f"{node.db}.{node.name}" if node.db else node.name)
    return found[0] if len(found) == 1 else None


def _parsed(sql: str, catalogue: Catalogue) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect=_dialect(catalogue))


def _dialect(catalogue: Catalogue) -> str:
    return SQLGLOT_DIALECTS.get(catalogue.dialect, catalogue.dialect)


def _misplaced(tree: exp.Expr, used: Mapping[str, Table]) -> Iterator[tuple[str, Table | None]]:
    """Columns that are not where the statement looks for them: the name, and the table where it looked."""
    derived = {alias.alias.casefold() for alias in tree.find_all(exp.Alias)}
    by_alias = {alias.casefold(): table for alias, table in used.items()}
    for column in tree.find_all(exp.Column):
        holder = by_alias.get(column.table.casefold()) if column.table else None
        if column.table and holder is None:
            continue
        places = [holder] if holder else list(used.values())
        if column.name.casefold() not in derived and not any(_has(table, column.name) for table in places):
            yield column.name, holder


def _hint(name: str, holder: Table | None, used: Mapping[str, Table], catalogue: Catalogue, similar: bool) -> str:
    for alias, table in used.items():
        if table is not holder and _has(table, name):
            here = "" if alias.casefold() == table.name.casefold() else f" (here {alias})"
            return f"{quoted(name)} is a column of {quoted(table.name)}{here}."
    owners = [table for table in catalogue.tables if _has(table, name)]
    if not owners:
        return _similar(name, used.values(), catalogue) if similar else ""
    paths = [(path, table) for table in owners if (path := join_path(used.values(), table, catalogue)) is not None]
    if not paths:
        return f"{quoted(name)} is a column of {', '.join(quoted(table.qualified) for table in owners[:3])}."
    path, table = min(paths, key=lambda found: len(found[0]))
    joins = " ".join(f"JOIN {quoted(joined.name)} ON {condition}" for joined, condition in path)
    return f"{quoted(name)} is a column of {quoted(table.qualified)}. To reach it: {joins}."


def _similar(name: str, used: Iterable[Table], catalogue: Catalogue) -> str:
    """The columns whose names look alike, those of the tables in use first."""
    tables = [*used, *catalogue.tables]
    places: dict[str, str] = {}
    for table in tables:
        for column in table.columns:
            places.setdefault(column.name.casefold(), f"{quoted(table.name)}.{quoted(column.name)}")
    near = nearest(name.casefold(), places)
    return f"No table has a column {quoted(name)}. Near: {', '.join(places[key] for key in near)}." if near else ""


def _has(table: Table, name: str) -> bool:
    return any(column.name.casefold() == name.casefold() for column in table.columns)


def _edges(catalogue: Catalogue) -> Mapping[str, Sequence[Edge]]:
    """Foreign keys as joins, usable in both directions."""
    edges: dict[str, list[Edge]] = {}
    for table in catalogue.tables:
        for key in table.foreign_keys:
            for target in catalogue.find(key.target)[:1]:
                condition = " AND ".join(
                    f"{quoted(table.name)}.{quoted(a)} = {quoted(target.name)}.{quoted(b)}"
                    for a, b in zip(key.columns, key.target_columns, strict=True)
                )
                edges.setdefault(table.qualified, []).append((target, condition))
                edges.setdefault(target.qualified, []).append((table, condition))
    return edges
