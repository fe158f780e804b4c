"""What programs mean, step by step, in plain Python over lists of rows. Slow, and simple enough to be believed.

Knows integers, texts, NULL and SQL's three-valued logic; expressions may use what `evaluate` lists.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import sqlglot
from sqlglot import exp

Row = dict[str, Any]


@dataclass(frozen=True)
class Bag:
    """Rows with their columns. `order` gives each row its sort key, or is None where the order is anything."""

    columns: tuple[str, ...]
    rows: list[Row]
    order: list[Any] | None = None

    def tuples(self) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in self.columns) for row in self.rows]

    def runs(self) -> list[list[tuple[Any, ...]]]:
        """Rows that may come in any order among themselves, run by run."""
        rows = self.tuples()
        if self.order is None:
            return [rows]
        runs: dict[Any, list[tuple[Any, ...]]] = {}
        for key, row in zip(self.order, rows, strict=True):
            runs.setdefault(key, []).append(row)
        return list(runs.values())


@dataclass
class Reference:
    """`nulls` says where the dialect puts NULL: "small", "large" (below or above every value) or "last"."""

    tables: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]]
    nulls: str
    bags: dict[str, Bag] = field(default_factory=dict)

    def run(self, program: Iterable[dict[str, Any]]) -> Bag:
        """The bag of the last call's handle."""
        bag = Bag((), [])
        for call in program:
            if call["op"] == "execute":
                return self.bags[call["args"]["rel"]]
            bag = getattr(self, call["op"])(**call["args"])
            self.bags[call["out"]] = bag
        return bag

    # ---- One method an operation -------------------------------------------------------------------------------------

    def table_ref(self, table: str) -> Bag:
        columns, rows = self.tables[table]
        return Bag(columns, [dict(zip(columns, row, strict=True)) for row in rows])

    def select_columns(self, rel: str, columns: list[Any]) -> Bag:
        bag = self.bags[rel]
        items = [(c, c) if isinstance(c, str) else (c["column"], c["as"]) for c in columns]
        rows = [{new: row[old] for old, new in items} for row in bag.rows]
        return Bag(tuple(new for _, new in items), rows, bag.order)

    def distinct(self, rel: str) -> Bag:
        bag = self.bags[rel]
        return Bag(bag.columns, _unique(bag.rows))

    def filter_expr(self, rel: str, predicate: str) -> Bag:
        bag, test = self.bags[rel], _parse(predicate)
        return _take(bag, [i for i, row in enumerate(bag.rows) if evaluate(test, row) is True])

    def join_table(
        self, left: str, right: str, how: str, on: Sequence[Sequence[str]] = (), condition: str | None = None
    ) -> Bag:
        one, other = self.bags[left], self.bags[right]
        new_names = _join_names(one.columns, other.columns, right)
        test = _parse(condition) if condition else None
        rows: list[Row] = []
        for mine in one.rows:
            found = []
            for yours in other.rows:
                row = mine | {new_names[name]: value for name, value in yours.items()}
                matches = all(mine[a] is not None and mine[a] == yours[b] for a, b in on)
                if matches and (test is None or evaluate(test, row) is True):
                    found.append(row)
            if not found and how == "left":
                found = [mine | dict.fromkeys(new_names.values())]
            rows += found
        return Bag((*one.columns, *new_names.values()), rows)

    def aggregate(self, rel: str, group_by: Sequence[str] = (), aggs: Sequence[dict[str, Any]] = ()) -> Bag:
        bag = self.bags[rel]
        groups: dict[tuple[Any, ...], list[Row]] = {} if group_by else {(): []}
        for row in bag.rows:
            groups.setdefault(tuple(row[name] for name in group_by), []).append(row)
        rows = [
            dict(zip(group_by, key, strict=True)) | {agg["as"]: _aggregated(agg, members) for agg in aggs}
            for key, members in groups.items()
        ]
        return Bag((*group_by, *(agg["as"] for agg in aggs)), rows)

    def derive_column(self, rel: str, name: str, expr: str) -> Bag:
        bag, tree = self.bags[rel], _parse(expr)
        return replace(bag, columns=(*bag.columns, name), rows=[row | {name: evaluate(tree, row)} for row in bag.rows])

    def window_column(
        self, rel: str, name: str, fn: str, column: str | None = None, partition_by: Sequence[str] = (),
        order_by: Sequence[Sequence[str]] = (), offset: int = 1, default: Any = None, n: int = 1,
        frame: str | None = None,
    ) -> Bag:  # fmt: skip
        bag = self.bags[rel]
        keys = [self._key(order_by)(row) for row in bag.rows] if order_by else None
        if keys is None and bag.order is not None and fn in ("row_number", "lag", "lead", "first_value", "last_value"):
            keys = list(bag.order)
            frame = frame or ("whole" if fn.endswith("_value") else None)
        values: list[Any] = [None] * len(bag.rows)
        parts: dict[Any, list[int]] = {}
        for index, row in enumerate(bag.rows):
            parts.setdefault(tuple(row[c] for c in partition_by), []).append(index)
        for part in parts.values():
            sorted_part = sorted(part, key=lambda i: keys[i]) if keys else part
            for place, index in enumerate(sorted_part):
                window = _Window([bag.rows[i] for i in sorted_part], [keys[i] for i in sorted_part] if keys else None)
                values[index] = window.value(fn, column, place, offset, default, n, frame)
        rows = [row | {name: value} for row, value in zip(bag.rows, values, strict=True)]
        return replace(bag, columns=(*bag.columns, name), rows=rows)

    def order_by(self, rel: str, keys: Sequence[Sequence[str]]) -> Bag:
        bag, key = self.bags[rel], self._key(keys)
        rows = sorted(bag.rows, key=key)
        return Bag(bag.columns, rows, [key(row) for row in rows])

    def limit(self, rel: str, n: int, offset: int = 0) -> Bag:
        bag = self.bags[rel]
        return _take(bag, list(range(len(bag.rows)))[offset : offset + n])

    def materialize(self, rel: str) -> Bag:
        return self.bags[rel]

    def set_operation(self, left: str, right: str, kind: str) -> Bag:
        one, other = self.bags[left], self.bags[right]
        mine, yours = one.tuples(), other.tuples()
        if kind == "union_all":
            rows = mine + yours
        elif kind == "union":
            rows = list(dict.fromkeys(mine + yours))
        elif kind == "intersect":
            rows = [row for row in dict.fromkeys(mine) if row in yours]
        else:
            rows = [row for row in dict.fromkeys(mine) if row not in yours]
        return Bag(one.columns, [dict(zip(one.columns, row, strict=True)) for row in rows])

    def _key(self, keys: Sequence[Sequence[str]]) -> Callable[[Row], Any]:
        return lambda row: tuple(
            _sort_key(row[k[0]], k[1] == "desc", k[2] if len(k) > 2 else "", self.nulls) for k in keys
        )


@dataclass(frozen=True)
class _Down:
    """A value that sorts the other way round."""

    value: Any

    def __lt__(self, other: _Down) -> bool:
        return bool(other.value < self.value)


def _sort_key(value: Any, descending: bool, nulls: str, dialect_nulls: str) -> Any:
    default = {"small": descending, "large": not descending, "last": True}[dialect_nulls]
    last = nulls == "nulls_last" or (not nulls and default)
    if value is None:
        return (1 if last else -1, 0)
    return (0, _Down(value) if descending else value)


def _take(bag: Bag, places: list[int]) -> Bag:
    return Bag(
        bag.columns, [bag.rows[i] for i in places], None if bag.order is None else [bag.order[i] for i in places]
    )


def _unique(rows: list[Row]) -> list[Row]:
    return list({tuple(row.items()): row for row in rows}.values())


def _join_names(left: Sequence[str], right: Sequence[str], handle: str) -> dict[str, str]:
    taken, names = {*left, *right}, {}
    for name in right:
        new, count = name, 1
        if name in left:
            new = f"{handle}_{name}"
            while new in taken:
                count += 1
                new = f"{handle}_{name}_{count}"
            taken.add(new)
        names[name] = new
    return names


# ---- Aggregates and windows ------------------------------------------------------------------------------------------


def _aggregated(agg: dict[str, Any], rows: list[Row]) -> Any:
    if "filter" in agg:
        test = _parse(agg["filter"])
        rows = [row for row in rows if evaluate(test, row) is True]
    if agg["column"] == "*":
        return len(rows)
    values = [row[agg["column"]] for row in rows if row[agg["column"]] is not None]
    if agg.get("distinct") or agg["fn"] == "count_distinct":
        values = list(dict.fromkeys(values))
    return _over_values(agg["fn"], values, agg.get("separator", ","))


def _over_values(fn: str, values: list[Any], separator: str = ",") -> Any:
    if fn in ("count", "count_distinct"):
        return len(values)
    if fn in ("stddev", "variance") and len(values) < 2:
        return None
    if not values:
        return None
    functions: dict[str, Callable[[], Any]] = {
        "sum": lambda: sum(values),
        "avg": lambda: Fraction(sum(values)) / len(values),
        "min": lambda: min(values),
        "max": lambda: max(values),
        "median": lambda: statistics.median([Fraction(value) for value in values]),
        "stddev": lambda: statistics.stdev(values),
        "variance": lambda: statistics.variance([Fraction(value) for value in values]),
        "string_agg": lambda: separator.join(values),
    }
    return functions[fn]()


@dataclass(frozen=True)
class _Window:
    """The rows of one partition in order. `keys` are their sort keys, None without an order."""

    rows: list[Row]
    keys: list[Any] | None

    def value(
        self, fn: str, column: str | None, place: int, offset: int, default: Any, n: int, frame: str | None
    ) -> Any:
        if fn in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"):
            return self._ranked(fn, place, n)
        if fn in ("lag", "lead"):
            target = place - offset if fn == "lag" else place + offset
            return self.rows[target][column] if 0 <= target < len(self.rows) else default  # type: ignore[index]
        inside = self.rows[self._start(place, frame) : self._end(place, frame)]
        if fn in ("first_value", "last_value"):
            return (inside[0] if fn == "first_value" else inside[-1])[column] if inside else None  # type: ignore[index]
        if fn == "count" and column in (None, "*"):
            return len(inside)
        return _over_values(fn, [row[column] for row in inside if row[column] is not None])  # type: ignore[index]

    def _peers(self, place: int) -> tuple[int, int]:
        if self.keys is None:
            return 0, len(self.rows)
        first = last = place
        while first > 0 and self.keys[first - 1] == self.keys[place]:
            first -= 1
        while last < len(self.rows) and self.keys[last] == self.keys[place]:
            last += 1
        return first, last

    def _ranked(self, fn: str, place: int, n: int) -> Any:
        first, last = self._peers(place)
        size = len(self.rows)
        if fn == "ntile":
            small, larger = divmod(size, n)
            border = larger * (small + 1)
            return place // (small + 1) + 1 if place < border else larger + (place - border) // max(small, 1) + 1
        keys = self.keys or []
        return {
            "row_number": place + 1,
            "rank": first + 1,
            "dense_rank": len(set(keys[: first + 1])),
            "percent_rank": Fraction(first, size - 1) if size > 1 else Fraction(0),
            "cume_dist": Fraction(last, size),
        }[fn]

    def _start(self, place: int, frame: str | None) -> int:
        first = (frame or "").removeprefix("rows ").removeprefix("between ").split()
        return max(0, place - int(first[0])) if first and first[0].isdigit() else 0

    def _end(self, place: int, frame: str | None) -> int:
        if frame == "whole" or (frame is None and self.keys is None):
            return len(self.rows)
        if frame is None:
            return self._peers(place)[1]
        if "between" not in frame or frame.endswith("current row"):
            return place + 1
        ahead = frame.split(" and ")[1].split()[0]
        return len(self.rows) if ahead == "unbounded" else min(len(self.rows), place + int(ahead) + 1)


# ---- Expressions -----------------------------------------------------------------------------------------------------


def _parse(text: str) -> exp.Expr:
    return sqlglot.parse_one(text)


def evaluate(node: exp.Expr, row: Row) -> Any:
    """Columns, literals, NULL, + - *, comparisons, AND OR NOT, IS NULL, IN, BETWEEN, COALESCE, CASE WHEN."""
    if isinstance(node, exp.Paren):
        return evaluate(node.this, row)
    if isinstance(node, exp.Column):
        return row[node.name]
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else int(node.name)
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.And | exp.Or):
        return _logic(node, row)
    if isinstance(node, exp.Not):
        value = evaluate(node.this, row)
        return None if value is None else not value
    if isinstance(node, exp.Is):
        return evaluate(node.this, row) is None
    if isinstance(node, exp.Coalesce):
        values = (evaluate(item, row) for item in (node.this, *node.expressions))
        return next((value for value in values if value is not None), None)
    if isinstance(node, exp.Case):
        chosen = next(
            (b.args["true"] for b in node.args["ifs"] if evaluate(b.this, row) is True), node.args.get("default")
        )
        return None if chosen is None else evaluate(chosen, row)
    if isinstance(node, exp.In):
        tests = [_compare(exp.EQ, evaluate(node.this, row), evaluate(item, row)) for item in node.expressions]
        return True if True in tests else None if None in tests else False
    if isinstance(node, exp.Between):
        low = _compare(exp.GTE, evaluate(node.this, row), evaluate(node.args["low"], row))
        high = _compare(exp.LTE, evaluate(node.this, row), evaluate(node.args["high"], row))
        return False if False in (low, high) else None if None in (low, high) else True
    return _compare(type(node), evaluate(node.this, row), evaluate(node.expression, row))


def _logic(node: exp.Expr, row: Row) -> bool | None:
    values = (evaluate(node.this, row), evaluate(node.expression, row))
    decisive = isinstance(node, exp.Or)
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _compare(kind: type[exp.Expr], one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    operators: dict[type[exp.Expr], Callable[[], Any]] = {
        exp.EQ: lambda: one == other, exp.NEQ: lambda: one != other, exp.GT: lambda: one > other,
        exp.GTE: lambda: one >= other, exp.LT: lambda: one < other, exp.LTE: lambda: one <= other,
        exp.Add: lambda: one + other, exp.Sub: lambda: one - other, exp.Mul: lambda: one * other,
    }  # fmt: skip
    return operators[kind]()
