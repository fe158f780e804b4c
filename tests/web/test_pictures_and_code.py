"""The picture of a program, and marked code."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from django.conf import settings

from agents.answers.graph import LANE, draw, steps_of
from agents.answers.highlight import json_pieces, sql_pieces
from tests.web import stories


def test_the_main_line_stays_in_the_first_lane_and_sources_stand_above_their_reader() -> None:
    steps = steps_of(stories.PROGRAM)
    graph = draw(steps, current=5)
    assert graph is not None
    places = {node.number: (node.x, node.y) for node in graph.nodes}
    assert {places[number][0] for number in (1, 2, 4, 5, 6, 7)} == {3}
    assert places[3] == (3 + LANE, places[2][1])
    assert [(edge.source, edge.target) for edge in graph.edges if edge.on] == [(5, 6), (6, 7)]


def test_no_two_steps_stand_on_one_place() -> None:
    program = [stories.call("table_ref", f"t{n}", table=f"t{n}") for n in range(6)]
    for n in range(1, 6):
        left = "t0" if n == 1 else f"j{n - 1}"
        program.append(stories.call("join_table", f"j{n}", left=left, right=f"t{n}", how="inner", on=[["a", "b"]]))
    graph = draw(steps_of(program))
    assert graph is not None
    assert len({(node.x, node.y) for node in graph.nodes}) == len(graph.nodes)


def test_a_handle_that_is_bound_again_means_the_newest() -> None:
    program = [
        stories.call("table_ref", "t", table="orders"),
        stories.call("filter_expr", "t", rel="t", predicate="a"),
        stories.call("execute", rel="t"),
    ]
    assert [step.inputs for step in steps_of(program)] == [(), (1,), (2,)]


def test_an_empty_program_has_no_picture() -> None:
    assert draw(()) is None


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "mysql", "duckdb", ""])
def test_marking_loses_no_character(dialect: str) -> None:
    sql = 'WITH "a" AS (\n  SELECT COUNT(*) FROM `x`\n)\r\n-- "<b>"\nSELECT \'it\'\'s\', "b\u202e", 1e3 FROM [t];\n'
    assert "".join(text for _, text in sql_pieces(sql, dialect)) == sql


def test_functions_and_keywords_are_told_apart() -> None:
    pieces = sql_pieces('SELECT LOWER("a"), SUM(x) FILTER (WHERE y IN (1)) FROM "t"', "postgresql")
    marked = {text.strip(): name for name, text in pieces if name}
    assert (marked["LOWER"], marked["SUM"], marked["FILTER"], marked["WHERE"], marked["IN"]) == (
        "f",
        "f",
        "k",
        "k",
        "k",
    )


def test_json_is_marked_too() -> None:
    assert ("k", '"op"') in json_pieces('{"op": "x", "n": 1}')


VENDOR = Path(settings.BASE_DIR) / "static" / "vendor"


def test_vendored_files_are_the_ones_that_were_fetched() -> None:
    for line in (VENDOR / "checksums.txt").read_text("utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_every_vendored_package_has_version_licence_and_its_files() -> None:
    listed = set()
    for package in json.loads((VENDOR / "manifest.json").read_text("utf-8")):
        assert package["version"]
        assert package["licence"]
        listed |= {f"{package['folder']}/{target}" for target in package["files"].values()}
    there = {str(path.relative_to(VENDOR)) for path in VENDOR.rglob("*") if path.is_file() and path.parent != VENDOR}
    assert listed == there
