"""What a reader writes into a filter is that value, on every database, whatever signs it holds."""

from __future__ import annotations

from typing import Any

import pytest

from agents.answers.parameters import parameters_of, with_values
from agents.dsl.expressions import literals
from agents.engine.engine import Engine
from agents.engine.programs import open_door
from connections.catalogue import DialectName
from tests.databases import DIALECTS
from tests.engine.test_engine import NewDatabase, call

ODD = [
    "plain", r"C:\new", "abc\\", r"\' OR 1=1 #", r"\' OR 1=1 -- ",
    r"\\' OR 1=1 #", "' OR 1=1 #", "' OR '1'='1", "\\", "\\\\",
    "'", "''", r"\'", r"'\'", r"\%", r"\_", r"\0", r"\Z", "it's", 'say "yes"', "`name`", "$$x$$", "$1", "?", ":name",
    "%s", "{x}", "/* x */", "--", "#", ";",
    "a\nb", "a\tb", r"a\nb", "E'x'", r"\x41", r"\u0041", "ü–😀", " blank", "NULL",
]  # fmt: skip
FROM_HEX = {
    "sqlite": "CAST(X'{}' AS TEXT)", "duckdb": "decode(from_hex('{}'))", "mysql": "CONVERT(X'{}' USING utf8mb4)",
    "postgresql": "convert_from(decode('{}', 'hex'), 'UTF8')",
}  # fmt: skip


def filtered(predicate: str) -> list[dict[str, Any]]:
    return [call("table_ref", "t", table="t"), call("filter_expr", "f", rel="t", predicate=predicate),
            call("execute", rel="f")]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_value_finds_its_row_and_no_other(new_database: NewDatabase, dialect: DialectName) -> None:
    rows = ", ".join(f"({n}, {FROM_HEX[dialect].format(value.encode().hex())})" for n, value in enumerate(ODD))
    create = "CREATE TABLE t (id INTEGER PRIMARY KEY NOT NULL, name VARCHAR(40)); INSERT INTO t VALUES " + rows
    program = filtered("name = 'x' AND id >= 0")
    shown = parameters_of(program, dialect)
    with open_door(new_database(dialect, create)) as door:
        for number, value in enumerate(ODD):
            changed = with_values(program, shown, {"name": value}, dialect)
            assert [one.value for one in parameters_of(changed, dialect)] == [value, "0"]
            engine = Engine(door)
            outcomes = engine.run(changed)
            assert outcomes[-1].error is None, (value, outcomes[-1].text)
            assert engine.result(1).rows == ((number, value),)


@pytest.mark.parametrize(
    ("dialect", "predicate", "values"),
    [("mysql", r"name = 'a\\b' AND b = 'it\'s' AND c = 'it''s'", ["a\\b", "it's", "it's"]),
     ("mysql", r"`it's 7` = -5 AND a = 'x' # it's 9", ["-5", "x"]), ("mysql", r'a = "\"q\' 1" AND b = 2', ["2"]),
     ("sqlite", r"name = 'a\' AND b = 'c\\d'", ["a\\", "c\\\\d"]),
     ("sqlite", "a = 'x' /* it's 9 */ AND b = 1.5", ["x", "1.5"]),
     ("postgresql", r"a = E'b\'c' AND d = 'e\'", ["e\\"]), ("postgresql", "a = $$it's 1$$ AND b -3 > 2", ["3", "2"]),
     ("duckdb", r"a = E'b\'c' AND d = 'e\' AND f IN (-1, - 2)", ["e\\", "-1", "2"]), ("sqlite", "a = 'open", [])],
)  # fmt: skip
def test_literals_are_those_that_the_database_reads(dialect: DialectName, predicate: str, values: list[str]) -> None:
    assert [one.value for one in literals(predicate, dialect)] == values
    program = filtered(predicate)
    shown = parameters_of(program, dialect)
    assert with_values(program, shown, {}, dialect) == program
    changed = with_values(program, shown, {one.name: "7" for one in shown}, dialect)
    assert [one.value for one in parameters_of(changed, dialect)] == ["7"] * len(values)
