"""Schema linking and the stated format: what is read, what is told when it is wrong, and what drafts are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.contracts import EarlierTurn, RunSettings, Task
from agents.engine.outcomes import Result
from agents.errors import MalformedReplyError, ModelCorrectableError, UnknownColumnError, UnknownTableError
from agents.strategies.narrowing import narrowed
from agents.strategies.reforce.answer_format import AnswerFormat, read_format
from agents.strategies.reforce.linking import read_tables
from agents.traces.events import Observation, SchemaShown, Warned
from connections.catalogue import Catalogue, Column, ForeignKey, Table
from connections.contracts import ResultColumn
from tests.agents.runs import SHOP, call, running
from tests.agents.test_reforce import PAID, linking, sql


def table(name: str, *columns: str, key: str = "", schema: str | None = None, **targets: str) -> Table:
    """`targets`: the table that a column of that name points at."""
    return Table(
        name, schema, columns=tuple(Column(column, "INTEGER", "integer") for column in columns),
        primary_key=(key,) if key else (), unique=(("code",),) if "code" in columns else (),
        foreign_keys=tuple(ForeignKey((column,), schema, target, ("id",)) for column, target in targets.items()),
    )  # fmt: skip


SCHOOL = Catalogue(
    "postgresql",
    (
        table("pupils", "id", "name", "age", key="id", schema="school"),
        table("visits", "id", "pupil_id", "course_id", "grade", key="id", schema="school",
              pupil_id="pupils", course_id="courses"),
        table("courses", "id", "title", "code", "room_id", key="id", schema="school", room_id="rooms"),
        table("rooms", "id", "floor", key="id", schema="school"),
        table("rooms", "id", "price", key="id", schema="hotel"),
        table("Odd Name", "a", "B", schema="school"),
    ),
    default_schema="school",
    notes={"": "A small school."},
)  # fmt: skip


def columns_of(catalogue: Catalogue) -> dict[str, list[str]]:
    return {one.qualified: [column.name for column in one.columns] for one in catalogue.tables}


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ({"pupils": ["name"]}, {"school.pupils": {"name"}}),
        ({"PUPILS": ["Name", "AGE"]}, {"school.pupils": {"name", "age"}}),
        ({"pupils": []}, {"school.pupils": {"id", "name", "age"}}),
        ({"pupils": ["*"]}, {"school.pupils": {"id", "name", "age"}}),
        (["rooms", "hotel.rooms"], {"school.rooms": {"id", "floor"}, "hotel.rooms": {"id", "price"}}),
        ({'"Odd Name"': ['"B"']}, {"school.Odd Name": {"B"}}),
        ({"pupils": ["name"], "school.pupils": ["age"]}, {"school.pupils": {"name", "age"}}),
    ],
)
def test_named_tables_and_columns_are_found(said: Any, read: dict[str, set[str]]) -> None:
    assert {name: set(columns) for name, columns in read_tables(said, SCHOOL).items()} == read


@pytest.mark.parametrize(
    ("said", "error", "told"),
    [
        ({"pupil": [], "lessons": []}, UnknownTableError, ["no table pupil. Did you mean pupils?", "no table lessons"]),
        ({"pupils": ["nam"]}, UnknownColumnError, ["In school.pupils", "no column nam", "Did you mean name"]),
        ({"pupils": ["nam"], "lessons": []}, UnknownColumnError, ["no column nam", "no table lessons"]),
        ({}, MalformedReplyError, ['"tables" names']),
        ("pupils", MalformedReplyError, ['"tables" names']),
        ([1, 2], MalformedReplyError, ['"tables" names']),
    ],
)
def test_names_that_do_not_exist_are_told_all_at_once(
    said: Any, error: type[ModelCorrectableError], told: list[str]
) -> None:
    with pytest.raises(error) as raised:
        read_tables(said, SCHOOL)
    assert all(part in str(raised.value) for part in told), str(raised.value)


def test_a_name_in_two_schemas_must_say_which() -> None:
    elsewhere = Catalogue("postgresql", SCHOOL.tables, default_schema="public")
    with pytest.raises(UnknownTableError, match=r"may mean school\.rooms, hotel\.rooms"):
        read_tables(["rooms"], elsewhere)


def test_tables_between_the_chosen_ones_stay_with_their_keys() -> None:
    part = narrowed(SCHOOL, {"school.rooms": frozenset({"floor"}), "school.pupils": frozenset({"name"})})
    assert columns_of(part) == {
        "school.pupils": ["id", "name"],
        "school.visits": ["id", "pupil_id", "course_id"],
        "school.courses": ["id", "room_id"],
        "school.rooms": ["id", "floor"],
    }
    assert part.notes == SCHOOL.notes


def test_keys_that_lead_out_of_the_part_are_left_out() -> None:
    part = narrowed(SCHOOL, {"school.courses": frozenset({"title", "code"}), "hotel.rooms": frozenset({"price"})})
    courses, rooms = part.tables
    assert [column.name for column in courses.columns] == ["id", "title", "code"]
    assert (courses.foreign_keys, courses.unique) == ((), (("code",),))
    assert rooms.qualified == "hotel.rooms"


def test_both_ends_of_a_key_stay_whatever_it_points_at() -> None:
    by_code = Table("exams", "school", columns=(Column("id", "INTEGER"), Column("of", "TEXT"), Column("day", "DATE")),
                    foreign_keys=(ForeignKey(("of",), "school", "courses", ("code",)),))  # fmt: skip
    catalogue = Catalogue("postgresql", (*SCHOOL.tables, by_code), default_schema="school")
    part = narrowed(catalogue, {"school.exams": frozenset({"day"}), "school.courses": frozenset({"title"})})
    assert columns_of(part) == {"school.courses": ["id", "title", "code"], "school.exams": ["of", "day"]}
    assert part.tables[1].foreign_keys == by_code.foreign_keys


def result(rows: int, *columns: str) -> Result:
    return Result(1, "t", tuple(ResultColumn(name, "") for name in columns), ((1,) * len(columns),) * rows, rows)


def test_a_format_says_what_it_wants() -> None:
    form = read_format({"columns": ["name", " number  of\norders"], "row": "a customer", "order": "name"})
    assert form.told() == (
        "The answer's format: 2 columns (name, number of orders); one row for each customer; ordered by name."
    )
    assert read_format({"columns": ["n"], "single": True}).told() == "The answer's format: 1 column (n); one row."


@pytest.mark.parametrize(
    "said", [None, [], {}, {"columns": []}, {"columns": [1]}, {"columns": "n"}, {"columns": [" "]}]
)
def test_a_format_without_columns_is_none(said: Any) -> None:
    with pytest.raises(MalformedReplyError, match='"answer" needs "columns"'):
        read_format(said)


@pytest.mark.parametrize(
    ("sql", "given", "departures"),
    [
        ("SELECT a, b FROM t ORDER\n BY a", result(2, "a", "b"), 0),
        ("SELECT a, b FROM t", result(2, "a", "b"), 1),
        ("SELECT a, b FROM t", result(1, "a", "b"), 0),
        ("SELECT a FROM t ORDER BY a", result(2, "a"), 1),
        ("SELECT a FROM t", result(2, "a"), 2),
    ],
)
def test_departures_from_a_format_are_counted(sql: str, given: Result, departures: int) -> None:
    assert len(AnswerFormat(("a", "b"), "t", order="a").departures(sql, given)) == departures


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


def test_a_wrong_name_is_told_and_may_be_corrected(shop: str) -> None:
    script = [linking({"ordrs": []}), linking(), sql(PAID), sql(PAID)]
    with running(shop, script, "reforce") as run:
        assert "There is no table ordrs. Did you mean orders?" in run.server.prompt(2)
        assert run.of(SchemaShown)[-1].tables == ("orders",)
        assert run.of(Observation)[0].text.startswith("Linked: orders (id, status).")
        assert run.rows() == [(3,)]


@pytest.mark.parametrize("second", [linking({"ordrs": ["x"]}), "I cannot say.", '{"tables": {"orders": []}}'])
def test_the_whole_schema_serves_where_linking_fails(shop: str, second: str) -> None:
    with running(shop, ["```\nnothing\n```", second, sql(PAID), sql(PAID)], "reforce") as run:
        assert set(run.of(SchemaShown)[-1].tables) == {"customers", "orders", "regions"}
        assert any("the whole schema is used" in warning.text for warning in run.of(Warned))
        assert ("The answer's format" in run.server.prompt(3)) is ("ordrs" in second)
        assert run.rows() == [(3,)]


def test_look_alike_tables_are_folded_and_each_can_be_named(new_database: Callable[[str, str], str]) -> None:
    sales = "".join(f"CREATE TABLE sales_{year} (id INTEGER PRIMARY KEY, sold INTEGER);" for year in range(1990, 2020))
    letters = "abcdefghijklmnopqrstuv"
    other = "".join(f"CREATE TABLE thing_{name} ({name}_a INTEGER, {name}_b INTEGER);" for name in letters)
    url = new_database("sqlite", f"{sales}{other} INSERT INTO sales_2001 VALUES (1, 7), (2, 8);")
    script = [linking({"sales_2001": ["sold"], "thing_v": []}), *[sql("SELECT SUM(sold) AS s FROM sales_2001")] * 2]
    with running(url, script, "reforce", settings=RunSettings(schema_tokens=400)) as run:
        compressed, linked = run.of(SchemaShown)
        assert "the same columns: sales_1990" in run.server.prompt(1)
        assert {"sales_2001", "thing_v"} <= set(compressed.folded)
        assert linked.tables == ("sales_2001", "thing_v")
        assert run.rows() == [(15,)]


def test_linking_and_drafts_are_told_what_was_asked_before(shop: str) -> None:
    program = [call("table_ref", "o", table="orders"), call("execute", rel="o")]
    task = Task("And paid?", evidence="Only paid ones.", earlier=(EarlierTurn("All orders?", "Four.", program, "id"),))
    with running(shop, [linking(), sql(PAID), sql(PAID)], "reforce", task=task) as run:
        for request in (1, 2):
            assert "All orders?" in run.server.prompt(request)
            assert "Only paid ones." in run.server.prompt(request)


def test_values_are_no_part_of_what_is_shown_unless_they_may_be_sent(shop: str) -> None:
    for send in (True, False):
        with running(shop, [linking(), sql(PAID), sql(PAID)], "reforce", settings=RunSettings(send_values=send)) as run:
            shown = json.dumps([request["messages"] for request in run.server.requests[:2]])
            assert ("'paid'" in shown) is send
