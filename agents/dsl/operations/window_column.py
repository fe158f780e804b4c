from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agents.dsl.arguments import HANDLE, NAME, NEW_NAME, SCALAR, Kind, UnfitError, argument, choice, integer, list_of
from agents.dsl.names import quoted
from agents.dsl.operations.aggregate import AGGREGATE_FUNCTIONS
from agents.dsl.operations.base import Need, RelationOperation
from agents.dsl.operations.derive_column import check_new
from agents.dsl.operations.order_by import ORDER_KEY, OrderKey
from agents.dsl.relation import Columns, Relation, RelColumn, Scope, collected
from agents.dsl.type_rules import aggregated, check_aggregate
from agents.errors import InvalidArgumentError

RANKING = ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile")
SHIFTING = ("lag", "lead")
EDGE = ("first_value", "last_value")
# What takes the rows of the whole partition one after another, where the relation's order counts and no frame is given.
IN_TURN = (*EDGE, "string_agg")
WINDOW_FUNCTIONS = (*RANKING, *SHIFTING, *EDGE, *AGGREGATE_FUNCTIONS)

_UNITS = ("rows", "range", "groups")


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a frame. `rows` is None for unbounded; `side` is "preceding", "following" or "current"."""

    side: str
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    unit: str
    start: Bound
    end: Bound

    @property
    def whole(self) -> bool:
        """Whether it holds every row of the partition, in whatever order."""
        return (self.start, self.end) == (Bound("preceding"), Bound("following"))


def _read_frame(value: Any) -> Frame:
    words = value.lower().split() if isinstance(value, str) else []
    if not words or words[0] not in _UNITS:
        raise UnfitError
    unit, rest = words[0], words[1:]
    if rest[:1] == ["between"] and rest.count("and") == 1:
        middle = rest.index("and")
        frame = Frame(unit, _read_bound(rest[1:middle]), _read_bound(rest[middle + 1 :]))
    else:
        frame = Frame(unit, _read_bound(rest), Bound("current"))
    if _place(frame.start) > _place(frame.end) or (
        _endless(frame.start, "following") or _endless(frame.end, "preceding")
    ):
        raise UnfitError("it ends before it starts")
    return frame


def _read_bound(words: list[str]) -> Bound:
    if words == ["current", "row"]:
        return Bound("current")
    if len(words) == 2 and words[1] in ("preceding", "following"):
        if words[0] == "unbounded":
            return Bound(words[1])
        if words[0].isascii() and words[0].isdigit():
            return Bound(words[1], int(words[0]))
    raise UnfitError


def _place(bound: Bound) -> float:
    distance = float("inf") if bound.rows is None else float(bound.rows)
    return {"preceding": -distance, "current": 0.0, "following": distance}[bound.side]


def _endless(bound: Bound, side: str) -> bool:
    return bound.side == side and bound.rows is None


FRAME = Kind('a frame such as "rows between 2 preceding and current row"', _read_frame)


@dataclass(frozen=True)
class WindowColumn(RelationOperation):
    """All columns plus `name`: `fn` over the rows of the same `partition_by`; every row stays, and so does the order.

    `fn`: row_number, rank, dense_rank, percent_rank, cume_dist, ntile (`n` buckets), lag and lead (`offset` 1,
    `default`), first_value, last_value, and the aggregates (with `order_by` they run up to the current row).
    `order_by` has keys as in the operation of that name; without it, row_number, ntile, lag, lead, first/last_value,
    string_agg and a `frame` follow the order of the relation. `frame`: e.g. "rows between 6 preceding and current row".
    """

    name: ClassVar[str] = "window_column"
    example: ClassVar[str] = (
        '{"rel": "o", "name": "place", "fn": "rank", "partition_by": ["city"], "order_by": [["total", '
        '"desc"]]}'
    )

    rel: str = argument(HANDLE)
    name_: str = argument(NEW_NAME)
    fn: str = argument(choice(*WINDOW_FUNCTIONS))
    column: str | None = argument(NAME, default=None)
    partition_by: tuple[str, ...] = argument(list_of(NAME), default=())
    order_by: tuple[OrderKey, ...] = argument(list_of(ORDER_KEY), default=())
    offset: int | None = argument(integer(0), default=None)
    default: str | int | float | bool | None = argument(SCALAR, default=None)
    n: int | None = argument(integer(1), default=None)
    frame: Frame | None = argument(FRAME, default=None)

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        (source,) = inputs
        self._check_shape()
        self._check_frame(source)
        name = check_new(self.name_, source, scope, self.signature())
        available = Columns(source)
        column = self._column(available, scope)
        operation = replace(
            self,
            column=column.name if column else None,
            partition_by=tuple(available[item].name for item in self.partition_by),
            order_by=tuple(replace(key, column=available[key.column].name) for key in self.order_by),
        )
        return Relation(
            operation=operation,
            handle=scope.handle,
            inputs=inputs,
            columns=collected([*source.columns.values(), self._made(name, column)], f"Signature: {self.signature()}."),
            unique=(
                *source.unique,
                *((frozenset({name, *operation.partition_by}),) if self.fn == "row_number" else ()),
            ),
            ordered=source.ordered,
            notes=tuple(available.notes),
        )

    def _check_shape(self) -> None:
        only_for = {"offset": SHIFTING, "default": SHIFTING, "n": ("ntile",)}
        for name, functions in only_for.items():
            if getattr(self, name) is not None and self.fn not in functions:
                raise self._invalid(f"{name!r} belongs to {' and '.join(functions)}, not to {self.fn}")
        if self.fn == "ntile" and self.n is None:
            raise self._invalid("ntile needs 'n', the number of buckets")
        if self.frame and self.fn in (*RANKING, *SHIFTING):
            raise self._invalid(f"{self.fn} takes no 'frame'")
        if self.fn in ("rank", "dense_rank", "percent_rank", "cume_dist") and not self.order_by:
            raise self._invalid(f"{self.fn} needs 'order_by'")
        if self.fn in RANKING and self.column is not None:
            raise self._invalid(f"{self.fn} takes no 'column'; say with 'order_by' what it goes by")

    def _check_frame(self, source: Relation) -> None:
        if self.frame is None or self.order_by:
            return
        if self.frame.unit != "rows":
            raise self._invalid(f"a frame of {self.frame.unit} needs 'order_by'")
        if not (self.frame.whole or source.ordered):
            raise self._invalid(
                f"a frame needs an order: give 'order_by', or sort {quoted(self.rel)} with order_by first"
            )

    def _invalid(self, what: str) -> InvalidArgumentError:
        return InvalidArgumentError(f"window_column: {what}. Signature: {self.signature()}.")

    def _column(self, available: Columns, scope: Scope) -> RelColumn | None:
        scope.require(f"window {self.fn}")
        if self.frame:
            scope.require(f"frame of {self.frame.unit}")
        if self.fn in RANKING or (self.fn == "count" and self.column in (None, "*")):
            return None
        if self.column is None:
            raise self._invalid(f"{self.fn} needs a 'column'")
        column = available[self.column]
        check_aggregate(self.fn, column, scope.dialect, self.signature())
        return column

    def _made(self, name: str, column: RelColumn | None) -> RelColumn:
        if self.fn in ("percent_rank", "cume_dist"):
            return RelColumn(name, semantic="float", nullable=False)
        if self.fn in RANKING:
            return RelColumn(name, semantic="integer", nullable=False)
        if self.fn in (*SHIFTING, *EDGE) and column is not None:
            return RelColumn(name, column.type, column.semantic, origin=column.origin if self.default is None else None)
        return aggregated(self.fn, column, name)

    @property
    def follows_order(self) -> bool:
        """Whether the order of the relation counts for want of an `order_by` of its own."""
        cut = self.frame is not None and not self.frame.whole
        return not self.order_by and (cut or self.fn in ("row_number", "ntile", *SHIFTING, *IN_TURN))

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        if self.name_ not in asked.columns:
            return (asked,)
        used = {*self.partition_by, *(key.column for key in self.order_by), *((self.column,) if self.column else ())}
        return (Need((asked.columns - {self.name_}) | used, asked.ordered or self.follows_order),)
