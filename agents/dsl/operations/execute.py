from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.dsl.arguments import HANDLE, argument
from agents.dsl.operations.base import Operation


@dataclass(frozen=True)
class Execute(Operation):
    """Runs the relation and shows the result: its number N, the columns, the first rows and the total row count."""

    name: ClassVar[str] = "execute"
    example: ClassVar[str] = '{"rel": "top"}'

    rel: str = argument(HANDLE)
