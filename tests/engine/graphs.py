"""Random programs: valid by construction, deterministic in what they return, over the tiny shop.

A limit only follows an order over all columns, so that which rows it takes is decided; averages and the like are never
computed with, as databases round them differently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.engine.data import TABLES
from tests.engine.reference import join_names

INT, TEXT, ROUNDED = "int", "text", "rounded"
KINDS = {
    "customers": {"id": INT, "name": TEXT, "country": TEXT},
    "orders": {"id": INT, "customer": INT, "status": TEXT, "total": INT},
    "tags": {"order_id": INT, "tag": TEXT},
    "empty_log": {"id": INT, "note": TEXT},
}
WORDS = ["paid", "open", "pt", "new", "ann", "zzz"]
MOST_ROWS = 150


@dataclass
class Made:
    """A relation of the program: its columns with their kinds, and a bound on its rows and values."""

    kinds: dict[str, str]
    rows: int
    size: int  # bound on the values' digits, so that no database overflows
    total_order: bool = False

    def of(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.kinds.items() if kind in kinds]


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
        handle = self.pick(list(self.made)) if rebound else f"h{len(self.calls)}"
        self.calls.append({"op": op, "args": args, "out": handle})
        self.made.pop(handle, None)
        self.made[handle] = made

    def pick(self, options: list[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def some(self, options: list[str], least: int = 0, most: int = 3) -> list[str]:
        return (
            self.draw(st.lists(st.sampled_from(options), min_size=least, max_size=most, unique=True)) if options else []
        )

    def new(self) -> str:
        self.names += 1
        return f"c{self.names}"

    def relation(self) -> tuple[str, Made]:
        """Late handles are likelier, so that graphs grow deep."""
        handles = list(self.made)
        handle = handles[-1] if self.draw(st.booleans()) else self.pick(handles)
        return handle, self.made[handle]

    # ---- One method an operation -------------------------------------------------------------------------------------

    def table_ref(self) -> None:
        table = self.pick(list(KINDS))
        self.add("table_ref", Made(dict(KINDS[table]), len(TABLES[table][1]), 2), table=table)

    def select_columns(self) -> None:
        rel, made = self.relation()
        kept = self.some(list(made.kinds), 1, 4)
        renamed = [{"column": name, "as": self.new()} if self.draw(st.integers(0, 3)) == 0 else name for name in kept]
        kinds = {
            item if isinstance(item, str) else item["as"]: made.kinds[name]
            for item, name in zip(renamed, kept, strict=True)
        }
        self.add("select_columns", Made(kinds, made.rows, made.size, made.total_order), rel=rel, columns=renamed)

    def distinct(self) -> None:
        rel, made = self.relation()
        if not made.of(ROUNDED):
            self.add("distinct", Made(made.kinds, made.rows, made.size), rel=rel)

    def filter_expr(self) -> None:
        rel, made = self.relation()
        predicate = self.predicate(made)
        if predicate:
            self.add(
                "filter_expr", Made(made.kinds, made.rows, made.size, made.total_order), rel=rel, predicate=predicate
            )

    def derive_column(self) -> None:
        rel, made = self.relation()
        expr, kind = self.value(made)
        name = self.new()
        made = Made(made.kinds | {name: kind}, made.rows, made.size + 1, made.total_order)
        if made.size < 9:
            self.add("derive_column", made, rel=rel, name=name, expr=expr)

    def join_table(self) -> None:
        (left, one), (right, other) = self.relation(), self.relation()
        if one.rows * other.rows > MOST_ROWS or len(one.kinds) + len(other.kinds) > 14:
            return
        pairs = [[a, b] for kind in (INT, TEXT) for a in one.of(kind) for b in other.of(kind)]
        how = self.pick(["inner", "left", "cross"])
        args: dict[str, Any] = {}
        names = join_names(list(one.kinds), list(other.kinds), right)
        kinds = one.kinds | {names[name]: kind for name, kind in other.kinds.items()}
        if how != "cross":
            if not pairs:
                return
            args["on"] = [self.pick(pairs)]
            if self.draw(st.booleans()) and (condition := self.predicate(Made(kinds, 0, 0))):
                args["condition"] = condition
        rows = one.rows * other.rows + one.rows
        self.add("join_table", Made(kinds, rows, max(one.size, other.size)), left=left, right=right, how=how, **args)

    def aggregate(self) -> None:
        rel, made = self.relation()
        groups = self.some(made.of(INT, TEXT), 0, 2)
        aggs, kinds = [], {name: made.kinds[name] for name in groups}
        for _ in range(self.draw(st.integers(0 if groups else 1, 3))):
            fn = self.pick(
                ["count", "count", "count_distinct", "sum", "avg", "min", "max", "median", "stddev", "variance"]
            )
            columns = made.of(INT) if fn not in ("min", "max", "count_distinct") else made.of(INT, TEXT)
            column = "*" if fn == "count" and self.draw(st.booleans()) else self.pick(columns) if columns else None
            if column is None:
                continue
            agg = {"fn": fn, "column": column, "as": self.new()}
            if self.draw(st.integers(0, 3)) == 0 and (test := self.predicate(made)):
                agg["filter"] = test
            if fn in ("count", "sum") and column != "*" and self.draw(st.integers(0, 3)) == 0:
                agg["distinct"] = True
            aggs.append(agg)
            kinds[agg["as"]] = (
                made.kinds[column]
                if fn in ("min", "max")
                else INT
                if fn in ("count", "count_distinct", "sum")
                else ROUNDED
            )
        if made.total_order and (texts := made.of(TEXT)) and self.draw(st.booleans()):
            aggs.append({"fn": "string_agg", "column": self.pick(texts), "as": self.new(), "separator": "/"})
            kinds[aggs[-1]["as"]] = ROUNDED
        if groups or aggs:
            rows = made.rows if groups else 1
            if made.size + 2 < 9:
                self.add("aggregate", Made(kinds, rows, made.size + 2), rel=rel, group_by=groups, aggs=aggs)

    def window_column(self) -> None:
        rel, made = self.relation()
        if made.of(ROUNDED) or made.size + 2 >= 9:
            return
        fn = self.pick(
            [
                "row_number",
                "rank",
                "dense_rank",
                "lag",
                "lead",
                "first_value",
                "last_value",
                "sum",
                "count",
                "min",
                "max",
                "ntile",
            ]
        )
        args: dict[str, Any] = {
            "rel": rel,
            "name": self.new(),
            "fn": fn,
            "partition_by": self.some(made.of(INT, TEXT), 0, 1),
        }
        if fn not in ("row_number", "rank", "dense_rank", "ntile"):
            columns = made.of(INT)
            if not columns:
                return
            args["column"] = self.pick(columns)
        if fn not in ("sum", "count", "min", "max") or self.draw(st.booleans()):
            some = fn in ("rank", "dense_rank", "sum", "count", "min", "max")
            columns = self.some(list(made.kinds), 1, 2) if some else self.draw(st.permutations(list(made.kinds)))
            args["order_by"] = [self.key(name) for name in columns]
        if fn in ("lag", "lead"):
            args["offset"] = self.draw(st.integers(0, 2))
            if self.draw(st.booleans()):
                args["default"] = -1
        if fn == "ntile":
            args["n"] = self.draw(st.integers(1, 3))
        if fn in ("first_value", "last_value") and self.draw(st.booleans()):
            args["frame"] = self.pick(["rows between 1 preceding and 1 following", "rows 2 preceding"])
        # Equal rows get numbers in any order; after that an order over all columns no longer tells them apart.
        self.add("window_column", Made(made.kinds | {args["name"]: INT}, made.rows, made.size + 2), **args)

    def order_by(self) -> None:
        rel, made = self.relation()
        if not made.of(ROUNDED):
            keys = [self.key(name) for name in self.draw(st.permutations(list(made.kinds)))]
            self.add("order_by", Made(made.kinds, made.rows, made.size, True), rel=rel, keys=keys)

    def limit(self) -> None:
        if not any(made.total_order for made in self.made.values()):
            self.order_by()
        ordered = [handle for handle, made in self.made.items() if made.total_order]
        if ordered:
            rel = self.pick(ordered)
            made = self.made[rel]
            n, offset = self.draw(st.integers(0, 6)), self.draw(st.sampled_from([0, 0, 1, 3]))
            self.add("limit", Made(made.kinds, min(n, made.rows), made.size, True), rel=rel, n=n, offset=offset)

    def materialize(self) -> None:
        rel, made = self.relation()
        self.add("materialize", Made(made.kinds, made.rows, made.size, made.total_order), rel=rel)

    def set_operation(self) -> None:
        (left, one), (right, other) = self.relation(), self.relation()
        if list(one.kinds.values()) != list(other.kinds.values()) or ROUNDED in one.kinds.values():
            return
        kind = self.pick(["union", "union_all", "intersect", "except"])
        rows = one.rows + other.rows
        if rows <= MOST_ROWS:
            self.add(
                "set_operation", Made(one.kinds, rows, max(one.size, other.size)), left=left, right=right, kind=kind
            )

    # ---- Expressions -------------------------------------------------------------------------------------------------

    def key(self, name: str) -> list[str]:
        nulls = self.pick([[], [], ["nulls_first"], ["nulls_last"]])
        return [name, self.pick(["asc", "desc"]), *nulls]

    def predicate(self, made: Made) -> str:
        tests = []
        for _ in range(self.draw(st.integers(1, 2))):
            test = self.test(made)
            if test:
                tests.append(f"NOT ({test})" if self.draw(st.integers(0, 4)) == 0 else test)
        return self.pick([" AND ", " OR "]).join(tests)

    def test(self, made: Made) -> str:
        columns = made.of(INT, TEXT)
        if not columns:
            return ""
        name = self.pick(columns)
        if self.draw(st.integers(0, 5)) == 0:
            return f"{name} IS NULL"
        if made.kinds[name] == TEXT:
            return self.pick(
                [f"{name} = '{self.pick(WORDS)}'", f"{name} IN ('{self.pick(WORDS)}', '{self.pick(WORDS)}')"]
            )
        number = self.draw(st.integers(0, 40))
        sign = self.pick(["=", "<>", "<", "<=", ">", ">="])
        other = self.pick([str(number), self.pick(made.of(INT))])
        return self.pick([f"{name} {sign} {other}", f"{name} + 1 {sign} {other}", f"{name} BETWEEN 2 AND {number}"])

    def value(self, made: Made) -> tuple[str, str]:
        ints, texts = made.of(INT), made.of(TEXT)
        options: list[tuple[str, str]] = [("7", INT), ("'word'", TEXT)]
        if ints:
            one, other = self.pick(ints), self.pick(ints)
            options += [(f"{one} + {other}", INT), (f"{one} * 3 - 1", INT), (f"COALESCE({one}, 0)", INT)]
            options += [(f"CASE WHEN {one} > 12 THEN {other} ELSE 0 END", INT)]
        if texts:
            options += [(f"COALESCE({self.pick(texts)}, 'none')", TEXT)]
        return self.pick(options)


STEPS = [
    "table_ref", "select_columns", "distinct", "filter_expr", "filter_expr", "derive_column", "derive_column",
    "join_table", "join_table", "aggregate", "aggregate", "window_column", "order_by", "order_by", "limit", "limit",
    "materialize", "set_operation",
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
