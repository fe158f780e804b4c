"""`react-sql` acts by SQL and by nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.traces.events import CallResult, Observation
from tests.agents.runs import SHOP, call, calls, final, running

OTHERS = {
    "operations": [call("table_ref", "t", table="orders"), call("execute", rel="t")],
    "another name for the same": [call("drop_all", sql="SELECT 1 AS one")],
    "operations behind a statement": [
        call("execute_sql", sql="SELECT id FROM orders"), call("execute", rel="orders"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_another_act_is_named_and_not_done(name: str, new_database: Callable[[str, str], str]) -> None:
    batch = OTHERS[name]
    with running(new_database("sqlite", SHOP), [calls(*batch), final("?", unanswerable=True)], "react-sql") as run:
        refused = next(result for result in run.of(CallResult) if result.state == "failed")
        assert refused.call["op"] != "execute_sql"
        assert refused.error["type"] == "UnknownOperationError"
        assert f"no operation {refused.call['op']}; there is execute_sql" in run.of(Observation)[0].text
        assert len(run.bench.engine.results) == sum(one["op"] == "execute_sql" for one in batch)
