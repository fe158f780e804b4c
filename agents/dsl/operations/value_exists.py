from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, NAME, SCALAR, argument
from agents.dsl.operations.base import ProbeOperation


@dataclass(frozen=True)
class ValueExists(ProbeOperation):
    """Says whether a column holds exactly this value, and in how many rows; if not, shows the nearest stored values."""

    name: ClassVar[str] = "value_exists"
    example: ClassVar[str] = '{"rel": "c", "column": "city", "value": "Lisbon"}'

    rel: str = argument(HANDLE)
    column: str = argument(NAME)
    value: str | int | float | bool | None = argument(SCALAR)
