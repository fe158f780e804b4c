"""Programs on the tiny shop, as the tests of what a relation means ask for their rows."""

from __future__ import annotations

from typing import Any

from agents.engine.engine import Engine
from tests.engine.test_engine import call


def rows(engine: Engine, *calls: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Of the last of `calls`."""
    outcomes = engine.run([*calls, call("execute", rel=calls[-1]["out"])])
    assert outcomes[-1].ok, outcomes[-1].text
    return list(engine.results[-1].rows)
