"""Lifted programs read well: one golden file a construct, the SQL on its first line and the calls below.

`UPDATE_GOLDEN=1` writes what lifting makes now; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agents.engine.lift import LiftedProgram, lift
from connections.catalogue import Catalogue, Column, Table
from tests.lift.shop import catalogue

GOLDEN = sorted((Path(__file__).parent / "programs").glob("*.txt"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_program_is_the_one_in_the_golden_file(path: Path) -> None:
    sql = path.read_text().splitlines()[0]
    written = f"{sql}\n\n{_written(lift(sql, catalogue(), 'sqlite'))}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(written)
    assert written == path.read_text()


def test_lifting_twice_gives_the_same_calls() -> None:
    sql = "SELECT name FROM staff s WHERE id NOT IN (SELECT staff_id FROM sales WHERE amount > s.wage)"
    assert lift(sql, catalogue(), "sqlite") == lift(sql, catalogue(), "sqlite")


@pytest.mark.parametrize("call", ["median(price)", "median(price) OVER (PARTITION BY kind)"])
def test_a_median_of_decimals_that_duckdb_cuts_is_warned_of(call: str) -> None:
    prices = Table("prices", columns=(Column("kind", "VARCHAR", "text"), Column("price", "DECIMAL(8,2)", "decimal")))
    duckdb = Catalogue("duckdb", (prices,))
    assert "one digit more" in lift(f"SELECT {call} FROM prices", duckdb, "duckdb").warnings[0]
    as_double = call.replace("price", "CAST(price AS DOUBLE)")
    assert lift(f"SELECT {as_double} FROM prices", duckdb, "duckdb").warnings == ()


def _written(lifted: LiftedProgram) -> str:
    lines = []
    for call in lifted.program:
        made = f"{call['out']} = " if "out" in call else ""
        lines.append(f"{made}{call['op']} {json.dumps(call['args'])}")
    lines += [f"warning: {warning}" for warning in lifted.warnings]
    return "\n".join(lines) + "\n"
