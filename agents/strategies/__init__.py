"""The strategies by name, and `start`: one run from its first event to its last.

A strategy is one module or folder with one `STRATEGY`, and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import cast

from agents.contracts import Answer, Strategy, Task, Workbench
from agents.errors import ConnectionFailedError, QueryCancelledError, RunCancelledError, RunLostError, RunStoppedError
from agents.traces.events import RunCancelled, RunFailed, RunFinished, RunStarted, Shaped

STRATEGIES: Mapping[str, str] = {
    "auto": "agents.strategies.auto",
    "react": "agents.strategies.react",
    "react-sql": "agents.strategies.react_sql",
    "lift": "agents.strategies.lift",
    "zero-shot": "agents.strategies.zero_shot",
    "reforce": "agents.strategies.reforce",
    "iesr": "agents.strategies.iesr",
}

PROGRAM = "program"
"""Runs `Task.program` and asks no model, so it is no choice for a question."""


def strategy(name: str) -> Strategy:
    """The strategy of that name. Raises ValueError naming those that exist."""
    known = {**STRATEGIES, PROGRAM: "agents.strategies.program"}
    if name not in known:
        raise ValueError(f"There is no strategy {name!r}; there are {', '.join(known)}.")
    return cast(Strategy, import_module(known[name]).STRATEGY)


def start(task: Task, bench: Workbench, name: str) -> Answer | None:
    """Run `task` under the strategy `name`; the events tell the rest. None when the run failed or was stopped.

    A run that another worker took over (RunLostError) ends here without a word. Raises ValueError on an unknown name.
    """
    chosen = strategy(name)
    with suppress(RunLostError):
        try:
            return _run(task, bench, chosen)
        except (RunCancelledError, QueryCancelledError):
            bench.journal.end(RunCancelled(**bench.budget.spent().to_json()))
        except (RunStoppedError, ConnectionFailedError) as error:
            if isinstance(error, RunLostError):
                raise
            bench.journal.end(RunFailed(error=_told(error), **bench.budget.spent().to_json()))
    return None


def _run(task: Task, bench: Workbench, chosen: Strategy) -> Answer:
    journal = bench.journal
    journal.emit(
        RunStarted(
            question=task.question,
            evidence=task.evidence,
            strategy=chosen.name,
            model=bench.model.profile.name,
            dialect=bench.catalogue.dialect,
            budget=bench.budget.limits.to_json(),
        )
    )
    answer = chosen.run(task, bench)
    journal.emit(
        Shaped(
            text=answer.text,
            result=answer.result,
            table=answer.table,
            sources=answer.sources,
            confidence=answer.confidence,
        )
    )
    journal.emit(RunFinished(status=answer.status, **bench.budget.spent().to_json()))
    return answer


def _told(error: Exception) -> dict[str, str]:
    """What happened, and for whoever can mend it, the provider's own words."""
    told = {"type": type(error).__name__, "message": str(error)}
    detail = getattr(error, "detail", "")
    return {**told, "detail": detail} if detail else told
