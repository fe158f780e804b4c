"""The seams of the agent on one page: Protocols and frozen values.

A strategy gets a `Task` (what was asked) and a `Workbench` (what it may use), and returns an `Answer`.
Everything that costs or shows goes through the workbench's journal, which is what makes a run resumable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from agents.engine.engine import Engine
from agents.llm.budget import Budget
from agents.llm.messages import Message, ModelProfile, Reply, Usage
from agents.traces.events import Event
from connections.catalogue import Catalogue

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """An answered question earlier in the thread: its final program and a small preview of its table."""

    question: str
    answer: str
    program: Sequence[Mapping[str, Any]]
    preview: str


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked. `today` is an ISO date in the asker's `time_zone` (an IANA name). `program` are the calls to run
    where no model is asked."""

    question: str
    evidence: str = ""
    today: str = ""
    time_zone: str = "UTC"
    earlier: tuple[EarlierTurn, ...] = ()
    program: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """How a run ended well. `result` is the number of the execute that is the table; `table` a synthesised one."""

    status: Literal["answered", "clarify", "unanswerable"]
    text: str
    result: int | None = None
    table: Mapping[str, Any] | None = None
    sources: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Choices of a run that are not limits. `samples`: drafts that vote, in the strategies lift (1: no vote) and
    reforce (1: as many as it takes of itself). `rollouts`: of the search that iesr makes."""

    shaping: Literal["auto", "always"] = "auto"
    paper_mode: bool = False
    samples: int = 1
    repairs: int = 3
    rollouts: int = 6
    schema_tokens: int = 12_000
    observation_tokens: int = 3_000
    count_ms: int = 300
    send_values: bool = True


class ModelClient(Protocol):
    """Asks the language model. Safe to use from several threads."""

    profile: ModelProfile

    def complete(
        self,
        messages: Sequence[Message],
        *,
        on_delta: Callable[[str], None] | None = None,
        on_retry: Callable[[int, float, str], None] | None = None,
        on_lost: Callable[[Usage], None] | None = None,
        meanwhile: Callable[[], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One reply, streamed through `on_delta`; it fits `schema` where the server can see to that. `on_lost` gets
        what a request used that brought no reply; `meanwhile` is called while nothing comes, and may raise to end the
        call. Raises a ModelAccessError, or RunCancelledError after `cancel`."""

    def samples(
        self,
        messages: Sequence[Message],
        count: int,
        *,
        on_retry: Callable[[int, float, str], None] | None = None,
        on_lost: Callable[[Usage], None] | None = None,
        meanwhile: Callable[[], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> tuple[Reply, ...]:
        """At most `count` replies to the same messages, at least one, for a vote; cheaper than as many calls where the
        provider allows it. The usage of a request stands at its first reply."""

    def cancel(self) -> None:
        """From another thread: close the running streams."""


class Journal(Protocol):
    """The run's durable memory. On a fresh run it saves; on a resumed one it first plays back what was saved."""

    def once(self, kind: type[E], act: Callable[[], E], *, branch: str = "") -> E:
        """The next event of `branch`: the saved one where the run was here before, else `act()`'s, saved at once.

        Raises RunLostError when another worker owns the run, RunCancelledError when it was cancelled.
        """

    def emit(self, event: E) -> E:
        """`once` for an event that costs nothing to make."""

    def end(self, event: E) -> E:
        """Save `event` as the last one, whatever of the past is not yet played back."""

    def live(self, event: Event) -> None:
        """Show an event that is not kept (thought_delta)."""

    def check(self) -> None:
        """Raise RunCancelledError or RunLostError if the run must stop."""


@dataclass(frozen=True)
class Workbench:
    """What a strategy may use. `leave_thread` is called at the end of every further thread that works for the run."""

    engine: Engine
    catalogue: Catalogue
    model: ModelClient
    journal: Journal
    budget: Budget
    settings: RunSettings = field(default_factory=RunSettings)
    leave_thread: Callable[[], None] = lambda: None


class Strategy(Protocol):
    """One way to answer. Raises a RunStoppedError when it cannot."""

    name: ClassVar[str]

    def run(self, task: Task, bench: Workbench) -> Answer: ...
