"""Schedules of saved questions: when they are due, whose clock and rights count, what is told to whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from agents import runner, services, tasks
from agents.library import notices, scheduling
from agents.library.saved_outcomes import outcome_of
from agents.models import Notice, Run, SavedQuestion, SavedRun, StoredResult
from connections.models import Connection, Membership, Role, User
from tests.server.conftest import Cast
from tests.server.five_turns import op
from tests.server.saved import PROGRAM, cast_with_shop, change, keep

LISTED = [
    op("table_ref", "c", table="customers"), op("select_columns", "n", rel="c", columns=["name"]),
    op("execute", rel="n"),
]  # fmt: skip
SORTED = [
    op("table_ref", "c", table="customers"), op("order_by", "o", rel="c", keys=[["id", "asc"]]),
    op("select_columns", "n", rel="o", columns=["name"]), op("execute", rel="n"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def people(own_url: str, settings: Any) -> Cast:
    return cast_with_shop(settings.DATABASES_DIR)


@pytest.fixture
def shop(settings: Any) -> Path:
    return Path(settings.DATABASES_DIR) / "shop.sqlite"


MONDAY = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cadence", "day", "zone", "due"),
    [("daily", 0, "UTC", "2026-11-30T07:00+00:00"), ("daily", 0, "Europe/Berlin", "2026-12-01T06:00+00:00"),
     ("weekly", 0, "UTC", "2026-11-30T07:00+00:00"), ("weekly", 6, "UTC", "2026-12-06T07:00+00:00"),
     ("monthly", 1, "UTC", "2026-12-01T07:00+00:00"), ("monthly", 28, "Asia/Tokyo", "2026-12-27T22:00+00:00")],
)  # fmt: skip
def test_the_next_moment_is_at_the_clock_of_its_zone(cadence: str, day: int, zone: str, due: str) -> None:
    moment = scheduling.next_moment(cadence, day, time(7, 0), ZoneInfo(zone), MONDAY)
    assert moment == datetime.fromisoformat(due)
    assert scheduling.next_moment("", day, time(7, 0), ZoneInfo(zone), MONDAY) is None


def scheduled(cast: Cast, program: Sequence[dict[str, Any]] = PROGRAM, **more: Any) -> SavedQuestion:
    saved = keep(cast, program)
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
        change(shop, "INSERT INTO customers (name, country) VALUES ('New', 'DE');" * inserted)
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
    change(shop, "ALTER TABLE customers RENAME TO gone")
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


def test_another_who_sets_the_schedule_becomes_its_person_and_not_the_owner(people: Cast) -> None:
    given: dict[str, Any] = {"day": 0, "at": time(7, 0), "recipients": [], "only_when_changed": False}
    saved = scheduled(people, recipients=[])
    Membership.objects.filter(user=people.ben).update(role=Role.MANAGER)
    scheduling.schedule(user=people.ben, saved=saved, cadence="daily", **given)
    run = beat(saved)
    assert (saved.owner, run is not None and run.question.asked_by) == (people.ada, people.ben)
    Membership.objects.filter(user=people.ben).update(role=Role.VIEWER)
    assert beat(saved) is None
    assert (told(people.ben), told(people.ada)) == (["Customers: no result. ben may not ask Shop any more."], [])
    scheduling.schedule(user=people.ada, saved=saved, cadence="", **given)
    assert (saved.owner, saved.scheduled_by, saved.next_at) == (people.ada, None, None)


def test_the_time_stays_in_the_zone_of_the_schedule_whoever_changes_something_else(people: Cast) -> None:
    for user, zone in ((people.ada, "Asia/Tokyo"), (people.ben, "America/New_York")):
        User.objects.filter(pk=user.pk).update(time_zone=zone)
        user.refresh_from_db()
    Membership.objects.filter(user=people.ben).update(role=Role.MANAGER)
    first = (saved := scheduled(people)).next_at
    given: dict[str, Any] = {"day": 0, "at": time(7, 0), "recipients": [], "only_when_changed": False}
    given |= {"saved": saved, "cadence": "daily"}
    scheduling.schedule(user=people.ben, **given)
    assert (saved.time_zone, saved.next_at) == ("Asia/Tokyo", first)
    User.objects.filter(pk=people.ben.pk).update(time_zone="Europe/Berlin")
    beat(saved)
    saved.refresh_from_db()
    assert saved.next_at is not None
    assert saved.next_at.astimezone(ZoneInfo("Asia/Tokyo")).time() == time(7, 0)
    scheduling.schedule(user=people.ben, zone=ZoneInfo("America/New_York"), **given)
    assert saved.next_at.astimezone(ZoneInfo("America/New_York")).time() == time(7, 0)


def test_who_left_the_team_is_told_no_result(people: Cast) -> None:
    saved = scheduled(people, recipients=[people.ben])
    beat(saved)
    assert Notice.objects.filter(user=people.ben).count() == 1
    people.team.memberships.filter(user=people.ben).delete()
    SavedQuestion.objects.filter(pk=saved.pk).update(fingerprint="another")
    beat(saved)
    assert Notice.objects.filter(user=people.ben).count() == 1


# --- What goes wrong with one of them --------------------------------------------------------------------------------


def due(*several: SavedQuestion) -> None:
    keys = [one.pk for one in several]
    SavedQuestion.objects.filter(pk__in=keys).update(next_at=timezone.now() - timedelta(seconds=1))


def told(user: User) -> list[str]:
    found = Notice.objects.filter(user=user, kind="schedule").order_by("pk")
    return list(found.values_list("text", flat=True))


def test_a_time_zone_that_cannot_be_read_stops_nothing(people: Cast) -> None:
    first, second = scheduled(people), scheduled(people)
    for zone in ("Berlin", "../etc", "Europe", ""):
        SavedQuestion.objects.update(time_zone=zone)
        due(first, second)
        assert scheduling.start_due() == 2
        first.refresh_from_db()
        assert first.next_at is not None, "its clock is that of UTC then"


def test_a_fault_of_one_schedule_is_told_and_the_others_go_on(people: Cast) -> None:
    broken, whole = scheduled(people), scheduled(people)
    SavedQuestion.objects.filter(pk=broken.pk).update(title="A broken one", cadence="hourly")
    due(broken, whole)
    assert scheduling.start_due() == 1
    broken.refresh_from_db()
    assert (broken.next_at, broken.error.split(",")[0]) == (None, "It could not be started")
    assert told(people.ada)[0].startswith("A broken one: no result. It could not be started")


def test_schedules_count_for_no_rate_of_their_person(people: Cast, settings: Any) -> None:
    settings.QUESTIONS_PER_MINUTE = 2
    several = [scheduled(people) for _ in range(4)]
    Run.objects.update(created_at=timezone.now() - timedelta(hours=1))
    due(*several)
    assert scheduling.start_due() == 4
    for _ in range(2):
        services.ask_program(user=people.ada, connection=people.shop, text="By hand?", program=PROGRAM)
    with pytest.raises(ValidationError, match="You asked 2 questions within a minute"):
        services.ask_program(user=people.ada, connection=people.shop, text="By hand?", program=PROGRAM)


def test_a_run_that_ends_before_the_beat_looks_again_is_told_all_the_same(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = scheduled(people)
    monkeypatch.setattr(tasks, "enqueue_run", runner.run_one)
    due(saved)
    assert scheduling.start_due() == 1
    saved.refresh_from_db()
    assert (told(people.ben), saved.fingerprint != "") == (["Customers: 2"], True)


def test_a_schedule_that_fails_tells_its_owner_and_who_waits_for_it(
    people: Cast, monkeypatch: pytest.MonkeyPatch, mailoutbox: list[Any], settings: Any
) -> None:
    settings.EMAIL_URL = "smtp://mail.example.com"
    monkeypatch.setattr(tasks, "enqueue_mail", notices.send)
    User.objects.filter(pk=people.ben.pk).update(email="ben@example.com")
    saved = scheduled(people)
    Membership.objects.filter(user=people.ada).update(role=Role.VIEWER)
    assert beat(saved) is None
    words = "Customers: no result. ada may not ask Shop any more."
    assert (told(people.ben), told(people.ada)) == ([words], [words])
    assert not Notice.objects.filter(user=people.cleo).exists()
    assert [mail.to for mail in mailoutbox] == [["ben@example.com"]]
    assert f"/saved/{saved.pk}" in mailoutbox[0].body
    read = notices.notices_of(people.ben)[0]
    assert (read.text, notices.address_of(read.notice)) == (words, f"/saved/{saved.pk}")
    people.team.memberships.filter(user=people.ben).delete()
    assert notices.notices_of(people.ben)[0].text == "", "who left the team is told no more of it"


def test_a_run_that_fails_is_told_with_its_reason(people: Cast, shop: Path) -> None:
    saved = scheduled(people)
    change(shop, "ALTER TABLE customers RENAME TO gone")
    beat(saved)
    for user in (people.ada, people.ben):
        assert [text.startswith("Customers: no result. ") for text in told(user)] == [True]


# --- What counts as a change -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("program", "notices_sent"), [(LISTED, 1), (SORTED, 2)])
def test_another_order_is_a_change_where_the_program_has_one(
    people: Cast, shop: Path, program: list[dict[str, Any]], notices_sent: int
) -> None:
    saved = scheduled(people, program)
    beat(saved)
    change(shop, "UPDATE customers SET id = 100 WHERE id = 1")
    beat(saved)
    assert len(told(people.ben)) == notices_sent


def test_rows_behind_the_cut_are_counted_and_the_words_say_what_was_compared(people: Cast, shop: Path) -> None:
    Connection.objects.update(max_rows=2)
    saved = scheduled(people, LISTED, only_when_changed=False)
    beat(saved)
    change(shop, "INSERT INTO customers VALUES (9, 'Zoe', 'FR')")
    beat(saved)
    run = beat(saved)
    assert told(people.ben) == ["Customers: 3 rows", "Customers: 4 rows", "Customers: 4 rows (first 2 rows unchanged)"]
    assert run is not None
    StoredResult.objects.filter(run=run).update(row_count_exact=False)
    assert outcome_of(Run.objects.get(pk=run.pk)).value == "at least 4 rows"


def test_the_last_digits_of_a_sum_are_no_change(people: Cast, shop: Path) -> None:
    program = [op("table_ref", "s", table="sums"), op("execute", rel="s")]
    change(shop, "CREATE TABLE sums (name TEXT, value REAL); INSERT INTO sums VALUES ('a', 0.3), ('b', 1)")
    Connection.objects.get().snapshot.delete()
    saved = scheduled(people, program)
    for value, changes in (("0.1 + 0.2", 1), ("0.3001", 2)):
        beat(saved)
        change(shop, f"UPDATE sums SET value = {value} WHERE name = 'a'")
        beat(saved)
        assert len(told(people.ben)) == changes
