"""Looking at a relation of sixteen trillion rows: previews and probes end at their limits and say what
they do not know. Without the limits none of these tests would end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from agents.engine.engine import Engine, EngineSettings
from agents.engine.programs import open_door
from tests.engine.long_programs import call

ROWS = 2_000
SETTINGS = EngineSettings(probe_seconds=1.0, check_seconds=0.3, count_seconds=0.5, sample_rows=1_000)


@pytest.fixture
def engine(new_database: Callable[[str, str], str], dialect: str) -> Iterator[Engine]:
    rows = ", ".join(f"({n}, 'word {n % 7}')" for n in range(ROWS))
    create = f"CREATE TABLE t (n INTEGER, w VARCHAR(20)); INSERT INTO t VALUES {rows};"
    with open_door(new_database(dialect, create)) as door:
        engine = Engine(door, settings=SETTINGS)
        outcomes = engine.run([
            call("table_ref", "a", table="t"),
            call("join_table", "ab", left="a", right="a", how="cross"),
            call("join_table", "abcd", left="ab", right="ab", how="cross"),
        ])  # fmt: skip
        assert all(outcome.ok for outcome in outcomes)
        yield engine


def test_a_preview_shows_fifty_rows_and_leaves_the_count_open(engine: Engine) -> None:
    preview = engine.preview("abcd")
    assert (len(preview.rows), preview.truncated, preview.row_count) == (50, True, None)
    assert engine.preview("a").row_count == ROWS


@pytest.mark.parametrize(("op", "args"), [
    ("probe_values", {}), ("value_exists", {"value": "word 3"}), ("sim_value_in", {"value": "wrd 3"}),
])  # fmt: skip
def test_a_probe_looks_at_a_sample_and_says_so(engine: Engine, op: str, args: dict[str, str]) -> None:
    outcome = engine.call({"op": op, "args": {"rel": "abcd", "column": "w", **args}})
    assert outcome.ok, outcome.text
    assert "sample" in outcome.text


def test_a_result_is_cut_and_says_that_there_is_more(engine: Engine) -> None:
    outcome = engine.call({"op": "execute", "args": {"rel": "abcd"}})
    result = engine.result(1)
    assert (len(result.rows), result.truncated, result.row_count_exact) == (10_000, True, False)
    assert any("is cut" in warning for warning in outcome.warnings)
    assert "at least 10,001 rows" in outcome.text
