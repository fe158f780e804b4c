"""The search tree without a model: which actions follow which, UCT, and what a rollout leaves behind."""

from __future__ import annotations

import math
from random import Random

import pytest

from agents.llm.messages import Message
from agents.strategies.iesr.tree import Action, Node, enter, reward, select, simulate, uct

REACHED = (Message("user", "q"),)


def reached(parent: Node, action: Action) -> Node:
    node = parent.child(action)
    node.messages = REACHED
    return node


def test_a_path_takes_no_action_twice_and_ends_in_sql() -> None:
    for seed in range(50):
        leaf = simulate(Node(messages=REACHED), Random(seed))
        assert leaf.path[-1] is Action.GENERATION
        assert len(set(leaf.path)) == len(leaf.path)


def test_equations_are_analysed_first_or_not_at_all() -> None:
    paths = [simulate(Node(messages=REACHED), Random(seed)).path for seed in range(50)]
    assert any(Action.EQUATIONS in path for path in paths)
    assert all(path.index(Action.EQUATIONS) == 0 for path in paths if Action.EQUATIONS in path)


def test_uct_is_the_mean_and_what_is_seldom_tried() -> None:
    root = Node(messages=REACHED, visits=4)
    often, seldom = reached(root, Action.SCHEMA), reached(root, Action.COLUMNS)
    often.visits, often.value, seldom.visits, seldom.value = 3, 3.0, 1, 0.0
    assert uct(often, 1.0) == pytest.approx(1.0 + math.sqrt(math.log(4) / 3))
    assert uct(seldom, 1.0) == pytest.approx(math.sqrt(math.log(4)))
    assert uct(often, 0.1) > uct(seldom, 0.1)
    assert uct(often, 10) < uct(seldom, 10)
    assert uct(root.child(Action.ENTITIES)) == math.inf


def test_every_action_is_tried_before_one_is_taken_again() -> None:
    root, random = Node(messages=REACHED), Random(1)
    for _ in root.possible():
        chosen = select(root, random)
        assert chosen is not None
        assert chosen.parent is root
        chosen.messages = REACHED
        enter(chosen)
    assert set(root.children) == set(root.possible())
    again = select(root, random)
    assert again is not None
    assert again.parent is not root


def test_the_best_child_is_gone_on_with() -> None:
    root = Node(messages=REACHED)
    for action in root.possible():
        node = reached(root, action)
        enter(node)
        reward(node, 1.0 if action is Action.COLUMNS else 0.0)
    chosen = select(root, Random(0))
    assert chosen is not None
    assert chosen.path[0] is Action.COLUMNS


def test_what_is_on_its_way_is_not_entered_again() -> None:
    root = Node(messages=REACHED)
    for action in root.possible():
        enter(root.child(action))
    assert select(root, Random(0)) is None


def test_sql_is_revised_only_where_there_is_something_to_mend() -> None:
    drafted = reached(Node(messages=REACHED), Action.GENERATION)
    assert not drafted.is_open()
    drafted.findings = "One failed."
    assert drafted.possible() == (Action.REVISION,)
    revised = reached(drafted, Action.REVISION)
    revised.findings = "One failed."
    assert not revised.is_open()
    assert not drafted.is_open()


def test_rewards_are_summed_on_the_way_to_the_root() -> None:
    root = Node(messages=REACHED)
    leaf = reached(reached(root, Action.SCHEMA), Action.GENERATION)
    for amount in (1.0, 0.5):
        enter(leaf)
        reward(leaf, amount)
    assert [(node.visits, node.value) for node in leaf.upward()] == [(2, 1.5)] * 3


def test_the_same_seed_plans_the_same_tree() -> None:
    def planned() -> list[tuple[Action, ...]]:
        root, random = Node(messages=REACHED), Random("How many?")
        paths = []
        for _ in range(4):
            chosen = select(root, random)
            assert chosen is not None
            leaf = simulate(chosen, random)
            enter(leaf)
            paths.append(leaf.path)
        return paths

    assert planned() == planned()
    assert len(set(planned())) == 4
