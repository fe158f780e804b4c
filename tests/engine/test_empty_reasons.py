"""Of a result without rows, the operation is named that left none, and no other that has none either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from tests.engine.data import create_sql

Call = dict[str, Any]


def call(op: str, out: str, **args: Any) -> Call:
    return {"op": op, "args": args, "out": out}


def ending(*calls: Call) -> list[Call]:
    return [*BASE, *calls, {"op": "execute", "args": {"rel": calls[-1]["out"]}}]


def joined(how: str, left: str, right: str) -> Call:
    return call("join_table", "j", left=left, right=right, how=how, on=[["customer", "id"]])


def both(kind: str, left: str, right: str, out: str = "s") -> Call:
    return call("set_operation", out, left=left, right=right, kind=kind)


BASE = [
    call("table_ref", "o", table="orders"),
    call("table_ref", "c", table="customers"),
    call("table_ref", "e", table="empty_log"),
]
MISSPELT = "status has no 'pade'; nearest: paid"
NO_CUSTOMER = call("filter_expr", "f0", rel="c", predicate="id < 0")
NO_ORDER = call("filter_expr", "o0", rel="o", predicate="id < 0")
OTHER_ORDER = call("filter_expr", "o1", rel="o", predicate="id < 10")
NUMBER = call("aggregate", "n", rel="f0", aggs=[{"fn": "count", "column": "*", "as": "rows"}])
F0 = "no row of c passes the filter f0 (id < 0)"
O0 = "no row of o passes the filter o0 (id < 0)"


def filtered(rel: str, predicate: str = "status = 'pade'") -> Call:
    return call("filter_expr", "f", rel=rel, predicate=predicate)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        pytest.param([NO_CUSTOMER, joined("left", "o", "f0"), filtered("j")], MISSPELT, id="right of a left join"),
        pytest.param([NO_ORDER, joined("left", "o0", "c"), filtered("j")], O0, id="left of a left join"),
        pytest.param([NO_CUSTOMER, joined("inner", "o", "f0"), filtered("j")], F0, id="right of an inner join"),
        pytest.param([joined("inner", "o", "e")], "the table empty_log is empty", id="an empty table joined"),
        pytest.param([NO_ORDER, both("union", "o0", "o"), filtered("s")], MISSPELT, id="one side of a union"),
        pytest.param([NO_ORDER, OTHER_ORDER, both("union_all", "o0", "o1"), filtered("s")], O0, id="a whole union"),
        pytest.param([NO_ORDER, both("except", "o", "o0"), filtered("s")], MISSPELT, id="right of except"),
        pytest.param([NO_ORDER, both("except", "o0", "o"), filtered("s")], O0, id="left of except"),
        pytest.param([both("except", "o", "o")], "s (set_operation) has no rows", id="except itself"),
        pytest.param([NO_ORDER, both("intersect", "o", "o0"), filtered("s")], O0, id="right of intersect"),
        pytest.param(
            [NO_CUSTOMER, NUMBER, filtered("n", "rows > 3")], "no row of n passes the filter f (rows > 3)",
            id="below an aggregate of everything",
        ),
        pytest.param(
            [NO_CUSTOMER, call("aggregate", "g", rel="f0", group_by=["country"]), filtered("g", "country = 'pt'")], F0,
            id="below an aggregate of groups",
        ),
        pytest.param([call("limit", "f", rel="o", n=5, offset=90)], "f (limit) has no rows", id="beyond the end"),
    ],
)  # fmt: skip
def test_the_operation_is_named_that_left_no_rows(
    new_database: Callable[[str, str], str], calls: list[Call], told: str
) -> None:
    with open_door(new_database("sqlite", create_sql())) as door:
        *_, outcome = Engine(door).run(ending(*calls))
    (warning,) = outcome.warnings
    assert told in warning
    assert warning.count("no row of ") <= 1


def test_of_a_long_program_the_first_that_left_no_rows_is_named(new_database: Callable[[str, str], str]) -> None:
    steps = [call("filter_expr", f"f{i}", rel=f"f{i - 1}", predicate=f"id > {i}") for i in range(1, 30)]
    with open_door(new_database("sqlite", create_sql())) as door:
        *_, outcome = Engine(door, settings=EngineSettings(check_seconds=5)).run(ending(NO_CUSTOMER, *steps))
    assert outcome.warnings == (f"result 1 has no rows: {F0}",)
