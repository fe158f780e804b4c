"""What the compiler needs to know of a dialect. The base is what most databases share; one file a dialect differs."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp
from sqlglot.generator import Generator

from agents.dsl.operations.window_column import Bound, Frame
from agents.engine.terms import loose
from connections.catalogue import DialectName, SemanticType
from connections.guard import sqlglot_dialect

_LINE_BREAK, _SENTINEL, _SPLIT = "\0n", "__SQLGLOT", "__SQL\0sGLOT"


class _Printers(threading.local):
    """sqlglot's printers of one thread, made once: every one that is made leaves a few bytes behind for good."""

    def __init__(self) -> None:
        self._made: dict[tuple[DialectName, bool], Generator] = {}

    def printer(self, name: DialectName, *, pretty: bool) -> Generator:
        if (name, pretty) not in self._made:
            self._made[name, pretty] = sqlglot_dialect(name).generator(pretty=pretty, comments=False)
        return self._made[name, pretty]


_PRINTERS = _Printers()


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate to be written: `column` is None for all rows, `filter` for no condition; `semantic` is the type of
    what is aggregated. Where it is `distinct`, `order` has no other key than the column."""

    fn: str
    column: exp.Expr | None
    distinct: bool = False
    filter: exp.Expr | None = None
    separator: str = ","
    order: tuple[exp.Ordered, ...] = ()
    semantic: SemanticType = "unknown"


class Dialect:
    """One instance a compiler. Holds no state."""

    name: ClassVar[DialectName]
    # What the dialect cannot do, and why; the language refuses it by name before any SQL.
    unsupported: ClassVar[Mapping[str, str]] = {}
    # Names of our functions where the database's own differ.
    functions: ClassVar[Mapping[str, str]] = {"stddev": "STDDEV_SAMP", "variance": "VAR_SAMP"}
    # Functions that take another's place where nothing beside it makes the SELECT a grouping one.
    alone: ClassVar[Mapping[str, str]] = {}
    # Aggregates without a function of their own, made from what calls.py numbers and counts in each group.
    emulated: ClassVar[frozenset[str]] = frozenset()
    name_limit: ClassVar[int] = 63
    folds_names: ClassVar[bool] = True
    qualifies_base_columns: ClassVar[bool] = False
    having_finds_keys: ClassVar[bool] = True  # those that are not selected, too
    read_in_a_step: ClassVar[frozenset[str]] = frozenset()  # aggregates that, without GROUP BY, no expression may read
    qualifies_beside_windows: ClassVar[bool] = False  # in ORDER BY
    joins_not_exists: ClassVar[bool] = False  # NOT EXISTS is worked out as a join, not row by row
    materialized_steps: ClassVar[bool] = True
    filter_clause: ClassVar[bool] = True
    nulls_clause: ClassVar[bool] = True
    ordered_aggregates: ClassVar[bool] = True
    ranks_need_order: ClassVar[bool] = False
    shift_defaults: ClassVar[bool] = True  # LAG and LEAD take a value for where there is no row
    knows_dependent_keys: ClassVar[bool] = False  # grouping by a primary key, it leaves other columns of the table out
    computes_over_windows: ClassVar[bool] = True  # after GROUP BY, an expression may read a window's value
    tables_lose_collations: ClassVar[bool] = False  # CREATE TABLE … AS makes columns that compare texts byte by byte
    enforces_types: ClassVar[bool] = True  # a column holds values of its declared type alone
    text_type: ClassVar[str] = "TEXT"
    position: ClassVar[str] = "STRPOS"  # function that finds a text within a text

    def __init__(self) -> None:
        dialect = sqlglot_dialect(self.name)
        self._quote = dialect.IDENTIFIER_START
        self._null_ordering = dialect.NULL_ORDERING

    # ---- Printing ----------------------------------------------------------------------------------------------------

    def text(self, node: exp.Expr) -> str:
        """`node` on one line."""
        return _PRINTERS.printer(self.name, pretty=False).generate(node, copy=False)

    def shielded(self, text: str) -> str:
        """`text` for a raw node: the pretty printer would indent after a line break inside a literal."""
        if "\n" in text:
            text = text.replace("\n", _LINE_BREAK)
        return text.replace(_SENTINEL, _SPLIT) if _SENTINEL in text else text

    def statement(self, query: exp.Expr) -> str:
        """`query` as it is sent."""
        sql = _PRINTERS.printer(self.name, pretty=True).generate(query, copy=False)
        return sql.replace(_LINE_BREAK, "\n").replace("\0s", "") if "\0" in sql else sql

    def quoted(self, name: str) -> str:
        return self._quote + name.replace(self._quote, self._quote * 2) + self._quote

    def literal(self, value: str | int | float | bool | None) -> exp.Expr:
        if value is None:
            return exp.Null()
        if isinstance(value, bool):
            return exp.Boolean(this=value)
        if isinstance(value, str):
            return exp.Var(this=self.shielded(self.text(exp.Literal.string(value))))
        number = exp.Literal.number(repr(abs(value)))
        return exp.Neg(this=number) if value < 0 else number

    # ---- Names -------------------------------------------------------------------------------------------------------

    def folded(self, name: str) -> str:
        """Two names that the database might take for one another have the same folded form."""
        if not self.folds_names:
            return name
        if name.isascii():
            return name.lower().rstrip()
        marks = unicodedata.normalize("NFKD", name.casefold())
        return "".join(sign for sign in marks if not unicodedata.combining(sign)).rstrip()

    def bears(self, name: str) -> bool:
        """Whether a column may carry `name` inside a statement."""
        return True

    # ---- Values ------------------------------------------------------------------------------------------------------

    def aggregate(self, call: AggregateCall) -> exp.Expr:
        if call.fn == "string_agg":
            return self._filtered(self.string_agg(call), call)
        argument: exp.Expr = exp.Star() if call.column is None else loose(call.column)
        if not self.filter_clause and call.filter is not None:
            argument = exp.Case(ifs=[exp.If(this=loose(call.filter), true=_one_for_star(argument))])
        if call.distinct or call.fn == "count_distinct":
            argument = exp.Distinct(expressions=[argument])
        return self._filtered(self.over_argument(call.fn, argument), call)

    def over_argument(self, fn: str, argument: exp.Expr) -> exp.Expr:
        """The aggregate `fn` over one argument."""
        name = "COUNT" if fn == "count_distinct" else self.functions.get(fn, fn.upper())
        return exp.Anonymous(this=name, expressions=[argument])

    def string_agg(self, call: AggregateCall) -> exp.Expr:
        """STRING_AGG(value, separator ORDER BY …)."""
        value = loose(_column(call))
        argument: exp.Expr = exp.Distinct(expressions=[value]) if call.distinct else value
        parts = [argument, self.literal(call.separator)]
        if call.order:
            parts[-1] = exp.Order(this=parts[-1], expressions=list(call.order))
        return exp.Anonymous(this="STRING_AGG", expressions=parts)

    def _filtered(self, node: exp.Expr, call: AggregateCall) -> exp.Expr:
        if call.filter is None or not self.filter_clause:
            return node
        return exp.Filter(this=node, expression=exp.Where(this=loose(call.filter)))

    def window_function(self, fn: str, arguments: Sequence[exp.Expr], semantic: SemanticType = "unknown") -> exp.Expr:
        """The call before OVER; `arguments` are empty for COUNT(*) and the rankings, else the first is a `semantic`."""
        if fn == "count" and not arguments:
            arguments = [exp.Star()]
        if fn in ("count_distinct", "median", "stddev", "variance", "count", "sum", "avg", "min", "max", "string_agg"):
            column = None if isinstance(arguments[0], exp.Star) else arguments[0]
            return self.aggregate(AggregateCall(fn, column, semantic=semantic))
        return exp.Anonymous(this=fn.upper(), expressions=[loose(argument) for argument in arguments])

    def over(
        self,
        call: exp.Expr,
        partition: Sequence[exp.Expr],
        order: Sequence[exp.Ordered],
        frame: Frame | None,
        ranks: bool,
    ) -> exp.Expr:
        """`call OVER (…)`. `ranks` says that the function numbers rows, which some databases do only in an order."""
        if ranks and not order and self.ranks_need_order:
            order = [exp.Ordered(this=exp.Null(), nulls_first=True)]
        return exp.Window(
            this=call,
            partition_by=[loose(key) for key in partition],
            order=exp.Order(expressions=list(order)) if order else None,
            spec=_spec(frame) if frame else None,
        )

    def ordered(self, node: exp.Expr, descending: bool, nulls: str) -> list[exp.Ordered]:
        """One key of ORDER BY, as one or more sort terms."""
        first = self.nulls_first(descending) if not nulls else nulls == "first"
        return [exp.Ordered(this=loose(node), desc=descending or None, nulls_first=first)]

    def nulls_first(self, descending: bool) -> bool:
        """Where the dialect puts NULL by itself."""
        return self._null_ordering != "nulls_are_last" and descending == (self._null_ordering == "nulls_are_large")

    # ---- Statements --------------------------------------------------------------------------------------------------

    def fenced(self, step: exp.Query) -> exp.Query:
        """`step` so that nothing of what reads it is moved into it: its volatile values are computed once, where
        WITH … AS MATERIALIZED is not understood."""
        return step


def _column(call: AggregateCall) -> exp.Expr:
    assert call.column is not None
    return call.column


def _one_for_star(argument: exp.Expr) -> exp.Expr:
    return exp.Literal.number(1) if isinstance(argument, exp.Star) else argument


def _spec(frame: Frame) -> exp.WindowSpec:
    start, end = _bound(frame.start), _bound(frame.end)
    return exp.WindowSpec(kind=frame.unit.upper(), start=start[0], start_side=start[1], end=end[0], end_side=end[1])


def _bound(bound: Bound) -> tuple[exp.Expr | str, str | None]:
    if bound.side == "current":
        return "CURRENT ROW", None
    rows = "UNBOUNDED" if bound.rows is None else exp.Literal.number(bound.rows)
    return rows, bound.side.upper()
