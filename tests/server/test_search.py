"""The list of questions, on both of our own databases: what is found, by whom, and that the index keeps in step."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from agents import permissions, services, tasks
from agents.library import feedback, search, search_index, sharing
from agents.library.search import Filters
from agents.models import (
    Collection,
    Question,
    Run,
    SavedQuestion,
    SavedRun,
    SearchEntry,
    Share,
    Status,
    StoredResult,
    Verification,
)
from connections.models import Connection, Membership, Role, Team, User
from tests.server.conftest import Cast, make_cast, make_run


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def people(own_url: str) -> Cast:
    people = make_cast()
    people.ada.first_name, people.ada.last_name = "Ada", "Okafor"
    people.ada.save()
    return people


def asked(cast: Cast, text: str, **fields: Any) -> Run:
    run = make_run(cast)
    Question.objects.filter(pk=run.question.pk).update(text=text)
    run.refresh_from_db()
    for name, value in {"status": Status.ANSWERED, "finished_at": timezone.now(), **fields}.items():
        setattr(run, name, value)
    run.save()
    return run


def found(user: User, text: str = "", **filters: Any) -> list[str]:
    return [run.question.text for run in search.with_runs(search.found(user, Filters(search=text, **filters)))]


PROGRAM = [{"op": "table_ref", "args": {"table": "order_lines"}, "out": "o"}]


@pytest.mark.parametrize(
    ("text", "matches"),
    [("returns germany", True), ("GERM", True), ("order_lines", True), ("lines", True), ("okafor", True),
     ("ada returns", True), ("cafe", True), ("café", True), ("66482", True), ("66,482.90", True), ("ermany", False),
     ("returns france", False), ("'; DROP TABLE x; --", False), ('"*', False), ("& | ! : ( )", False)],
)  # fmt: skip
def test_words_of_question_answer_tables_and_person_are_found(people: Cast, text: str, matches: bool) -> None:
    asked(people, "Returns in Germany for the Café?", answer="They cost **€66,482.90**.", program=PROGRAM)
    assert found(people.ada, text) == (["Returns in Germany for the Café?"] if matches else [])


def test_the_index_follows_what_becomes_of_a_run(people: Cast) -> None:
    run = services.ask(user=people.ada, connection=people.shop, text="How many tents?")
    assert found(people.ada, "tents", status="queued") == ["How many tents?"]
    services.cancel_run(user=people.ada, run=run)
    assert found(people.ada, status="cancelled") == ["How many tents?"]
    again = services.ask_again(user=people.ada, question=run.question)
    assert found(people.ada, "tents") == ["How many tents?"]
    again.refresh_from_db()
    again.status, again.answer, again.finished_at = Status.ANSWERED, "Forty-two.", timezone.now()
    again.save()
    assert (found(people.ada, "forty"), found(people.ada, status="cancelled")) == (["How many tents?"], [])
    services.delete_threads(user=people.ada, thread_ids=[run.question.thread_id])
    assert (found(people.ada, "tents"), SearchEntry.objects.count()) == ([], 0)


def test_only_what_is_open_is_found_and_not_what_came_later(people: Cast) -> None:
    run = asked(people, "Margin by product?", answer="Open answer.")
    assert (found(people.ben), found(people.cleo)) == ([], [])
    sharing.share(user=people.ada, run=run, people=[people.ben])
    later = Run.objects.create(question=run.question, strategy="react")
    later.status, later.answer, later.finished_at = Status.ANSWERED, "Secret answer.", timezone.now()
    later.save()
    assert found(people.ben, "open", show="shared") == ["Margin by product?"]
    assert (found(people.ben, "secret"), found(people.ben, show="mine"), found(people.cleo)) == ([], [], [])
    assert found(people.ada, "secret") == ["Margin by product?"]
    assert found(people.ada, show="shared") == []


def test_filters_choose_person_team_connection_status_verified_and_cost(people: Cast) -> None:
    cheap = asked(people, "Cheap?", cost=Decimal("0.002"))
    asked(people, "Dear?", cost=Decimal("1.5"), status=Status.FAILED)
    Membership.objects.filter(user=people.ben).update(role=Role.MANAGER)
    feedback.judge(user=people.ada, run=cheap, good=True)
    feedback.verify(user=people.ben, run=cheap)
    assert found(people.ada) == ["Dear?", "Cheap?"]
    assert found(people.ada, cost=Decimal("0.1")) == ["Dear?"]
    assert found(people.ada, verified=True) == ["Cheap?"]
    assert found(people.ada, status="failed") == ["Dear?"]
    assert found(people.ada, connection=people.shop.pk + 1) == []
    assert found(people.ben, person=people.ada.pk, team=people.team.pk) == ["Dear?", "Cheap?"]
    assert found(people.ben, person=people.ben.pk) == []
    other = Team.objects.create(name="Secret")
    Membership.objects.create(team=other, user=people.ada, role=Role.VIEWER)
    assert found(people.ben, team=other.pk) == [], "who is in others' teams is not told"
    assert found(people.ada, team=other.pk) == ["Dear?", "Cheap?"]


OPENED_BY: dict[str, Callable[[Cast, Run], object]] = {
    "nothing": lambda people, run: None,
    "a share with a person": lambda people, run: sharing.share(user=people.ada, run=run, people=[people.ben]),
    "a share with the team": lambda people, run: sharing.share(user=people.ada, run=run, teams=[people.team]),
    "a revoked share": lambda people, run: Share.objects.create(run=run, person=people.ben, revoked_at=timezone.now()),
    "an expired share": lambda people, run: Share.objects.create(run=run, team=people.team, expires_at=timezone.now()),
    "a link": lambda people, run: Share.objects.create(run=run, token_hash="x"),
    "a link that was opened": lambda people, run: Share.objects.create(run=run, token_hash="x").readers.add(people.ben),
    "verification": lambda people, run: Verification.objects.create(run=run),
    "verification on a connection that was switched off": lambda people, run: (
        Verification.objects.create(run=run), Connection.objects.update(is_active=False)
    ),
    "a verdict": lambda people, run: feedback.judge(user=people.ada, run=run, good=False, reason="other"),
    "failure": lambda people, run: Run.objects.filter(pk=run.pk).update(status=Status.FAILED),
    "an answer of no rows": lambda people, run: (
        Run.objects.filter(pk=run.pk).update(answer_result=1),
        StoredResult.objects.create(run=run, number=1, columns=[], rows_stored=0, row_count=0),
    ),
    "a collection": lambda people, run: _saved(people, run=run),
    "a run of a collection": lambda people, run: SavedRun.objects.create(saved=_saved(people), run=run),
    "a run of a collection with a reader's value": lambda people, run: SavedRun.objects.create(
        saved=_saved(people), run=run, with_own_values=True
    ),
}  # fmt: skip


def _saved(people: Cast, **fields: Any) -> SavedQuestion:
    shelf = Collection.objects.create(team=people.team, name="Weekly")
    return SavedQuestion.objects.create(collection=shelf, title="How many?", program=[], **fields)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("way", OPENED_BY)
def test_the_list_finds_what_may_be_seen_and_nothing_else(cast: Cast, way: str, role: Role) -> None:
    """Rights are told by run for a page and by entry for the list; both say the same to everybody."""
    run = asked(cast, "Margin?")
    Membership.objects.filter(user=cast.ben).update(role=role)
    OPENED_BY[way](cast, run)
    search_index.rebuild()
    for person in (cast.ada, cast.ben, cast.cleo):
        visible = list(permissions.visible_runs(person).values_list("question__text", flat=True))
        assert found(person) == visible
    assert found(cast.ada) == ["Margin?"]
    assert found(cast.cleo) == []
    closed = ("nothing", "a revoked share", "an expired share", "a link", "a run of a collection with a reader's value",
              "verification on a connection that was switched off")  # fmt: skip
    for_managers = ("a verdict", "failure", "an answer of no rows")
    is_open = way not in closed and (way not in for_managers or role == Role.MANAGER)
    assert found(cast.ben) == (["Margin?"] if is_open else [])


def test_a_page_is_counted_and_read_by_one_query(people: Cast, django_assert_max_num_queries: Any) -> None:
    for number in range(7):
        asked(people, f"Question {number}?")
    entries = search.found(people.ada)
    pages = {1: "65", 2: "43", 4: "0", 99: "0"}
    for number, shown in pages.items():
        page = search.page_of(entries, number, 2)
        texts = [run.question.text for run in page]
        assert (len(texts), page.paginator.count, page.number) == (len(shown), 7, min(number, 4))
        assert texts == [f"Question {one}?" for one in shown]
    with django_assert_max_num_queries(2):  # the page with its count, and its runs
        search.page_of(entries, 2, 2)
    for number in (1, 9):
        nothing = search.page_of(search.found(people.cleo), number, 2)
        assert (list(nothing), nothing.paginator.count, nothing.number) == ([], 0, 1)
    asked(people, "Question 7?")
    assert [run.question.text for run in search.page_of(entries, 9, 2)] == ["Question 1?", "Question 0?"]


def test_a_person_is_found_by_the_new_name(people: Cast) -> None:
    asked(people, "Sales?")
    people.ada.last_name = "Nair"
    people.ada.save()
    assert (found(people.ada, "nair"), found(people.ada, "okafor")) == (["Sales?"], [])


def test_the_index_can_be_built_anew(people: Cast) -> None:
    run = asked(people, "First?")
    newest = Run.objects.create(question=run.question, strategy="react")
    SearchEntry.objects.all().delete()
    assert (search_index.rebuild(), found(people.ada, "first")) == (2, ["First?"])
    assert SearchEntry.objects.get(newest=True).run == newest


def test_filters_are_kept_by_name_and_have_an_end(people: Cast) -> None:
    for query in ("status=failed", "status=answered"):
        search.save_filter(user=people.ada, name=" My  filter ", query=query)
    assert [(one.name, one.query) for one in search.saved_filters(people.ada)] == [("My filter", "status=answered")]
    assert not search.saved_filters(people.ben).exists()
    for name, query in (("", "q=x"), ("x", ""), ("x" * 61, "q=x")):
        with pytest.raises(ValidationError):
            search.save_filter(user=people.ada, name=name, query=query)
    for number in range(search.MOST_FILTERS - 1):
        search.save_filter(user=people.ada, name=str(number), query="q=x")
    with pytest.raises(ValidationError, match="delete one"):
        search.save_filter(user=people.ada, name="one too many", query="q=x")


def test_what_no_database_can_look_for_does_no_harm(people: Cast, client: Client) -> None:
    asked(people, "First?")
    place = Collection.objects.create(team=people.team, name="Reports", created_by=people.ada)
    client.force_login(people.ada, backend="django.contrib.auth.backends.ModelBackend")
    manager = Membership.objects.get(user=people.ada)
    manager.role = Role.MANAGER
    manager.save()
    beyond = "9" * 21
    for address in (f"/questions/?page={beyond}", f"/questions/?person={beyond}&connection={beyond}&team={beyond}",
                    f"/review/?person={beyond}", f"/review/?connection={beyond}", f"/review/?page={beyond}",
                    f"/collections/{place.pk}?q=%00", f"/collections/{place.pk}/add?q=%00",
                    "/questions/?q=%00"):  # fmt: skip
        assert client.get(address).status_code == 200, address
    assert client.post("/questions/filters?status=failed", {"name": "a\x00b"}).status_code == 302
    assert people.ada.saved_filters.get().name == "a\ufffdb"
    assert list(search.page_of(search.found(people.ada), int(beyond), 30))
