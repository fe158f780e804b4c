"""The programs of `docs/sql.md` compile to the SQL beside them and run on the demo shop; UPDATE_GOLDEN=1 writes it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import connections.demo
from agents.engine.engine import Engine
from agents.engine.programs import open_door

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sql.md"
SCHEMA = Path(connections.demo.__file__).parent / "schema.sql"
BLOCKS = re.compile(r"```json\n(.*?)```\n\n```sql\n(.*?)```", re.DOTALL)
COUNT = len(BLOCKS.findall(PAGE.read_text(encoding="utf-8")))


def test_the_page_has_three_programs() -> None:
    assert COUNT == 3


@pytest.mark.parametrize("number", range(COUNT))
def test_a_documented_program_compiles_to_the_sql_beside_it(
    new_database: Callable[[str, str], str], number: int
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    program, written = BLOCKS.findall(page)[number]
    with open_door(new_database("sqlite", SCHEMA.read_text(encoding="utf-8"))) as door:
        engine = Engine(door)
        for outcome in engine.run(json.loads(program)):
            assert outcome.ok, outcome.text
        sql = engine.result(1).sql + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page.replace(f"{program}```\n\n```sql\n{written}```", f"{program}```\n\n```sql\n{sql}```"))
    assert sql == BLOCKS.findall(PAGE.read_text(encoding="utf-8"))[number][1]
    assert "*" not in sql.replace("COUNT(*)", "").replace("100.0 *", "")
