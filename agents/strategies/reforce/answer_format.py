"""What the answer is to look like, stated before any draft is written, and where a draft's table departs from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.engine.outcomes import Result
from agents.errors import MalformedReplyError

MOST_COLUMNS = 60


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """`columns` in order; `row` is what one row stands for, `single` says that there is one, `order` how they are
    ordered ("" for no order)."""

    columns: tuple[str, ...]
    row: str = ""
    single: bool = False
    order: str = ""

    def told(self) -> str:
        """For whoever writes the query."""
        rows = "one row" if self.single else f"one row for each {_without_article(self.row)}" if self.row else ""
        order = f"ordered by {self.order}" if self.order else ""
        return f"The answer's format: {'; '.join(filter(None, [self._columns(), rows, order]))}."

    def departures(self, sql: str, result: Result) -> Sequence[str]:
        """Why the table of `sql` is not of this format."""
        found = []
        if len(result.columns) != len(self.columns):
            has = _counted([column.name for column in result.columns])
            found.append(f"it shows {has}, and the answer is to have {self._columns()}")
        if self.single and result.row_count > 1:
            found.append(f"it has {result.row_count:,} rows, and the answer is to have one")
        if self.order and result.row_count > 1 and "order by" not in " ".join(sql.casefold().split()):
            found.append(f"it has no ORDER BY, and the answer is to be ordered by {self.order}")
        return found

    def _columns(self) -> str:
        return _counted(self.columns)


def read_format(said: Any) -> AnswerFormat:
    """The format that a model stated. Raises MalformedReplyError."""
    columns = said.get("columns") if isinstance(said, Mapping) else None
    if not isinstance(columns, list) or not 0 < len(columns) <= MOST_COLUMNS or not all(map(_is_text, columns)):
        raise MalformedReplyError('"answer" needs "columns": a list of what the answer shows, each as a text.')
    assert isinstance(said, Mapping)
    row, order = said.get("row"), said.get("order")
    return AnswerFormat(
        columns=tuple(" ".join(column.split()) for column in columns),
        row=" ".join(row.split()) if isinstance(row, str) else "",
        single=said.get("single") is True,
        order=" ".join(order.split()) if isinstance(order, str) else "",
    )


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} column{'' if len(names) == 1 else 's'} ({', '.join(names)})"


def _without_article(row: str) -> str:
    first, _, rest = row.partition(" ")
    return rest if first.casefold() in ("a", "an", "the", "one", "each") and rest else row


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
