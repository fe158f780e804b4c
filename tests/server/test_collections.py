"""Saved questions: who keeps and runs them, and values that readers set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from agents import permissions, runner, tasks
from agents.answers.parameters import parameters_of, with_values
from agents.library import collecting
from agents.models import Run, SavedQuestion, SavedRun, Status
from connections.models import Connection, Membership, Role, Team
from tests.server.conftest import Cast
from tests.server.five_turns import op
from tests.server.saved import cast_with_shop, change, keep


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


@pytest.fixture
def people(own_url: str, settings: Any) -> Cast:
    return cast_with_shop(settings.DATABASES_DIR)


@pytest.fixture
def shop(settings: Any) -> Path:
    return Path(settings.DATABASES_DIR) / "shop.sqlite"


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
    shown = parameters_of(program, "sqlite")
    assert [(one.name, one.kind, one.value) for one in shown] == found
    assert with_values(program, shown, {}, "sqlite") == program


def test_a_value_stays_a_value_whatever_is_written() -> None:
    program = [op("filter_expr", "f", rel="t", predicate="name = 'x' AND n > 5")]
    shown = parameters_of(program, "sqlite")
    evil = "' OR 1 = 1 --"
    changed = with_values(program, shown, {"name": evil}, "sqlite")
    assert changed[0]["args"]["predicate"] == "name = ''' OR 1 = 1 --' AND n > 5"
    assert [one.value for one in parameters_of(changed, "sqlite")] == [evil, "5"]
    for wrong in ("5 OR 1", "", "1e9", "x"):
        with pytest.raises(ValueError, match="n must be a number such as 5"):
            with_values(program, shown, {"n": wrong}, "sqlite")


def test_it_runs_on_fresh_data_without_a_model_and_with_a_readers_value(people: Cast, shop: Path) -> None:
    saved = keep(people)
    assert value_of(collecting.run_again(user=people.ada, saved=saved)) == "2"
    change(shop, "INSERT INTO customers VALUES (4, 'Dee', 'DE')")
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
