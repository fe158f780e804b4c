"""Writing the program down: one method an operation, each returning what is then known of the relation.

Expressions come as trees whose columns are logical names, and go out as SQL text in the connection's dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from agents.dsl.expressions.infer import infer
from agents.dsl.expressions.null_tests import presence_tested
from agents.dsl.names import quoted
from agents.dsl.relation import RelColumn
from agents.dsl.type_rules import aggregated, is_comparable, meets_one
from agents.engine.dialects import DIALECTS
from agents.engine.lift.naming import Handles, joined_label, joined_names
from agents.engine.lift.query import Node, all_of, conjuncts
from agents.engine.lift.relation import Dependency, Field, Relation, relation_of
from agents.engine.lift.text import text_of
from agents.errors import TypeMismatchError, UnknownTableError
from connections.catalogue import Catalogue, DialectName, SemanticType, Table

Call = dict[str, Any]
_MOST_KEYS = 8
_NEVER_NULL = frozenset({"count", "count_distinct"})
_WHOLE = frozenset({"count", "count_distinct", "row_number", "rank", "dense_rank", "ntile"})
_KEEPS = frozenset({"min", "max", "any_value", "lag", "lead", "first_value", "last_value"})


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One item of `aggs`. `arguments` are further keys of it, such as a separator."""

    fn: str
    column: str
    name: str
    distinct: bool = False
    filter: Node | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Program:
    """The calls so far."""

    catalogue: Catalogue
    dialect: DialectName
    calls: list[Call] = field(default_factory=list)
    handles: Handles = field(default_factory=Handles)
    _named: set[str] = field(default_factory=set)

    def text(self, node: Node) -> str:
        return text_of(node, self.dialect)

    def type_of(self, relation: Relation, expression: Node) -> SemanticType:
        """The type of an expression over `relation`, as the operations infer it."""
        try:
            return infer(expression, relation.by_name, self.dialect)[0]
        except TypeMismatchError:
            return "unknown"

    def table(self, table: Table, alias: str = "") -> Relation:
        """`table_ref`. With `alias`, a copy of its own, so that a table can meet itself in a join."""
        names = (name for name in (table.name, table.qualified) if self.catalogue.find(name) == (table,))
        name = next(names, None)
        if name is None:
            raise UnknownTableError(f"{quoted(table.qualified)} is also the name of another table.")
        handle = self._call("table_ref", {"table": name}, f"{table.name}_{alias}" if alias else table.name)
        return relation_of(table, handle, self.dialect)

    def select(self, relation: Relation, columns: Sequence[tuple[str, str]], wanted: str = "") -> Relation:
        """`select_columns` with (column, new name) pairs; nothing is written when that changes nothing."""
        if tuple(columns) == tuple((name, name) for name in relation.names):
            return relation
        items = [old if old == new else {"column": old, "as": new} for old, new in columns]
        arguments = {"rel": relation.handle, "columns": items}
        handle = self._call("select_columns", arguments, wanted or f"{relation.label}_columns")
        return replace(_projected(relation, columns), handle=handle)

    def distinct(self, relation: Relation) -> Relation:
        """`distinct`; nothing is written when the rows differ anyway."""
        if relation.is_unique(relation.names):
            return relation
        handle = self._call("distinct", {"rel": relation.handle}, f"{relation.label}_distinct")
        return replace(relation, handle=handle, keys=frozenset({frozenset(relation.names)}), ordered=False)

    def filter(self, relation: Relation, predicate: Node, wanted: str = "") -> Relation:
        arguments = {"rel": relation.handle, "predicate": self.text(predicate.unnest())}
        handle = self._call("filter_expr", arguments, wanted or f"{relation.label}_filtered")
        fields = _without_null(relation.fields, {name for part in conjuncts(predicate) for name in _rejected(part)})
        return replace(relation, handle=handle, fields=fields, never_empty=False)

    def join(
        self, left: Relation, right: Relation, how: str, on: Sequence[tuple[str, str]], condition: Node | None = None
    ) -> Relation:
        """`join_table`. `condition` reads the output's names, which `joined_names` foretells."""
        arguments: Call = {"left": left.handle, "right": right.handle, "how": how}
        names = self.joined_names(left, right)
        odd = [(a, b) for a, b in on if self._is_odd(left.by_name[a].semantic, right.by_name[b].semantic)]
        if how != "cross":
            arguments["on"] = [list(pair) for pair in on if pair not in odd]
        parts = [exp.EQ(this=logical(a), expression=logical(names[b])) for a, b in odd]
        if condition is not None or parts:
            arguments["condition"] = self.text(all_of([*([condition] if condition is not None else []), *parts]))
        label = joined_label(left.label, right.label)
        handle = self._call("join_table", arguments, label if label != left.label else f"{label}_joined")
        pairs = [(a, names[b]) for a, b in on]
        return _joined(left, right.renamed(names), how, pairs, condition is None, handle, label)

    def _is_odd(self, one: SemanticType, other: SemanticType) -> bool:
        """Whether `on` refuses to compare these types, though an expression may: years in a DATE column of SQLite."""
        return self.dialect in ("sqlite", "mysql") and not is_comparable(one, other, self.dialect)

    def joined_names(self, left: Relation, right: Relation) -> dict[str, str]:
        """The names that the columns of `right` have after the two are joined."""
        return joined_names(left.names, right.handle, right.names, DIALECTS[self.dialect].name_limit)

    def aggregate(
        self, relation: Relation, group_by: Sequence[str], aggregates: Sequence[Aggregate], wanted: str = ""
    ) -> Relation:
        items = [self._aggregate(item) for item in aggregates]
        suffix = f"by_{group_by[0]}" if len(group_by) == 1 else "grouped" if group_by else "total"
        arguments = {"rel": relation.handle, "group_by": list(group_by), "aggs": items}
        handle = self._call("aggregate", arguments, wanted or f"{relation.label}_{suffix}")
        fields = [relation.by_name[name] for name in group_by]
        fields += [Field(a.name, self._type(a.fn, a.column, relation), a.fn not in _NEVER_NULL) for a in aggregates]
        determined = [
            Dependency(rule.given, rule.then & set(group_by))
            for rule in relation.dependencies
            if rule.given <= set(group_by)
        ]
        keys = frozenset({frozenset(group_by)})
        return Relation(handle, relation.label, tuple(fields), keys, tuple(determined), never_empty=not group_by)

    def derive(self, relation: Relation, name: str, expression: Node) -> Relation:
        arguments = {"rel": relation.handle, "name": name, "expr": self.text(expression)}
        handle = self._call("derive_column", arguments, f"{relation.label}_with_{name}")
        return relation.with_field(Field(name, self.type_of(relation, expression)), handle)

    def window(self, relation: Relation, name: str, fn: str, arguments: Mapping[str, Any]) -> Relation:
        """`window_column`; `arguments` as the operation takes them."""
        call = {"rel": relation.handle, "name": name, "fn": fn, **arguments}
        handle = self._call("window_column", call, f"{relation.label}_with_{name}")
        semantic = self._type(fn, str(arguments.get("column")), relation)
        made = relation.with_field(Field(name, semantic, fn not in _WHOLE), handle)
        if fn == "row_number":
            key = frozenset({name, *arguments.get("partition_by", ())})
            return replace(made, keys=made.keys | {key})
        return made

    def order(self, relation: Relation, keys: Sequence[Sequence[str]]) -> Relation:
        arguments = {"rel": relation.handle, "keys": [list(key) for key in keys]}
        return replace(relation, handle=self._call("order_by", arguments, f"{relation.label}_sorted"), ordered=True)

    def limit(self, relation: Relation, n: int, offset: int = 0) -> Relation:
        arguments: Call = {"rel": relation.handle, "n": n}
        if offset:
            arguments["offset"] = offset
        handle = self._call("limit", arguments, f"{relation.label}_first" if n != 1 else f"{relation.label}_one")
        keys = relation.keys | {frozenset()} if n <= 1 else relation.keys
        return replace(relation, handle=handle, keys=keys, never_empty=relation.never_empty and n > 0 and not offset)

    def set_operation(self, left: Relation, right: Relation, kind: str, wanted: str) -> Relation:
        handle = self._call("set_operation", {"left": left.handle, "right": right.handle, "kind": kind}, wanted)
        fields = tuple(
            Field(a.name, a.semantic if a.semantic == b.semantic else "unknown", a.nullable or b.nullable, a.collation)
            for a, b in zip(left.fields, right.fields, strict=True)
        )
        keys = frozenset() if kind == "union_all" else frozenset({frozenset(left.names)})
        return Relation(handle, left.label, fields, keys, never_empty=kind.startswith("union") and left.never_empty)

    def execute(self, relation: Relation) -> None:
        self.calls.append({"op": "execute", "args": {"rel": relation.handle}})

    def rename(self, relation: Relation, wanted: str) -> Relation:
        """Call the newest relation `wanted`; one that something else was made of keeps its name."""
        newest = self.calls[-1] if self.calls else {}
        if newest.get("out") != relation.handle or newest["op"] == "table_ref" or relation.handle in self._named:
            return relation
        self.calls[-1]["out"] = self.handles.rename(relation.handle, wanted)
        self._named.add(self.calls[-1]["out"])
        return replace(relation, handle=self.calls[-1]["out"], label=wanted)

    def _type(self, fn: str, column: str, relation: Relation) -> SemanticType:
        """The type of an aggregate or a window over `column`."""
        if fn in _WHOLE:
            return "integer"
        semantic = relation.by_name[column].semantic if column in relation.by_name else "unknown"
        if fn in _KEEPS:
            return semantic
        if self.dialect == "duckdb" and fn in ("avg", "stddev", "variance"):
            return "float"
        return aggregated(fn, RelColumn(column, semantic=semantic), column).semantic

    def _aggregate(self, item: Aggregate) -> Call:
        call: Call = {"fn": item.fn, "column": item.column, "as": item.name}
        if item.distinct:
            call["distinct"] = True
        if item.filter is not None:
            call["filter"] = self.text(item.filter)
        return {**call, **item.arguments}

    def _call(self, op: str, arguments: Call, wanted: str) -> str:
        handle = self.handles.new(wanted)
        self.calls.append({"op": op, "args": arguments, "out": handle})
        return handle


def _rejected(part: Node) -> list[str]:
    """The columns that are never NULL where `part` is true."""
    if isinstance(known := presence_tested(part), exp.Column):
        return [known.name]
    if isinstance(part, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE | exp.Like | exp.Between):
        return [side.name for side in part.iter_expressions() if isinstance(side, exp.Column)]
    if isinstance(part, exp.In) and isinstance(part.this, exp.Column):
        return [part.this.name]  # of what is in the list, one that is not NULL suffices
    return []


def _without_null(fields: Sequence[Field], names: Iterable[str]) -> tuple[Field, ...]:
    known = set(names)
    return tuple(replace(f, nullable=False) if f.name in known else f for f in fields)


def _projected(relation: Relation, columns: Sequence[tuple[str, str]]) -> Relation:
    kept = dict(reversed(columns))
    known = frozenset(kept)
    rules = [Dependency(rule.given, rule.then & known) for rule in relation.dependencies if rule.given <= known]
    facts = replace(
        relation,
        fields=tuple(relation.by_name[name] for name in kept),
        keys=frozenset(key for key in relation.keys if key <= known),
        dependencies=tuple(rules),
    ).renamed(kept)
    fields = tuple(replace(relation.by_name[old], name=new) for old, new in columns)
    return replace(facts, fields=fields)


def _joined(
    left: Relation, right: Relation, how: str, on: Sequence[tuple[str, str]], pure: bool, handle: str, label: str
) -> Relation:
    """What holds after a join, `right` under its new names; `pure`: nothing but `on` decides."""
    same = [(a, b) for a, b in on if left.by_name[a].collation == right.by_name[b].collation]
    there = [(a, b) for a, b in same if meets_one(left.by_name[a].semantic, right.by_name[b].semantic)]
    back = [(a, b) for a, b in same if meets_one(right.by_name[b].semantic, left.by_name[a].semantic)]
    keys = {a | b for a in left.keys for b in right.keys}
    if right.is_unique(b for _, b in there):
        keys |= left.keys
    if how == "inner" and left.is_unique(a for a, _ in back):
        keys |= right.keys
    rules: list[Dependency] = [*left.dependencies, *_key_rules(left)]
    # A left join's padding is told from the right's own rows by a column that is NULL in no row that matches.
    present = {f.name for f in right.fields if not f.nullable} | {b for _, b in on}
    rules += [r for r in (*right.dependencies, *_key_rules(right)) if how != "left" or r.given & present]
    if how == "inner" or (how == "left" and pure and len(on) == 1):
        rules += [Dependency(frozenset({a}), frozenset({b})) for a, b in there]
    if how == "inner":
        rules += [Dependency(frozenset({b}), frozenset({a})) for a, b in back]
    fields = [*left.fields, *(replace(f, nullable=f.nullable or how == "left") for f in right.fields)]
    if how == "inner":
        fields = list(_without_null(fields, [name for pair in on for name in pair]))
    lasting = left.never_empty and (how == "left" or (how == "cross" and right.never_empty))
    return Relation(handle, label, tuple(fields), _smallest(keys), tuple(dict.fromkeys(rules)), never_empty=lasting)


def _smallest(keys: set[frozenset[str]]) -> frozenset[frozenset[str]]:
    """Those of `keys` that hold no other one, the shortest where there are many."""
    found: list[frozenset[str]] = []
    for key in sorted(keys, key=lambda one: (len(one), sorted(one))):
        if len(found) < _MOST_KEYS and not any(other <= key for other in found):
            found.append(key)
    return frozenset(found)


def _key_rules(relation: Relation) -> list[Dependency]:
    every = frozenset(relation.names)
    return [Dependency(key, every) for key in relation.keys]




def logical(name: str) -> exp.Column:
    """A reference to a logical column."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))
