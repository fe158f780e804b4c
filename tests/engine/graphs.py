"""Random programs: valid by construction, deterministic in what they return, over the tiny shop.

A limit only follows an order over all columns, so that which rows it takes is decided; averages and the like are never
computed with, as databases round them differently. Expressions are in the neutral spelling of `spelling.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests.engine.data import TABLES
from tests.engine.graph_expressions import (
    DATE,
    DECIMAL,
    EXACT,
    INT,
    KEYS,
    ROUNDED,
    TEXT,
    of,
    predicate,
    value,
)
from tests.engine.graph_windows import window_arguments
from tests.engine.reference import join_names

KINDS = {
    "customers": {"id": INT, "name": TEXT, "country": TEXT},
    "orders": {"id": INT, "customer": INT, "status": TEXT, "total": INT},
    "tags": {"order_id": INT, "tag": TEXT},
    "empty_log": {"id": INT, "note": TEXT},
    "visits": {"customer": INT, "day": DATE, "spent": DECIMAL, "page": TEXT},
}
# Handles may be spelled like tables, and columns like anything.
HANDLES = ("orders", "customers", "Select", "step one")
COLUMNS = ("c{}", "Total {}", "order{}", 'q"{}', "é.{}", "{}st")
MOST_ROWS, MOST_DIGITS, MOST_COLUMNS = 150, 9, 14
ONLY_NUMBERS = ("sum", "avg", "median", "stddev", "variance")
SAME_KIND = ("min", "max")


@dataclass(frozen=True)
class Made:
    """A relation of the program: its columns with their kinds, and bounds on its rows and on its values' digits."""

    kinds: dict[str, str]
    rows: int
    size: int
    total_order: bool = False

    def plus(self, name: str, kind: str, digits: int = 1) -> Made:
        return replace(self, kinds=self.kinds | {name: kind}, size=self.size + digits)


@dataclass
class Writer:
    """Writes one program, call by call, drawing every choice."""

    draw: Callable[[Any], Any]
    calls: list[dict[str, Any]] = field(default_factory=list)
    made: dict[str, Made] = field(default_factory=dict)
    names: int = 0

    def add(self, op: str, made: Made, **args: Any) -> None:
        """A third of the calls bind a handle anew."""
        rebound = self.made and self.draw(st.integers(0, 2)) == 0
        fresh = self.pick([f"h{len(self.calls)}"] * 4 + list(HANDLES))
        handle = self.pick(list(self.made)) if rebound else fresh
        self.calls.append({"op": op, "args": args, "out": handle})
        self.made.pop(handle, None)
        self.made[handle] = made

    def pick(self, options: list[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def some(self, options: list[str], least: int = 0, most: int = 3) -> list[str]:
        unique = st.lists(st.sampled_from(options), min_size=least, max_size=most, unique=True) if options else None
        return self.draw(unique) if unique is not None else []

    def new(self) -> str:
        self.names += 1
        name: str = self.pick([COLUMNS[0], *COLUMNS])
        return name.format(self.names)

    def relation(self) -> tuple[str, Made]:
        """Late handles are likelier, so that graphs grow deep."""
        handles = list(self.made)
        handle = handles[-1] if self.draw(st.booleans()) else self.pick(handles)
        return handle, self.made[handle]

    # ---- One method an operation -------------------------------------------------------------------------------------

    def table_ref(self, tables: Sequence[str] = tuple(KINDS)) -> None:
        table = self.pick(list(tables))
        self.add("table_ref", Made(dict(KINDS[table]), len(TABLES[table][1]), 3), table=table)

    def select_columns(self) -> None:
        """Now and then a column twice, under two names."""
        rel, made = self.relation()
        kept = self.some(list(made.kinds), 1, 4)
        if self.draw(st.integers(0, 5)) == 0:
            kept.append(self.pick(kept))
        items: list[Any] = []
        for name in kept:
            renamed = name in items or self.draw(st.integers(0, 3)) == 0
            items.append({"column": name, "as": self.new()} if renamed else name)
        names = [item if isinstance(item, str) else item["as"] for item in items]
        kinds = {name: made.kinds[old] for name, old in zip(names, kept, strict=True)}
        self.add("select_columns", replace(made, kinds=kinds), rel=rel, columns=items)

    def distinct(self) -> None:
        rel, made = self.relation()
        if not of(made.kinds, ROUNDED):
            self.add("distinct", replace(made, total_order=False), rel=rel)

    def filter_expr(self) -> None:
        rel, made = self.relation()
        if test := predicate(self.draw, made.kinds):
            self.add("filter_expr", made, rel=rel, predicate=test)

    def derive_column(self) -> None:
        rel, made = self.relation()
        expr, kind = value(self.draw, made.kinds)
        name = self.new()
        if made.size < MOST_DIGITS:
            self.add("derive_column", made.plus(name, kind), rel=rel, name=name, expr=expr)

    def join_table(self, right: str = "", how: str = "", *, bare: bool = False) -> None:
        """`bare`: an inner join of which nothing but the left's columns is kept, without a condition."""
        left, one = self.relation()
        right, other = (right, self.made[right]) if right else self.relation()
        if one.rows * other.rows > MOST_ROWS or len(one.kinds) + len(other.kinds) > MOST_COLUMNS:
            return
        pairs = [[a, b] for kind in KEYS for a in of(one.kinds, kind) for b in of(other.kinds, kind)]
        how = how or self.pick(["inner", "left", "cross"])
        names = join_names(list(one.kinds), list(other.kinds), right)
        kinds = one.kinds | {names[name]: kind for name, kind in other.kinds.items()}
        args: dict[str, Any] = {}
        if how != "cross":
            test = predicate(self.draw, kinds) if not bare and self.draw(st.booleans()) else ""
            some = st.lists(st.sampled_from(pairs), max_size=2, min_size=0 if test else 1) if pairs else st.just([])
            args["on"] = self.draw(some)
            if test:
                args["condition"] = test
            if not args["on"] and not test:
                return
        rows = one.rows * other.rows + one.rows
        made = Made(kinds, rows, max(one.size, other.size))
        self.add("join_table", made, left=left, right=right, how=how, **args)
        if how == "left" and args["on"] and self.draw(st.integers(0, 2)) == 0:
            self.with_or_without(made, names[args["on"][0][1]], list(one.kinds))
        elif how == "inner" and (bare or self.draw(st.integers(0, 2)) == 0):
            self.only_left(made, list(one.kinds))

    def join_onto_one_row(self) -> None:
        """A table joined left onto one row by its key, and a join with that, which may repeat rows."""
        rel, made = self.relation()
        if not of(made.kinds, INT) or made.size + 2 >= MOST_DIGITS:
            return
        agg = {"fn": self.pick(["min", "max"]), "column": self.pick(of(made.kinds, INT)), "as": self.new()}
        self.add("aggregate", Made({agg["as"]: INT}, 1, made.size + 2), rel=rel, group_by=[], aggs=[agg])
        one_row = self.calls[-1]["out"]
        self.table_ref(["customers", "orders"])
        table, left = self.calls[-1]["out"], self.made[self.calls[-1]["out"]]
        if table != one_row:
            joined = replace(left.plus(agg["as"], INT), rows=2 * left.rows, size=made.size + 2)
            self.add("join_table", joined, left=table, right=one_row, how="left", on=[["id", agg["as"]]])
            self.join_table(self.calls[-1]["out"], "inner", bare=True)

    def with_or_without(self, made: Made, key: str, lefts: list[str]) -> None:
        """Of the left join that was just made, the rows without a match or those with one, mostly without the right
        columns."""
        test = self.pick([f"⟦{key}⟧ IS NULL", f"⟦{key}⟧ IS NOT NULL", f"NOT (⟦{key}⟧ IS NOT NULL)"])
        self.add("filter_expr", made, rel=self.calls[-1]["out"], predicate=test)
        if self.draw(st.integers(0, 3)):
            self.only_left(made, lefts)

    def only_left(self, made: Made, lefts: list[str]) -> None:
        """The rows of the newest call without the columns of the right: a join may then be no more than a filter."""
        kinds = {name: made.kinds[name] for name in lefts}
        self.add("select_columns", replace(made, kinds=kinds), rel=self.calls[-1]["out"], columns=lefts)

    def aggregate(self) -> None:
        rel, made = self.relation()
        groups = self.some(of(made.kinds, *EXACT), 0, 2)
        aggs, kinds = [], {name: made.kinds[name] for name in groups}
        for _ in range(self.draw(st.integers(0 if groups else 1, 3))):
            if found := self.aggregation(made):
                agg, kind = found
                aggs.append(agg)
                kinds[agg["as"]] = kind
        if made.total_order and (texts := of(made.kinds, TEXT)) and self.draw(st.booleans()):
            aggs.append({"fn": "string_agg", "column": self.pick(texts), "as": self.new(), "separator": "/"})
            kinds[aggs[-1]["as"]] = ROUNDED
        if groups and self.draw(st.integers(0, 4)) == 0:
            aggs.append({"fn": "any_value", "column": groups[0], "as": self.new()})
            kinds[aggs[-1]["as"]] = made.kinds[groups[0]]
        if (groups or aggs) and made.size + 2 < MOST_DIGITS:
            rows = made.rows if groups else 1
            self.add("aggregate", Made(kinds, rows, made.size + 2), rel=rel, group_by=groups, aggs=aggs)

    def aggregation(self, made: Made) -> tuple[dict[str, Any], str] | None:
        fn = self.pick(["count", "count", "count_distinct", "sum", "sum", "min", "max", "avg", *ONLY_NUMBERS])
        columns = of(made.kinds, INT, DECIMAL) if fn in ONLY_NUMBERS else of(made.kinds, *KEYS)
        column = "*" if fn == "count" and self.draw(st.booleans()) else self.pick(columns) if columns else None
        if column is None:
            return None
        agg = {"fn": fn, "column": column, "as": self.new()}
        if self.draw(st.integers(0, 2)) == 0 and (test := predicate(self.draw, made.kinds)):
            agg["filter"] = test
        if fn in ("count", "sum", "avg", "min") and column != "*" and self.draw(st.integers(0, 3)) == 0:
            agg["distinct"] = True
        exact = fn in (*SAME_KIND, "sum")
        return agg, made.kinds[column] if exact else INT if fn.startswith("count") else ROUNDED

    def window_column(self, *, running: bool = False) -> None:
        rel, made = self.relation()
        if of(made.kinds, ROUNDED) or made.size + 2 >= MOST_DIGITS:
            return
        if found := window_arguments(self.draw, made.kinds, made.total_order, running=running):
            args, kind = found
            name = self.new()
            # Equal rows get numbers in any order; an order over all columns then no longer tells them apart.
            self.add("window_column", replace(made.plus(name, kind, 2), total_order=False), rel=rel, name=name, **args)

    def running(self) -> None:
        """A frame that mostly goes by the order of its relation."""
        self.order_by()
        self.window_column(running=True)

    def order_by(self) -> None:
        rel, made = self.relation()
        if not of(made.kinds, ROUNDED):
            keys = [self.key(name) for name in self.draw(st.permutations(list(made.kinds)))]
            self.add("order_by", replace(made, total_order=True), rel=rel, keys=keys)

    def key(self, name: str) -> list[str]:
        nulls = self.pick([[], [], ["nulls_first"], ["nulls_last"]])
        return [name, self.pick(["asc", "desc"]), *nulls]

    def limit(self) -> None:
        if not any(made.total_order for made in self.made.values()):
            self.order_by()
        ordered = [handle for handle, made in self.made.items() if made.total_order]
        if ordered:
            rel = self.pick(ordered)
            made = self.made[rel]
            n, offset = self.draw(st.integers(0, 6)), self.draw(st.sampled_from([0, 0, 1, 3]))
            self.add("limit", replace(made, rows=min(n, made.rows)), rel=rel, n=n, offset=offset)

    def materialize(self) -> None:
        rel, made = self.relation()
        self.add("materialize", made, rel=rel)

    def set_operation(self) -> None:
        """Where no two relations match, of parts of one."""
        (left, one), (right, other) = self.relation(), self.relation()
        if list(one.kinds.values()) != list(other.kinds.values()):
            if not (test := predicate(self.draw, one.kinds)):
                return
            self.add("filter_expr", one, rel=left, predicate=test)
            if left not in self.made or self.made[left] is not one:
                return
            right, other = self.calls[-1]["out"], one
        if ROUNDED in one.kinds.values() or one.rows + other.rows > MOST_ROWS:
            return
        made = Made(one.kinds, one.rows + other.rows, max(one.size, other.size))
        kind = self.pick(["union", "union_all", "intersect", "except"])
        self.add("set_operation", made, left=left, right=right, kind=kind)


STEPS = [
    "table_ref", "select_columns", "distinct", "filter_expr", "filter_expr", "derive_column", "derive_column",
    "join_table", "join_table", "join_onto_one_row", "aggregate", "aggregate", "window_column", "window_column",
    "running", "order_by", "order_by", "limit", "limit", "materialize", "set_operation",
]  # fmt: skip


@st.composite
def programs(draw: Callable[[Any], Any]) -> list[dict[str, Any]]:
    """A program whose last call makes the relation to run."""
    writer = Writer(draw)
    for _ in range(2):
        writer.table_ref()
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=4, max_size=18)):
        getattr(writer, step)()
    return writer.calls


