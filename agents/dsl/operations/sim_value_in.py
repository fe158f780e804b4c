from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, NAME, SCALAR, argument, integer
from agents.dsl.operations.base import ProbeOperation


@dataclass(frozen=True)
class SimValueIn(ProbeOperation):
    """Shows the `k` (5) stored values of a column that are spelled most like `value`, with a score from 0 to 100."""

    name: ClassVar[str] = "sim_value_in"
    example: ClassVar[str] = '{"rel": "c", "column": "city", "value": "Lissabon"}'

    rel: str = argument(HANDLE)
    column: str = argument(NAME)
    value: str | int | float | bool | None = argument(SCALAR)
    k: int = argument(integer(1, 50), default=5)
