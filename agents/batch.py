"""One batch of calls: run in order, each saved before the next, then told in one observation.

Every strategy that acts does it here, so the trace of a drafted SQL reads like a turn of the ReAct loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from agents.contracts import Workbench
from agents.engine.outcomes import Outcome, Result
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
            made = {r.handle: str(r.index) for r in results if r.handle and r.state == "ok" and r.result is None}
            counts = engine.count(tuple(made), settings.count_ms) if made else {}
            counted = {handle: count for handle, count in counts.items() if count is not None}
            warnings = self._empty_steps(results, counted)
            text = observation_text(results, counted, warnings, notes, engine.handles, settings.observation_tokens)
            rows = {made[handle]: count for handle, count in counted.items()}
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
        if self.replayed and event.state == "ok":
            self._performer.restore(call, result_of(event))
        return event

    def _skip(self, index: int, call: Call, reason: str) -> CallResult:
        return self._bench.journal.emit(
            CallResult(turn=self._turn, branch=self._branch, index=index, call=call, state="skipped", text=reason)
        )

    def _empty_steps(self, results: Sequence[CallResult], counted: Mapping[str, int]) -> tuple[str, ...]:
        """The first step of the batch that leaves no rows, and why, unless an execute told it already."""
        if any(result.result is not None and result.row_count == 0 for result in results):
            return ()
        empty = next((result.handle for result in results if counted.get(result.handle) == 0), None)
        if empty is None:
            return ()
        reason = self._bench.engine.empty_reason(empty)
        return (f"{empty} has no rows" + (f": {reason}" if reason else ""),)

    def _warn(self, warnings: Iterable[str]) -> None:
        for warning in dict.fromkeys(warnings):
            self._bench.journal.emit(Warned(turn=self._turn, branch=self._branch, text=warning))
