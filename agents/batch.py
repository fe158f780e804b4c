"""One batch of calls: run in order, each saved before the next, then told in one observation.

Every strategy that acts does it here, so the trace of a drafted SQL reads like a turn of the ReAct loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from agents.contracts import Workbench
from agents.dsl.relation import Relation
from agents.engine.outcomes import Outcome, Result
from agents.errors import CORRECTABLE, RunDivergedError
from agents.observing import call_result, observation_text, result_of
from agents.traces.events import CallResult, Observation, Warned

Call = Mapping[str, Any]


class Performer(Protocol):
    """What carries out calls: the engine itself, or something that allows less of it or more."""

    def call(self, call: Call) -> Outcome:
        """Do it. What the model can mend is in `Outcome.error`, never raised."""

    def restore(self, call: Call, result: Result | None = None) -> None:
        """Come to the state after a call that succeeded before, without showing anything."""


class Batch:
    """The calls of one turn, in one branch. `replayed` says that the last one that worked did so in an earlier attempt:
    of its result only the head is known, as JSON."""

    def __init__(self, bench: Workbench, performer: Performer, turn: int, *, branch: str = "") -> None:
        self._bench, self._performer = bench, performer
        self._turn, self._branch = turn, branch
        self._made: dict[int, Relation] = {}  # by the call's index: a later call may give the same handle
        self.replayed = False

    def run(self, calls: Sequence[Call], beyond: Sequence[Call] = ()) -> list[CallResult]:
        """One event a call. The first failure skips the rest; what succeeded before stays. `beyond` are calls over
        the limit of a turn: never run, but told."""
        results: list[CallResult] = []
        failed = ""
        for index, call in enumerate(calls):
            result = self._skip(index, call, failed) if failed else self._run_one(index, call)
            if result.state == "failed":
                failed = f"call {index + 1} failed"
            results.append(result)
        for index, call in enumerate(beyond, start=len(results)):
            results.append(self._skip(index, call, "too many calls for one turn"))
        self._warn(warning for result in results for warning in result.warnings)
        return results

    def observe(self, results: Sequence[CallResult], notes: Sequence[str] = (), more: str = "") -> Observation:
        """What the model is told: every call, the live handles, `more` at the end. Rows are counted here, once."""

        def tell() -> Observation:
            engine, settings = self._bench.engine, self._bench.settings
            made = self._made
            counts = engine.count(tuple(made.values()), settings.count_ms) if made else []
            counted = {index: count for index, count in zip(made, counts, strict=True) if count is not None}
            warnings = self._empty_steps(results, counted)
            text = observation_text(results, counted, warnings, notes, engine.handles, settings.observation_tokens)
            rows = {str(index): count for index, count in counted.items()}
            return Observation(turn=self._turn, text=text + more, rows_out=rows, warnings=warnings)

        observation = self._bench.journal.once(Observation, tell, branch=self._branch)
        self._warn(observation.warnings)
        return observation

    def _run_one(self, index: int, call: Call) -> CallResult:
        acted = False

        def act() -> CallResult:
            nonlocal acted
            acted = True
            return call_result(self._turn, index, self._performer.call(call), self._bench.engine.results)

        event = self._bench.journal.once(CallResult, act, branch=self._branch)
        self._bench.budget.count_call()
        if event.state == "ok":
            self.replayed = not acted
            if not acted:
                self._restore(call, event)
            made = self._bench.engine.handles.get(event.handle)
            if made is not None and event.result is None:
                self._made[index] = made
        return event

    def _restore(self, call: Call, event: CallResult) -> None:
        try:
            self._performer.restore(call, result_of(event))
        except CORRECTABLE as error:
            raise RunDivergedError(
                f"This run cannot be continued: call {event.index + 1} of turn {self._turn} worked before, and now "
                f"it cannot be made again. {error} The schema changed since. Ask the question again."
            ) from error

    def _skip(self, index: int, call: Call, reason: str) -> CallResult:
        return self._bench.journal.emit(
            CallResult(turn=self._turn, branch=self._branch, index=index, call=call, state="skipped", text=reason)
        )

    def _empty_steps(self, results: Sequence[CallResult], counted: Mapping[int, int]) -> tuple[str, ...]:
        """The first step of the batch that leaves no rows, and why, unless an execute told it already."""
        if any(result.result is not None and result.row_count == 0 for result in results):
            return ()
        empty = next((self._made[index] for index, count in counted.items() if count == 0), None)
        if empty is None:
            return ()
        reason = self._bench.engine.empty_reason(empty)
        return (f"{empty.handle} has no rows" + (f": {reason}" if reason else ""),)

    def _warn(self, warnings: Iterable[str]) -> None:
        for warning in dict.fromkeys(warnings):
            self._bench.journal.emit(Warned(turn=self._turn, branch=self._branch, text=warning))
