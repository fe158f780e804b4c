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
        tree = sqlglot.parse_one(sql, dialect=SQLGLOT_DIALECTS.get(catalogue.dialect, catalogue.dialect))
    except SqlglotError:
        return []
    used = _used_tables(tree, catalogue)
    if not used:
        return []
    hints = (_hint(name, holder, used, catalogue, similar) for name, holder in _misplaced(tree, used))
    return [hint for hint in dict.fromkeys(hints) if hint][:MOST_HINTS]


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
    """The catalogue's tables in the statement, by the alias or name that they go by, lower case."""
    own = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    used: dict[str, Table] = {}
    for node in tree.find_all(exp.Table):
        found = catalogue.find(f"{node.db}.{node.name}" if node.db else node.name)
        if len(found) == 1 and node.name.casefold() not in own:
            used[node.alias_or_name.casefold()] = found[0]
    return used


def _misplaced(tree: exp.Expr, used: Mapping[str, Table]) -> Iterator[tuple[str, Table | None]]:
    """Columns that are not where the statement looks for them: the name, and the table where it looked."""
    derived = {alias.alias.casefold() for alias in tree.find_all(exp.Alias)}
    for column in tree.find_all(exp.Column):
        holder = used.get(column.table.casefold()) if column.table else None
        if column.table and holder is None:
            continue
        places = [holder] if holder else list(used.values())
        if column.name.casefold() not in derived and not any(_has(table, column.name) for table in places):
            yield column.name, holder


def _hint(name: str, holder: Table | None, used: Mapping[str, Table], catalogue: Catalogue, similar: bool) -> str:
    for alias, table in used.items():
        if table is not holder and _has(table, name):
            shown = quoted(table.name) if alias == table.name.casefold() else f"{quoted(table.name)} (here {alias})"
            return f"{quoted(name)} is a column of {shown}."
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
            wanted = f"{key.target_schema}.{key.target_table}" if key.target_schema else key.target_table
            for target in catalogue.find(wanted)[:1]:
                condition = " AND ".join(
                    f"{quoted(table.name)}.{quoted(a)} = {quoted(target.name)}.{quoted(b)}"
                    for a, b in zip(key.columns, key.target_columns, strict=True)
                )
                edges.setdefault(table.qualified, []).append((target, condition))
                edges.setdefault(target.qualified, []).append((table, condition))
    return edges
