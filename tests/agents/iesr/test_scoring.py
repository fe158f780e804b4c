"""Rewards, votes and the score, on tables without a database."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from agents.engine.outcomes import Result
from agents.strategies.drafting import Ran
from agents.strategies.iesr.scoring import Drafted, candidates_of, elect

numbers = count(1)


def ran(*rows: tuple[Any, ...], doubts: tuple[str, ...] = ()) -> Ran:
    number = next(numbers)
    return Ran(f"SELECT {number}", Result(number, "", (), rows, len(rows)), doubts)


@pytest.mark.parametrize(
    ("drafts", "reward"),
    [
        ([ran((1,)), ran((1,)), ran((1,))], 1.0),
        ([ran((1,)), ran((2,)), ran((1,))], 0.5),
        ([ran((1,)), ran((2,)), ran((3,))], 0.0),
        ([ran((1,)), None, ran((1,))], 0.5),
        ([ran((1,)), ran(), ran()], 0.0),
        ([None, None, None], 0.0),
        ([ran((1,))], 1.0),
    ],
)
def test_the_reward_is_the_share_of_the_others_that_agree(drafts: list[Ran | None], reward: float) -> None:
    assert Drafted(tuple(drafts)).reward == reward


def test_the_elected_draft_is_of_the_largest_group_and_in_the_least_doubt() -> None:
    sure = ran((1,))
    assert Drafted((ran((2,)), ran((1,), doubts=("a doubt",)), sure)).elected is sure
    assert Drafted((None,)).elected is None


@pytest.mark.parametrize(
    ("drafts", "doubtful"),
    [
        ([ran((1,)), ran((1,))], False),
        ([ran((1,)), ran((2,))], True),
        ([ran((1,)), None], True),
        ([ran((1,), doubts=("a doubt",)), ran((1,), doubts=("a doubt",))], True),
        ([], True),
    ],
)
def test_drafts_are_doubtful_where_a_revision_could_change_something(drafts: list[Ran | None], doubtful: bool) -> None:
    assert Drafted(tuple(drafts)).is_doubtful is doubtful


def test_votes_are_pooled_over_all_states_and_count_whole_rows() -> None:
    states = [Drafted((ran((1, "a"), (2, "b")), ran((1, "b"), (2, "a")))), Drafted((ran(("b", 2), ("a", 1)), None))]
    first, second = candidates_of(states)
    assert (first.votes, first.drafts, second.votes) == (2, 4, 1)
    assert first.score == pytest.approx(0.4 + 0.4 * 0.5)


def test_the_discriminator_decides_between_close_candidates() -> None:
    more, fewer = candidates_of([Drafted((ran((1,)), ran((1,)), ran((2,))))])
    assert elect([more, fewer]) is more
    confirmed = replace(fewer, confirmed=1.0)
    assert confirmed.score == pytest.approx(0.4 + 0.2 + 0.4 / 3)
    assert elect([more, confirmed]) is confirmed


@pytest.mark.parametrize("blank", [(), ((None,),)])
def test_a_blank_table_stands_only_where_there_is_no_other(blank: tuple[Any, ...]) -> None:
    (only,) = candidates_of([Drafted((ran(*blank), ran(*blank), ran((7,))))])
    assert only.ran.result.rows == ((7,),)


def test_a_blank_table_counts_as_executed_only_where_all_agree() -> None:
    (agreed,) = candidates_of([Drafted((ran(), ran()))])
    assert agreed.score == pytest.approx(0.8)
    (alone,) = candidates_of([Drafted((ran(), None))])
    assert alone.score == pytest.approx(0.2)


def test_among_equals_the_one_in_less_doubt_is_elected() -> None:
    candidates = candidates_of([Drafted((ran((1,), doubts=("a doubt",)), ran((2,))))])
    assert elect(candidates).ran.result.rows == ((2,),)
