"""The values of a transcript: a turn, its calls, and what the run has used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from agents.answers.wording import Phrase

CallState = Literal["wait", "run", "ok", "warn", "err", "skip"]

# What a change asks to be shown again: "turn" is new, "whole" all of one, "head" its first line, "end" the run's end.
ChangeKind = Literal["turn", "whole", "head", "thought", "calls", "call", "status", "end"]


@dataclass(frozen=True, slots=True)
class Change:
    kind: ChangeKind
    turn: str = ""
    call: int = 0


@dataclass(frozen=True, slots=True)
class CallLine:
    """One call of a turn. `rows_in` and `rows_out` are None where nothing was counted."""

    turn: str
    number: int
    call: Mapping[str, Any]
    state: CallState
    phrase: Phrase
    handle: str = ""
    rows_in: int | None = None
    rows_out: int | None = None
    rows_exact: bool = True
    truncated: bool = False
    shown_rows: int = 0
    ms: float | None = None
    columns: tuple[Mapping[str, Any], ...] = ()
    text: str = ""
    warnings: tuple[str, ...] = ()
    error: Mapping[str, str] | None = None
    sql: str = ""
    result: int | None = None
    corrected_in: str = ""

    @property
    def key(self) -> str:
        return f"{self.turn}-{self.number}"

    @property
    def op(self) -> str:
        return str(self.call.get("op", ""))

    @property
    def is_open(self) -> bool:
        return self.state in ("wait", "run")


@dataclass(slots=True)
class Turn:
    """`key` is the number of the turn, with the branch before it where several lines of work run side by side."""

    key: str
    number: int
    branch: str = ""
    running: bool = True
    thought: str = ""
    thinking: bool = True
    calls: list[CallLine] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    sql: str = ""
    is_final: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def seconds(self) -> float | None:
        if self.started_at is None or self.ended_at is None:
            return None
        return max((self.ended_at - self.started_at).total_seconds(), 0.0)

    @property
    def facts(self) -> tuple[str, ...]:
        """What the turn's first line says after its number."""
        if self.running:
            return (self._progress(),)
        seconds = self.seconds
        return ((f"{seconds:.1f} s",) if seconds is not None else ()) + (self._outcome(),)

    def _progress(self) -> str:
        if not self.calls:
            return "thinking" if self.thinking else "reading the reply"
        done = sum(not line.is_open for line in self.calls)
        return f"{done} of {counted(len(self.calls), 'call')} done"

    def _outcome(self) -> str:
        if not self.calls:
            return "final answer" if self.is_final else "no call"
        states = [line.state for line in self.calls]
        parts = [f"{counted(sum(state in ('ok', 'warn') for state in states), 'call')} done"]
        parts += [counted(states.count("warn"), "warning")] if "warn" in states else []
        parts += [counted(states.count("err"), "error")] if "err" in states else []
        return ", ".join(parts)


@dataclass(slots=True)
class Totals:
    """What the run has used so far; tokens are input and output together."""

    model: str = ""
    strategy: str = ""
    turn: int = 0
    turns_allowed: int | None = None
    tokens: int = 0
    cost: float | None = None
    calls: int = 0
    warnings: int = 0
    errors: int = 0
    started_at: datetime | None = None


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
