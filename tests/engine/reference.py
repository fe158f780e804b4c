"""What programs mean, step by step, in plain Python over lists of rows. Slow, and simple enough to be believed.

Knows integers, texts, NULL and SQL's three-valued logic; expressions may use what `evaluate` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.engine.reference_aggregates import over_values
from tests.engine.reference_expressions import Row, evaluate, parse
from tests.engine.reference_windows import Window

FOLLOWING_ORDER = ("row_number", "ntile", "lag", "lead", "first_value", "last_value")


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
        bag, test = self.bags[rel], parse(predicate)
        return _take(bag, [i for i, row in enumerate(bag.rows) if evaluate(test, row) is True])

    def join_table(
        self, left: str, right: str, how: str, on: Sequence[Sequence[str]] = (), condition: str | None = None
    ) -> Bag:
        one, other = self.bags[left], self.bags[right]
        new_names = join_names(one.columns, other.columns, right)
        test = parse(condition) if condition else None
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
        bag, tree = self.bags[rel], parse(expr)
        return replace(bag, columns=(*bag.columns, name), rows=[row | {name: evaluate(tree, row)} for row in bag.rows])

    def window_column(
        self, rel: str, name: str, fn: str, column: str | None = None, partition_by: Sequence[str] = (),
        order_by: Sequence[Sequence[str]] = (), offset: int = 1, default: Any = None, n: int = 1,
        frame: str | None = None,
    ) -> Bag:  # fmt: skip
        bag = self.bags[rel]
        keys = [self._key(order_by)(row) for row in bag.rows] if order_by else None
        if keys is None and bag.order is not None and (frame or fn in FOLLOWING_ORDER):
            keys = list(bag.order)
            frame = frame or ("whole" if fn.endswith("_value") else None)
        values: list[Any] = [None] * len(bag.rows)
        parts: dict[Any, list[int]] = {}
        for index, row in enumerate(bag.rows):
            parts.setdefault(tuple(row[c] for c in partition_by), []).append(index)
        for part in parts.values():
            sorted_part = sorted(part, key=lambda i: keys[i]) if keys else part
            for place, index in enumerate(sorted_part):
                window = Window([bag.rows[i] for i in sorted_part], [keys[i] for i in sorted_part] if keys else None)
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


def join_names(left: Sequence[str], right: Sequence[str], handle: str) -> dict[str, str]:
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
        test = parse(agg["filter"])
        rows = [row for row in rows if evaluate(test, row) is True]
    if agg["column"] == "*":
        return len(rows)
    values = [row[agg["column"]] for row in rows if row[agg["column"]] is not None]
    if agg.get("distinct") or agg["fn"] == "count_distinct":
        values = list(dict.fromkeys(values))
    return over_values(agg["fn"], values, agg.get("separator", ","))
