"""The result that is an answer's table, whether it was stored by an execute or put together by the shaper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents import selectors
from agents.answers.cells import Column, columns_of, with_guessed_semantics
from agents.models import Run, StoredResult


@dataclass(frozen=True, slots=True)
class ShownResult:
    """`stored` is None for a synthesised table, whose `table` rows are at hand. `sources` are results it came from."""

    number: int
    columns: Sequence[Column]
    rows_stored: int
    row_count: int | None
    row_count_exact: bool
    truncated: bool
    expired: bool
    ms: float | None = None
    expires_at: datetime | None = None
    stored: StoredResult | None = None
    table: Sequence[Sequence[Any]] = ()

    def rows(self, offset: int = 0, limit: int = 100, sort: tuple[int, bool] | None = None) -> Sequence[Sequence[Any]]:
        """JSON cells of rows `offset`…, in the stored order or sorted by (column's place, descending)."""
        if self.stored is not None:
            return selectors.result_page(self.stored, offset, limit, sort=sort).rows
        return self.table[offset : offset + limit]


def shown_result(run: Run) -> ShownResult | None:
    if run.answer_table:
        return _synthesised(run.answer_table)
    if run.answer_result is None:
        return None
    stored = next((one for one in run.results.all() if one.number == run.answer_result), None)
    return _stored(stored) if stored is not None else None


def _stored(stored: StoredResult) -> ShownResult:
    return ShownResult(
        number=stored.number, columns=columns_of(stored.columns), rows_stored=stored.rows_stored,
        row_count=stored.row_count, row_count_exact=stored.row_count_exact, truncated=stored.truncated,
        expired=selectors.has_expired(stored), ms=stored.ms, expires_at=stored.expires_at, stored=stored,
    )  # fmt: skip


def _synthesised(table: Mapping[str, Any]) -> ShownResult:
    rows = table.get("rows") or []
    columns = with_guessed_semantics(columns_of(table.get("columns") or []), rows)
    return ShownResult(
        number=1, columns=columns, rows_stored=len(rows), row_count=len(rows), row_count_exact=True, truncated=False,
        expired=False, table=rows,
    )  # fmt: skip
