"""The events of a run: they are the trace.

Each is a frozen dataclass with a literal `kind`. `to_json` and `from_json` are exact inverses. The journal
(journal.py) gives every event its `position` (1, 2, …, dense over a run) and `at` (UTC, ISO 8601) when it is emitted.

`branch` names a parallel line of work inside one run ("" for the main line, "candidate-2", …): events of one branch are
in order, events of two branches may interleave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True, kw_only=True)
class Event:
    kind: ClassVar[str]
    position: int = 0
    at: str = ""
    turn: int = 0
    branch: str = ""


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    kind: ClassVar[Literal["run_started"]] = "run_started"
    question: str
    strategy: str
    model: str
    dialect: str
    evidence: str = ""
    budget: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SchemaShown(Event):
    """What the model was told of the database. `tables` in full, `folded` by name only or behind a look-alike; further
    ones that it cannot know of are in neither."""

    kind: ClassVar[Literal["schema_shown"]] = "schema_shown"
    tables: tuple[str, ...]
    folded: tuple[str, ...] = ()
    tokens: int = 0
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelCallStarted(Event):
    """A request to the model. `appended` are the messages new since the last call of the same `conversation`,
    as {"role", "content"}; joined over a conversation, with the replies between, they are the full prompt."""

    kind: ClassVar[Literal["model_call_started"]] = "model_call_started"
    purpose: str  # "agent", "shaper", "linking", …
    conversation: str
    appended: tuple[Mapping[str, str], ...]
    prompt_hash: str = ""


@dataclass(frozen=True, kw_only=True)
class ThoughtDelta(Event):
    """A piece of a reply while it is written. Live only: never saved, has position 0."""

    kind: ClassVar[Literal["thought_delta"]] = "thought_delta"
    text: str


@dataclass(frozen=True, kw_only=True)
class ModelReply(Event):
    """The raw reply of `model` (a profile's name), kept whole. `input` tokens include `cached` ones; `cost` is in US
    dollars, None when unknown."""

    kind: ClassVar[Literal["model_reply"]] = "model_reply"
    purpose: str
    conversation: str
    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float | None = None
    seconds: float = 0.0
    first_token_seconds: float = 0.0
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class Calls(Event):
    """The batch as it was read from the reply: `thought` and the calls as {"op", "args", "out"?}; `notes` say what was
    mended or dropped while reading. `sql` is the statement a model drafted, where the strategy is one of SQL."""

    kind: ClassVar[Literal["calls"]] = "calls"
    thought: str
    calls: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    sql: str = ""


@dataclass(frozen=True, kw_only=True)
class CallResult(Event):
    """What one call did. `index` counts from 0 within the turn's batch; `state` is "ok", "failed" or "skipped".

    `result` is the number N of an `execute`. `rows_in`/`rows_out` are None when not counted. `columns` are
    {"name", "type"}. `error` is {"type", "message"} or None. `preview` are JSON rows of an execute (first rows only).
    """

    kind: ClassVar[Literal["call_result"]] = "call_result"
    index: int
    call: Mapping[str, Any]
    state: Literal["ok", "failed", "skipped"]
    handle: str = ""
    columns: tuple[Mapping[str, Any], ...] = ()
    text: str = ""
    warnings: tuple[str, ...] = ()
    error: Mapping[str, str] | None = None
    result: int | None = None
    row_count: int | None = None
    row_count_exact: bool = True
    truncated: bool = False
    preview: tuple[tuple[Any, ...], ...] = ()
    sql: str = ""
    ms: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Observation(Event):
    """The text that the model is told after a batch. `rows_out` maps a call's index to its counted rows; `warnings` are
    those that counting brought up (a step that leaves no rows)."""

    kind: ClassVar[Literal["observation"]] = "observation"
    text: str
    rows_out: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Warned(Event):
    kind: ClassVar[Literal["warning"]] = "warning"
    text: str


@dataclass(frozen=True, kw_only=True)
class Retry(Event):
    """The model is asked again after a failure that passes: `attempt` counts from 1, `wait` in seconds. The tokens and
    US dollars are those of the attempt that failed, by estimate."""

    kind: ClassVar[Literal["retry"]] = "retry"
    attempt: int
    wait: float
    reason: str
    input: int = 0
    output: int = 0
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class Final(Event):
    """The model's final signal. `outcome` is "answered", "clarify" or "unanswerable"; `cites` are result numbers;
    `notes` say what was mended or dropped while reading."""

    kind: ClassVar[Literal["final"]] = "final"
    text: str
    outcome: str = "answered"
    cites: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Shaped(Event):
    """The answer as people see it. Either `result` names the execute that is the table, or `table` holds a small
    synthesised one ({"columns": [{"name", "type"}], "rows"}), or neither (a sentence only). `sources` are cited."""

    kind: ClassVar[Literal["shaped"]] = "shaped"
    text: str
    result: int | None = None
    table: Mapping[str, Any] | None = None
    sources: tuple[int, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class RunFinished(Event):
    kind: ClassVar[Literal["run_finished"]] = "run_finished"
    status: Literal["answered", "clarify", "unanswerable"]
    turns: int
    calls: int
    usage: Mapping[str, Any]  # {"input", "cached", "output", "cost"}
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RunFailed(Event):
    kind: ClassVar[Literal["run_failed"]] = "run_failed"
    error: Mapping[str, str]  # {"type", "message"}, and "detail" where an administrator can mend it
    turns: int = 0
    calls: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RunCancelled(Event):
    kind: ClassVar[Literal["run_cancelled"]] = "run_cancelled"
    by: str = ""
    turns: int = 0
    calls: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


EVENTS: Mapping[str, type[Event]] = {
    event.kind: event
    for event in (
        RunStarted, SchemaShown, ModelCallStarted, ThoughtDelta, ModelReply, Calls, CallResult, Observation, Warned,
        Retry, Final, Shaped, RunFinished, RunFailed, RunCancelled,
    )
}  # fmt: skip


def to_json(event: Event) -> dict[str, Any]:
    """A JSON object with `kind` first; lists instead of tuples."""
    return {"kind": event.kind, **{item.name: _thawed(getattr(event, item.name)) for item in fields(event)}}


def from_json(data: Mapping[str, Any]) -> Event:
    """The event that `to_json` wrote. Raises KeyError on an unknown kind, TypeError on unknown fields."""
    event = EVENTS[data["kind"]]
    levels = _tuple_levels(event)  # type: ignore[arg-type]  # mypy takes the hash of its instances for its own
    return event(**{name: _frozen(value, levels.get(name, 0)) for name, value in data.items() if name != "kind"})


def for_reader(event: Event, *, prompts: bool, details: bool) -> Event:
    """`event` with what its reader may see: see permissions.py."""
    event = event if details else without_details(event)
    return event if prompts else without_prompts(event)


def without_details(event: Event) -> Event:
    """`event` for who is no administrator: what only helps to mend a failure is left out."""
    if not isinstance(event, RunFailed):
        return event
    return replace(event, error={name: text for name, text in event.error.items() if name != "detail"})


def without_prompts(event: Event) -> Event:
    """`event` for who may see the run and not the whole database: prompts, raw replies, what the model was told, the
    names of all tables and an administrator's detail are empty; every field stays."""
    match event:
        case SchemaShown():
            return replace(event, tables=(), folded=())
        case ModelCallStarted():
            return replace(event, appended=())
        case ModelReply():
            return replace(event, text="", reasoning="")
        case Observation():
            return replace(event, text="")
        case RunFailed():
            return without_details(event)
        case _:
            return event


def _thawed(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_thawed(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return value


def _frozen(value: Any, levels: int) -> Any:
    """The outer `levels` of lists become tuples again; lists inside are cells and arguments, and stay lists."""
    return tuple(_frozen(item, levels - 1) for item in value) if levels and isinstance(value, list) else value


@cache
def _tuple_levels(event: type[Event]) -> Mapping[str, int]:
    """How deep each field is declared as a tuple: `tuple[tuple[Any, ...], ...]` is 2."""
    return {name: _depth(hint) for name, hint in get_type_hints(event).items()}


def _depth(hint: Any) -> int:
    return 1 + _depth(get_args(hint)[0]) if get_origin(hint) is tuple else 0
