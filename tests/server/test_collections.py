"""Saved questions: who keeps and runs them, values that readers set, schedules that tell only of changes."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from agents import permissions, runner, tasks
from agents.answers.parameters import parameters_of, with_values
from agents.library import collecting, scheduling
from agents.models import Collection, Notice, Run, SavedQuestion, SavedRun, Status
from connections import services as connection_services
from connections.models import Connection, Membership, Role, Team
from tests.server.conftest import Cast, make_cast, make_run
from tests.server.five_turns import SHOP


def op(name: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": name, "args": args, **({"out": out} if out else {})}


PROGRAM = [
    op("table_ref", "c", table="customers"), op("filter_expr", "kept", rel="c", predicate="country = 'DE' AND id > 0"),
    op("aggregate", "counted", rel="kept", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    op("execute", rel="counted"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def shop(settings: Any) -> Path:
    settings.DATABASES_DIR.mkdir()
    file = Path(settings.DATABASES_DIR) / "shop.sqlite"
    with sqlite3.connect(file) as database:
        database.executescript(SHOP)
    database.close()
    return file


@pytest.fixture
def people(own_url: str, shop: Path) -> Cast:
    people = make_cast()
    connection_services.refresh_catalogue(people.shop)
    return people


def keep(cast: Cast, **more: Any) -> SavedQuestion:
    run = make_run(cast, status=Status.ANSWERED, program=PROGRAM)
    place, _ = Collection.objects.get_or_create(team=cast.team, name="Reports", created_by=cast.ada)
    fields = {"title": "Customers", "names": {0: "country"}, **more}
    return collecting.save(user=cast.ada, run=run, collection=place, **fields)


def value_of(run: Run) -> str:
    runner.run_one(run.pk)
    run.refresh_from_db()
    assert run.status == Status.ANSWERED, run.error
    return SavedRun.objects.get(run=run).value


@pytest.mark.parametrize(
    ("predicate", "found"),
    [("country = 'DE'", [("country", "text", "DE")]), ("total >= -3.5", [("total", "number", "-3.5")]),
     ("name = 'O''Hara' or name = 'x'", [("name", "text", "O'Hara"), ("name_2", "text", "x")]),
     ("t2 > 5 AND \"col 7\" LIKE 'a%'", [("t2", "number", "5"), ("7", "text", "a%")]),
     ("lower(city) = 'oslo'", [("city", "text", "oslo")]), ("a = b", []), ("x IN ('a', 'b')",
      [("x", "text", "a"), ("value", "text", "b")])],
)  # fmt: skip
def test_every_literal_of_a_filter_is_a_value_that_can_be_named(
    predicate: str, found: list[tuple[str, str, str]]
) -> None:
    program = [op("filter_expr", "f", rel="t", predicate=predicate)]
    shown = parameters_of(program)
    assert [(one.name, one.kind, one.value) for one in shown] == found
    assert with_values(program, shown, {}) == program


def test_a_value_stays_a_value_whatever_is_written() -> None:
    program = [op("filter_expr", "f", rel="t", predicate="name = 'x' AND n > 5")]
    shown = parameters_of(program)
    evil = "' OR 1 = 1 --"
    changed = with_values(program, shown, {"name": evil})
    assert changed[0]["args"]["predicate"] == "name = ''' OR 1 = 1 --' AND n > 5"
    assert [one.value for one in parameters_of(changed)] == [evil, "5"]
    for wrong in ("5 OR 1", "", "1e9", "x"):
        with pytest.raises(ValueError, match="n must be a number such as 5"):
            with_values(program, shown, {"n": wrong})


def test_it_runs_on_fresh_data_without_a_model_and_with_a_readers_value(people: Cast, shop: Path) -> None:
    saved = keep(people)
    assert value_of(collecting.run_again(user=people.ada, saved=saved)) == "2"
    with sqlite3.connect(shop) as database:
        database.execute("INSERT INTO customers VALUES (4, 'Dee', 'DE')")
    database.close()
    again = collecting.run_again(user=people.ada, saved=saved)
    own = collecting.run_again(user=people.ada, saved=saved, values={"country": "FR"})
    assert (value_of(again), value_of(own)) == ("3", "1")
    assert own.question.text == "Customers (country = FR)"
    assert (again.input_tokens, again.language_model) == (0, None)
    seen = permissions.visible_runs(people.ben)
    assert [seen.filter(pk=run.pk).exists() for run in (again, own, saved.run)] == [True, False, True]  # type: ignore[union-attr]
    assert not permissions.visible_runs(people.cleo).exists()


def test_who_may_not_ask_cannot_run_and_strangers_see_nothing(people: Cast) -> None:
    saved = keep(people)
    assert collecting.saved_to_see(people.ben, saved.pk) == saved
    with pytest.raises(Connection.DoesNotExist):
        collecting.run_again(user=people.ben, saved=saved)
    for act in (collecting.saved_to_edit, collecting.saved_to_see):
        with pytest.raises(SavedQuestion.DoesNotExist):
            act(people.cleo, saved.pk)
    with pytest.raises(SavedQuestion.DoesNotExist):
        collecting.delete_saved(user=people.ben, saved=saved)
    with pytest.raises(Team.DoesNotExist):
        collecting.create_collection(user=people.ben, team=people.team, name="Mine")
    Membership.objects.filter(user=people.ben).update(role=Role.MANAGER)
    collecting.delete_saved(user=people.ben, saved=saved)


@pytest.mark.parametrize("wrong", [{"title": " "}, {"title": "x" * 201}, {"names": {0: ""}}, {"names": {9: "x"}},
                                   {"names": {0: "same", 1: "same"}}])  # fmt: skip
def test_what_cannot_be_saved_is_refused(people: Cast, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        keep(people, **wrong)
    assert not SavedQuestion.objects.exists()


MONDAY = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cadence", "day", "zone", "due"),
    [("daily", 0, "UTC", "2026-11-30T07:00+00:00"), ("daily", 0, "Europe/Berlin", "2026-12-01T06:00+00:00"),
     ("weekly", 0, "UTC", "2026-11-30T07:00+00:00"), ("weekly", 6, "UTC", "2026-12-06T07:00+00:00"),
     ("monthly", 1, "UTC", "2026-12-01T07:00+00:00"), ("monthly", 28, "Asia/Tokyo", "2026-12-27T22:00+00:00")],
)  # fmt: skip
def test_the_next_moment_is_at_the_owners_clock(cadence: str, day: int, zone: str, due: str) -> None:
    moment = scheduling.next_moment(cadence, day, time(7, 0), zone, MONDAY)
    assert moment == datetime.fromisoformat(due)
    assert scheduling.next_moment("", day, time(7, 0), zone, MONDAY) is None


def scheduled(cast: Cast, **more: Any) -> SavedQuestion:
    saved = keep(cast)
    scheduling.schedule(user=cast.ada, saved=saved, **{
        "cadence": "daily", "day": 0, "at": time(7, 0), "recipients": [cast.ben, cast.cleo],
        "only_when_changed": True, **more,
    })  # fmt: skip
    return saved


def beat(saved: SavedQuestion) -> Run | None:
    """A day later: what is due is started, and a worker works on it."""
    SavedQuestion.objects.filter(pk=saved.pk).update(next_at=timezone.now() - timedelta(seconds=1))
    if not scheduling.start_due():
        return None
    run = SavedRun.objects.first().run  # type: ignore[union-attr]
    runner.run_one(run.pk)
    return run


def test_a_schedule_tells_the_team_and_only_when_it_changed(people: Cast, shop: Path) -> None:
    saved = scheduled(people)
    for inserted, told in ((0, 1), (0, 1), (1, 2), (0, 2)):
        with sqlite3.connect(shop) as database:
            for _ in range(inserted):
                database.execute("INSERT INTO customers (name, country) VALUES ('New', 'DE')")
        database.close()
        assert beat(saved)
        assert Notice.objects.filter(user=people.ben, kind="schedule").count() == told
    assert "Customers: 3" in str(Notice.objects.first())
    assert not Notice.objects.filter(user=people.cleo).exists(), "who is not of the team is not told"
    assert [one.value for one in saved.runs.all()] == ["3", "3", "2", "2"]


def test_what_is_due_is_started_once_and_then_waits_for_its_next_moment(people: Cast) -> None:
    saved = scheduled(people)
    assert scheduling.start_due() == 0
    SavedQuestion.objects.update(next_at=timezone.now() - timedelta(days=3))
    assert (scheduling.start_due(), scheduling.start_due()) == (1, 0)
    saved.refresh_from_db()
    assert saved.next_at is not None
    assert saved.next_at > timezone.now()


def test_a_schedule_that_cannot_run_says_why_and_recovers(people: Cast, shop: Path) -> None:
    saved = scheduled(people)
    Membership.objects.filter(user=people.ada).update(role=Role.VIEWER)
    assert beat(saved) is None
    saved.refresh_from_db()
    assert "may not ask Shop any more" in saved.error
    Membership.objects.filter(user=people.ada).update(role=Role.ANALYST)
    assert beat(saved)
    saved.refresh_from_db()
    assert saved.error == ""
    with sqlite3.connect(shop) as database:
        database.execute("ALTER TABLE customers RENAME TO gone")
    database.close()
    beat(saved)
    saved.refresh_from_db()
    assert saved.error


@pytest.mark.parametrize(("cadence", "day"), [("weekly", 7), ("monthly", 0), ("monthly", 31), ("hourly", 0)])
def test_a_day_that_does_not_exist_is_refused(people: Cast, cadence: str, day: int) -> None:
    with pytest.raises(ValidationError, match="Choose a weekday"):
        scheduled(people, cadence=cadence, day=day)


def test_a_collection_outlives_who_made_it(people: Cast) -> None:
    saved = scheduled(people)
    people.ada.delete()
    saved.refresh_from_db()
    assert (saved.owner, saved.run is not None) == (None, True)
    assert beat(saved) is None
    saved.refresh_from_db()
    assert "must set it again" in saved.error


def test_who_left_the_team_is_told_no_result(people: Cast) -> None:
    saved = scheduled(people, recipients=[people.ben])
    beat(saved)
    assert Notice.objects.filter(user=people.ben).count() == 1
    people.team.memberships.filter(user=people.ben).delete()
    SavedQuestion.objects.filter(pk=saved.pk).update(fingerprint="another")
    beat(saved)
    assert Notice.objects.filter(user=people.ben).count() == 1
