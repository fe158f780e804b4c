from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, NAME, TEXT, argument, integer
from agents.dsl.operations.base import ProbeOperation


@dataclass(frozen=True)
class ProbeValues(ProbeOperation):
    """Shows the distinct values of a column with their row counts, most frequent first, and how many are NULL.

    `limit` (20) values are shown; `contains` keeps those that hold this literal text, in any letter case.
    """

    name: ClassVar[str] = "probe_values"
    example: ClassVar[str] = '{"rel": "o", "column": "status"}'

    rel: str = argument(HANDLE)
    column: str = argument(NAME)
    limit: int = argument(integer(1, 200), default=20)
    contains: str | None = argument(TEXT, default=None)
