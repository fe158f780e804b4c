"""Two attempts at one question beside each other, and what tells them apart."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.answers.side_by_side import compared
from agents.models import Run, Share, Status
from tests.web import stories
from tests.web.stories import ROWS, Cast

NAMES = (["country", "sales"], ["country", "sales"])


@pytest.mark.parametrize(
    ("left", "right", "names", "same", "words"),
    [
        ([["a", 1]], [["a", 1]], NAMES, True, "say the same"),
        ([["a", "1.50"]], [["a", 1.5]], NAMES, True, "say the same"),
        ([["a", 1], ["b", 2]], [["b", 2], ["a", 1]], NAMES, True, "say the same"),
        ([["a", 1]], [[1, "a"]], (["x", "y"], ["y", "x"]), True, "another order"),
        ([["a", 1], ["b", 2]], [["a", 1], ["b", 3]], NAMES, False, "1 row only in the first, 1 row only in the second"),
        ([["a", 1]], [["a", 1], ["a", 1]], NAMES, False, "1 row only in the second, 1 in both"),
        ([["a"]], [["a", 1]], (["x"], ["x", "y"]), False, "1 row of 1 column and 1 row of 2 columns"),
        ([], [], NAMES, True, "say the same"),
        ([["a", 1]] * 1001, [["a", 1]] * 1001, NAMES, None, "too large"),
    ],
)
def test_tables_are_compared_as_whole_rows(left: Any, right: Any, names: Any, same: bool | None, words: str) -> None:
    verdict = compared(left, right, names, whole=True)
    assert verdict.same is same
    assert words in verdict.text


def test_a_cut_table_is_not_called_the_same() -> None:
    assert compared([["a", 1]], [["a", 1]], NAMES, whole=False).same is None


@pytest.fixture
def two(people: Cast) -> tuple[Run, Run]:
    first = stories.answered(people.olga, people.shop)
    second = Run.objects.create(question=first.question, strategy="lift")
    stories.save(second, [*stories.beginning(second), *stories.right_turn(1)])
    stories.keep_result(second, ROWS[:5])
    stories.finish(second, answer="Germany it is.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    return first, second


def test_both_answers_stand_beside_each_other(two: tuple[Run, Run], olga: Client) -> None:
    first, second = two
    page = olga.get(reverse("beside", args=[first.pk, second.pk])).content.decode()
    assert "3 rows only in the first, 0 rows only in the second, 5 in both" in page
    assert "Germany it is." in page
    assert "66,482.90" in page
    thread = olga.get(reverse("run", args=[second.pk])).content.decode()
    assert reverse("beside", args=[first.pk, second.pk]) in thread


def test_rows_that_are_not_shown_are_counted(two: tuple[Run, Run], olga: Client) -> None:
    first, second = two
    second.results.update(truncated=True, row_count=1214)
    address = reverse("beside", args=[first.pk, second.pk])
    page = olga.get(address).content.decode()
    assert ("<span>8 rows</span>" in page, "<span>first 5 of 1,214 rows</span>" in page) == (True, True)
    first.results.all().delete()
    stories.keep_result(first, ROWS * 4)
    assert "<span>first 20 of 32 rows</span>" in olga.get(address).content.decode()


def test_a_live_attempt_says_so(two: tuple[Run, Run], olga: Client) -> None:
    first, second = two
    Run.objects.filter(pk=second.pk).update(status=Status.RUNNING)
    page = olga.get(reverse("beside", args=[first.pk, second.pk])).content.decode()
    assert "Still at work" in page
    assert 'id="verdict"' not in page


def test_runs_of_two_questions_or_of_others_are_not_compared(
    two: tuple[Run, Run], people: Cast, olga: Client, tom: Client
) -> None:
    first, second = two
    other = stories.answered(people.olga, people.shop, "Something else")
    assert olga.get(reverse("beside", args=[first.pk, other.pk])).status_code == 404
    assert olga.get(reverse("beside", args=[first.pk, first.pk])).status_code == 404
    assert tom.get(reverse("beside", args=[first.pk, second.pk])).status_code == 404


def test_who_sees_both_is_not_led_to_the_thread_of_their_owner(
    two: tuple[Run, Run], people: Cast, olga: Client, tom: Client
) -> None:
    first, second = two
    for run in two:
        Share.objects.create(run=run, person=people.tom)
    address, thread = reverse("beside", args=[first.pk, second.pk]), reverse("thread", args=[first.question.thread_id])
    pages = [client.get(address).content.decode() for client in (olga, tom)]
    assert ["Back to the thread" in page for page in pages] == [True, False]
    assert thread not in pages[1]


def test_asking_again_takes_another_strategy(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    olga.post(reverse("ask_again", args=[run.pk]), {"strategy": "lift", "model": ""})
    assert run.question.runs.exclude(pk=run.pk).get().strategy == "lift"


def test_the_strategy_of_saved_programs_cannot_be_asked_for(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    olga.post(reverse("ask_again", args=[run.pk]), {"strategy": "program"})
    assert not run.question.runs.filter(strategy="program").exists()
