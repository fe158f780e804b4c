"""The three probes: looks into one column, bounded in time, worded as observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz, process

from agents.dsl.expressions import Expression
from agents.dsl.names import quoted
from agents.dsl.operations.aggregate import Aggregate, Aggregation
from agents.dsl.operations.base import ProbeOperation
from agents.dsl.operations.derive_column import DeriveColumn
from agents.dsl.operations.limit import Limit
from agents.dsl.operations.order_by import OrderBy, OrderKey
from agents.dsl.operations.probe_values import ProbeValues
from agents.dsl.operations.select_columns import Renamed, SelectColumns
from agents.dsl.operations.sim_value_in import SimValueIn
from agents.dsl.operations.value_exists import ValueExists
from agents.dsl.relation import Columns, Relation, RelColumn
from agents.dsl.type_rules import NUMERIC
from agents.engine.access import Access
from agents.engine.observations import cell_text, count_text
from agents.engine.predicates import Value, any_of, as_text, contains, equals, filtered, how_many_of, is_null
from agents.errors import QueryTimeoutError
from connections.values import display_text

_NOT_SHOWN = "(values are not shown on this connection)"
# PostgreSQL cannot tell two of these apart, so they are compared as texts.
_NO_EQUALITY = ("json", "array", "struct")
_NO_EQUALITY_TYPES = ("xml", "point", "line", "lseg", "box", "path", "polygon", "circle")


@dataclass(frozen=True)
class _Column:
    """A column under probe, alone in a relation. `sampled` says that only its first rows are looked at."""

    relation: Relation
    column: RelColumn
    sampled: int = 0

    @property
    def name(self) -> str:
        return quoted(self.column.name)

    @property
    def where(self) -> str:
        return f" in the first {self.sampled:,} rows (a sample)" if self.sampled else ""


class Probes:
    """Answers probing operations for one engine."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._settings = access.settings

    def observe(self, operation: ProbeOperation, relation: Relation) -> str:
        """The observation. Raises a ModelCorrectableError, or QueryTimeoutError when even a sample takes too long."""
        columns = Columns(relation)
        column = columns[getattr(operation, "column")]  # noqa: B009 - every probe has one
        whole = self._alone(relation, column)
        try:
            text = self._answer(operation, whole)
        except QueryTimeoutError:
            sample = self._access.relate(Limit("", self._settings.sample_rows), (whole.relation,), relation.handle)
            text = self._answer(operation, replace(whole, relation=sample, sampled=self._settings.sample_rows))
        return text + "".join(f"\nnote: {note}" for note in columns.notes)

    def nearest(self, relation: Relation, column: RelColumn, value: Value, k: int) -> list[tuple[Any, float]]:
        """The `k` stored values spelled most like `value`, with scores from 0 to 100, the nearest first."""
        return self._nearest(self._alone(relation, column), value, k)[0]

    def _alone(self, relation: Relation, column: RelColumn) -> _Column:
        if self._access.dialect.name == "postgresql" and not _has_equality(column):
            name = f"{column.name} as text"
            text = RelColumn(name, "text", "text")
            made = Relation(
                DeriveColumn("", name, ""),
                relation.handle,
                (relation,),
                {**relation.columns, name: text},
                (as_text(column, self._access.dialect),),
            )
            return _Column(
                self._access.relate(SelectColumns("", (Renamed(name, name),)), (made,), relation.handle), text
            )
        only = SelectColumns("", (Renamed(column.name, column.name),))
        return _Column(self._access.relate(only, (relation,), relation.handle), column)

    def _answer(self, operation: ProbeOperation, column: _Column) -> str:
        if isinstance(operation, ProbeValues):
            return self._values(operation, column)
        if isinstance(operation, ValueExists):
            return self._exists(operation.value, column)
        assert isinstance(operation, SimValueIn)
        return self._similar(operation.value, operation.k, column)

    def _rows(self, relation: Relation, max_rows: int) -> Sequence[tuple[Any, ...]]:
        seconds = self._settings.probe_seconds
        return self._access.fetch(relation, max_rows=max_rows, seconds=seconds, purpose="probe").rows

    # ---- probe_values ------------------------------------------------------------------------------------------------

    def _values(self, operation: ProbeValues, column: _Column) -> str:
        source = filtered(column.relation, is_null(column.column.name, negated=True))
        if operation.contains:
            source = filtered(source, contains(column.column, operation.contains, self._access.dialect))
        counted = self._access.relate(
            Aggregate("", (column.column.name,), (Aggregation("count", "*", _free("rows", column)),)),
            (source,),
            "values",
        )
        total, nulls = self._count(column.relation), self._count(filtered(column.relation, is_null(column.column.name)))
        distinct = self._count(counted)
        containing = f" containing {operation.contains!r}" if operation.contains else ""
        head = (
            f"{column.name}{column.where}: {distinct:,} distinct {'value' if distinct == 1 else 'values'}{containing}, "
            f"{count_text(total)}, {nulls:,} NULL"
        )
        if not self._settings.send_values:
            return f"{head}\n{_NOT_SHOWN}"
        keys = (OrderKey(_free("rows", column), True), OrderKey(column.column.name))
        first = self._access.relate(OrderBy("", keys), (counted,), "values")
        rows = self._rows(self._access.relate(Limit("", operation.limit), (first,), "values"), operation.limit)
        lines = [f"{cell_text(value)}: {count:,}" for value, count in rows]
        if distinct > len(lines):
            lines.append(f"… and {distinct - len(lines):,} more values")
        return "\n".join([head, *lines])

    def _count(self, relation: Relation) -> int:
        return self._access.count(relation, seconds=self._settings.probe_seconds)

    # ---- value_exists ------------------------------------------------------------------------------------------------

    def _exists(self, value: Value, column: _Column) -> str:
        condition = equals(column.column, value, self._access.dialect)
        count = self._count(filtered(column.relation, condition))
        told = "NULL" if value is None else cell_text(value)
        if count:
            return f"yes: {column.name} = {told} in {count_text(count)}{column.where}"
        head = f"no: {column.name} never equals {told}{column.where}"
        if not self._settings.send_values or value is None:
            return head
        if column.column.semantic in NUMERIC:
            return head + self._range(column)
        near, _ = self._nearest(column, value, 5)
        return head + (f"; nearest stored values: {_listed(near)}" if near else "; nothing stored is near")

    def _range(self, column: _Column) -> str:
        name = column.column.name
        aggs = (Aggregation("min", name, "low"), Aggregation("max", name, "high"))
        (row,) = self._rows(self._access.relate(Aggregate("", (), aggs), (column.relation,), "range"), 1)
        return f"; stored values go from {cell_text(row[0])} to {cell_text(row[1])}"

    # ---- sim_value_in ------------------------------------------------------------------------------------------------

    def _similar(self, value: Value, k: int, column: _Column) -> str:
        near, looked_at = self._nearest(column, value, k)
        if not self._settings.send_values:
            same = any(score == 100 for _, score in near)
            told = "a stored value is spelled like it" if same else "no stored value is the same"
            return f"{column.name}: {told}\n{_NOT_SHOWN}"
        head = f"{column.name}{column.where}: nearest to {cell_text(value)}{looked_at}"
        return "\n".join(
            [head, *(f"{cell_text(stored)}: {score:.0f}" for stored, score in near)] if near else [f"{head}: none"]
        )

    def _nearest(self, column: _Column, value: Value, k: int) -> tuple[list[tuple[Any, float]], str]:
        """The nearest values, and a remark when not all distinct values were looked at."""
        stored, looked_at = self._candidates(column, "" if value is None else str(value))
        texts = [display_text(item) for item in stored]
        wanted = display_text(value)
        found = process.extract(wanted, texts, scorer=_alike, processor=str.casefold, limit=k, score_cutoff=30)
        return [(stored[index], score) for _, score, index in found], looked_at

    def _candidates(self, column: _Column, value: str) -> tuple[list[Any], str]:
        """All distinct values, or of very many those that share most letters with `value`."""
        known = filtered(column.relation, is_null(column.column.name, negated=True))
        stored, all_of_them = self._distinct(known)
        if all_of_them:
            return stored, ""
        pieces = _pieces(value)
        if not pieces:
            return stored, f" among {len(stored):,} of more distinct values"
        conditions = [contains(column.column, piece, self._access.dialect) for piece in pieces]
        narrowed, _ = self._distinct(filtered(known, any_of(conditions)), first=how_many_of(conditions))
        shown = f"the {len(narrowed):,} distinct values that share most letters with it"
        return narrowed, f" among {shown} (of more than {len(stored):,})"

    def _distinct(self, relation: Relation, first: Expression | None = None) -> tuple[list[Any], bool]:
        """As many distinct values as are looked at, those first for which `first` is greatest, and whether they are
        all."""
        name, most = next(iter(relation.columns)), self._settings.distinct_values
        values = self._access.relate(Aggregate("", (name,), ()), (relation,), "values")
        if first is not None:
            rank = f"{name} rank"
            columns = {**values.columns, rank: RelColumn(rank, "integer", "integer")}
            ranked = Relation(DeriveColumn("", rank, ""), "values", (values,), columns, (first,))
            ordered = self._access.relate(OrderBy("", (OrderKey(rank, True),)), (ranked,), "values")
            values = self._access.relate(SelectColumns("", (Renamed(name, name),)), (ordered,), "values")
        limited = self._access.relate(Limit("", most + 1), (values,), "values")
        seconds = self._settings.probe_seconds
        rows = self._access.fetch(limited, max_rows=most, seconds=seconds, purpose="probe")
        return [row[0] for row in rows.rows], not rows.truncated


def _has_equality(column: RelColumn) -> bool:
    return column.semantic not in _NO_EQUALITY and column.type.lower() not in _NO_EQUALITY_TYPES


def _alike(one: str, other: str, **_: Any) -> float:
    """Whole spellings count most; a text within the other comes next."""
    return max(fuzz.ratio(one, other), 0.9 * fuzz.WRatio(one, other))


def _pieces(value: str) -> list[str]:
    """Short parts of a text, of which a stored value that is spelled like it has at least one."""
    words = [word for word in value.split() if len(word) >= 3]
    parts = [part for word in words for part in (word[:3], word[-3:])] or ([value] if value.strip() else [])
    return list(dict.fromkeys(parts))[:8]


def _listed(near: Sequence[tuple[Any, float]]) -> str:
    return ", ".join(cell_text(stored) for stored, _ in near)


def _free(name: str, column: _Column) -> str:
    return name if name != column.column.name else f"{name}_2"
