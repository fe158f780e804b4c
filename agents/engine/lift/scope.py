"""Which column a word of SQL means: the name rules of one SELECT and of those around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sqlglot import exp

from agents.dsl.names import listed, nearest_hint, quoted
from agents.engine.lift.calls import is_aggregate
from agents.engine.lift.naming import numbered_name
from agents.engine.lift.query import Node, Source, column, enclosed
from agents.errors import UnknownColumnError
from connections.catalogue import DialectName, Table

T = TypeVar("T")

_ROW_IDS = frozenset({"rowid", "_rowid_", "oid"})


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that a bare word or a star may mean; `node` is more than a column where FULL JOIN USING merges two."""

    name: str
    node: Node
    source: Source


@dataclass
class Scope:
    """The columns in sight inside one SELECT; `outer` is the SELECT around it.

    `aliases` are the items of its SELECT list, which a word means where no column of FROM has that name; with `near`
    before the columns of the SELECTs around, else behind them. `first` are those that come before FROM, too.
    """

    dialect: DialectName
    outer: Scope | None = None
    visible: list[Visible] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, Node] = field(default_factory=dict)
    near: bool = True
    first: Mapping[str, Node] = field(default_factory=dict)

    def find(self, word: exp.Column) -> Node | None:
        """The column that `word` means here or in a SELECT around, or None. Raises UnknownColumnError for two."""
        if (meant := _named(self.first, word, self.dialect)) is not None and not self._is_aggregated(word):
            return meant
        for scope in self._chain():
            found = scope._here(word)
            if found is None and scope.near:
                found = _named(scope.aliases, word, self.dialect)
            if found is not None:
                return found
        aliased = (_named(scope.aliases, word, self.dialect) for scope in self._chain())
        return next((found for found in aliased if found is not None), None)

    def of_having(self, groups: Sequence[Node]) -> Scope:
        """The scope of HAVING: in MySQL and DuckDB a word is a group key, else an alias, else a column of FROM."""
        if self.dialect not in ("mysql", "duckdb"):
            return self
        keys = {v.name.casefold() for v in self.visible if v.node in groups}
        return replace(self, first={name: node for name, node in self.aliases.items() if name.casefold() not in keys})

    def _chain(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def _is_aggregated(self, word: exp.Column) -> bool:
        node = word.parent
        while node is not None and not is_aggregate(node, self.dialect):
            node = node.parent
        return node is not None

    def _here(self, word: exp.Column) -> Node | None:
        identifier = word.this
        if word.table:
            for source in same_name(self.sources, lambda s: s.label, word.args["table"], self.dialect):
                name = _column_of(source, identifier, self.dialect)
                if name is not None:
                    return column(source.id, name)
            return None
        found = same_name(self.visible, lambda v: v.name, identifier, self.dialect)
        if len(found) > 1 and len({v.source.id for v in found}) > 1:
            owners = listed(v.source.label for v in found)
            raise UnknownColumnError(f"The column {quoted(word.name)} is ambiguous: {owners} all have it.")
        if found:
            return found[0].node.copy()
        return self._row_id(identifier)

    def _row_id(self, identifier: exp.Identifier) -> Node | None:
        if len(self.sources) != 1:
            return None
        name = _column_of(self.sources[0], identifier, self.dialect)
        return column(self.sources[0].id, name) if name else None

    def unknown(self, word: exp.Column) -> UnknownColumnError:
        """The error for a word that means nothing here."""
        labels = [source.label for source in self.sources]
        owners = same_name(self.sources, lambda s: s.label, word.args["table"], self.dialect) if word.table else []
        if word.table and not owners:
            problem = f"There is no table or alias {quoted(word.table)} for {quoted(word.name)}."
            return UnknownColumnError(f"{problem}{nearest_hint(word.table, labels)} Available: {listed(labels)}.")
        names = owners[0].columns if owners else [v.name for v in self.visible]
        where = f" in {quoted(owners[0].label)}" if owners else ""
        elsewhere = [s.label for s in self.sources if same_name(s.columns, str, word.this, self.dialect)]
        hint = f" It is a column of {listed(elsewhere)}." if elsewhere else nearest_hint(word.name, names)
        return UnknownColumnError(f"There is no column {quoted(word.name)}{where}.{hint} Available: {listed(names)}.")


def given_name(identifier: exp.Identifier, dialect: DialectName) -> str:
    """The name that `identifier` gives or means: PostgreSQL keeps capital letters only within quotes."""
    if dialect != "postgresql" or identifier.args.get("quoted"):
        return identifier.name
    return "".join(c.lower() if c.isascii() else c for c in identifier.name)


def _named(aliases: Mapping[str, Node], word: exp.Column, dialect: DialectName) -> Node | None:
    found = same_name(list(aliases), str, word.this, dialect) if aliases and not word.table else []
    return enclosed(aliases[found[0]]) if found else None


def same_name(
    items: Sequence[T], name_of: Callable[[T], str], wanted: exp.Identifier | str, dialect: DialectName
) -> list[T]:
    """The items that `wanted` names: exactly spelled ones, else those that differ in letter case only."""
    text = wanted if isinstance(wanted, str) else given_name(wanted, dialect)
    exact = [item for item in items if name_of(item) == text]
    return exact or [item for item in items if name_of(item).casefold() == text.casefold()]


def _column_of(source: Source, identifier: exp.Identifier, dialect: DialectName) -> str | None:
    found = same_name(source.columns, str, identifier, dialect)
    if found:
        return found[0]
    if dialect == "sqlite" and isinstance(source.origin, Table) and identifier.name.casefold() in _ROW_IDS:
        return _row_id_column(source.origin)
    return None


def _row_id_column(table: Table) -> str | None:
    """SQLite's rowid is the column declared INTEGER PRIMARY KEY, where there is one."""
    keys = [c.name for c in table.columns if c.name in table.primary_key and c.type.upper() == "INTEGER"]
    return keys[0] if len(keys) == len(table.primary_key) == 1 else None


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names with a number behind those that occurred before, letter case aside."""
    taken: set[str] = set()
    unique: list[str] = []
    for wanted in names:
        name, number = wanted, 1
        while name.casefold() in taken:
            number += 1
            name = numbered_name(wanted, number)
        taken.add(name.casefold())
        unique.append(name)
    return tuple(unique)
