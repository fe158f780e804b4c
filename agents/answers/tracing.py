"""The trace of a run as a list of rows: every model call and every call, with when it ran and what it used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.answers.transcript import Transcript, branch_key
from agents.answers.turns import CallLine, Turn, counted
from agents.traces import events

# What a model call was for, in words. Other purposes are shown by name.
_PURPOSES = {"agent": "Model replied", "shaper": "Model wrote the sentence", "understanding": "Model read the question",
             "linking": "Model chose tables and columns", "reasoning": "Model took a step towards SQL",
             "exploration": "Model looked into columns"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One reply of the model. `request` is the position of its model_call_started event, 0 when it was lost."""

    key: str
    reply: events.ModelReply
    request: int
    start: float

    @property
    def words(self) -> str:
        return _PURPOSES.get(self.reply.purpose, f"Model replied ({self.reply.purpose})")


@dataclass(frozen=True, slots=True)
class CallRow:
    line: CallLine
    start: float

    @property
    def key(self) -> str:
        return f"call-{self.line.key}"


@dataclass(slots=True)
class TraceTurn:
    """A turn with its rows in order. Times are seconds from the start of the run."""

    key: str
    title: str
    rows: list[ModelRow | CallRow] = field(default_factory=list)
    turn: Turn | None = None

    @property
    def summary(self) -> str:
        calls = [row.line.state for row in self.rows if isinstance(row, CallRow)]
        if not calls:
            return "final answer" if self.turn is not None and self.turn.is_final else ""
        parts = [counted(len(calls), "call")]
        parts += [counted(calls.count("warn"), "warning")] if "warn" in calls else []
        parts += [counted(calls.count("err"), "error")] if "err" in calls else []
        return ", ".join(parts)

    @property
    def seconds(self) -> float:
        return sum(row.reply.seconds if isinstance(row, ModelRow) else (row.line.ms or 0) / 1000 for row in self.rows)


@dataclass(frozen=True, slots=True)
class Trace:
    turns: Sequence[TraceTurn]
    transcript: Transcript
    seconds: float
    database_ms: float
    input: int
    cached: int
    output: int

    def row(self, key: str) -> ModelRow | CallRow | None:
        return next((row for turn in self.turns for row in turn.rows if row.key == key), None)


def trace_of(saved: Sequence[events.Event]) -> Trace:
    """Everything that trace pages show, from the saved events in order."""
    transcript = Transcript()
    for event in saved:
        transcript.apply(event)
    begun = _moment(saved[0].at) if saved else None
    turns: dict[str, TraceTurn] = {}
    requests: dict[str, events.ModelCallStarted] = {}
    replies: dict[str, int] = {}
    for event in saved:
        key = branch_key(event)
        if isinstance(event, events.ModelCallStarted):
            requests[event.conversation] = event
        elif isinstance(event, events.ModelReply):
            replies[key] = replies.get(key, 0) + 1
            _turn(turns, transcript, event).rows.append(_model_row(event, requests, replies[key], begun))
        elif isinstance(event, events.CallResult):
            line = transcript.line(f"{key}-{event.index + 1}")
            if line is not None:
                start = _since(begun, event.at) - event.ms / 1000
                _turn(turns, transcript, event).rows.append(CallRow(line, max(start, 0.0)))
    return _summed(list(turns.values()), transcript, saved)


def _turn(turns: dict[str, TraceTurn], transcript: Transcript, event: events.Event) -> TraceTurn:
    key = branch_key(event)
    if key not in turns:
        title = f"Turn {event.turn}" if event.turn else "Before the first turn"
        turns[key] = TraceTurn(key, f"{title}, {event.branch}" if event.branch else title, turn=transcript.turn(key))
    return turns[key]


def _model_row(
    reply: events.ModelReply, requests: dict[str, events.ModelCallStarted], number: int, begun: datetime | None
) -> ModelRow:
    request = requests.get(reply.conversation)
    key = f"model-{branch_key(reply)}" + ("" if number == 1 else f"-{number}")
    return ModelRow(key, reply, request.position if request else 0, max(_since(begun, reply.at) - reply.seconds, 0.0))


def _summed(turns: list[TraceTurn], transcript: Transcript, saved: Sequence[events.Event]) -> Trace:
    replies = [event for event in saved if isinstance(event, events.ModelReply)]
    calls = [row.line for turn in turns for row in turn.rows if isinstance(row, CallRow)]
    begun = _moment(saved[0].at) if saved else None
    return Trace(
        turns=turns,
        transcript=transcript,
        seconds=_since(begun, saved[-1].at) if saved else 0.0,
        database_ms=sum(line.ms or 0 for line in calls),
        input=sum(reply.input for reply in replies),
        cached=sum(reply.cached for reply in replies),
        output=sum(reply.output for reply in replies),
    )


def prompt_until(saved: Sequence[events.Event], position: int) -> list[tuple[str, str]]:
    """The whole prompt of the model call at `position`, as (role, content): what was appended in its conversation up
    to there, with the replies between."""
    wanted = next((event for event in saved if event.position == position), None)
    if not isinstance(wanted, events.ModelCallStarted):
        return []
    messages: list[tuple[str, str]] = []
    for event in saved:
        if event.position > position:
            break
        if isinstance(event, events.ModelCallStarted) and event.conversation == wanted.conversation:
            messages += [(str(message.get("role", "")), str(message.get("content", ""))) for message in event.appended]
        elif isinstance(event, events.ModelReply) and event.conversation == wanted.conversation:
            messages.append(("assistant", event.text))
    return messages


def _moment(at: str) -> datetime | None:
    return datetime.fromisoformat(at) if at else None


def _since(begun: datetime | None, at: str) -> float:
    moment = _moment(at)
    return (moment - begun).total_seconds() if begun is not None and moment is not None else 0.0
