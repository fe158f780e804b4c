"""The search tree: six actions, which may follow which, and UCT. Pure: no model, no database.

Actions and tree policy are those of IESR (section 3.2, appendix C); which action may follow which is Alpha-SQL's order
table, on which its search is built. A path takes no action twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from random import Random

from agents.llm.messages import Message

EXPLORATION = math.sqrt(2)
"""The constant c of UCT."""


class Action(Enum):
    """One step of reasoning; the value is how people read it."""

    EQUATIONS = "equation analysis"
    SCHEMA = "schema selection"
    COLUMNS = "column identification"
    ENTITIES = "entity extraction"
    GENERATION = "SQL generation"
    REVISION = "SQL revision"


FOLLOWS: Mapping[Action | None, tuple[Action, ...]] = {
    None: (Action.EQUATIONS, Action.SCHEMA, Action.COLUMNS, Action.ENTITIES, Action.GENERATION),
    Action.EQUATIONS: (Action.SCHEMA, Action.COLUMNS, Action.ENTITIES, Action.GENERATION),
    Action.SCHEMA: (Action.COLUMNS, Action.ENTITIES, Action.GENERATION),
    Action.COLUMNS: (Action.SCHEMA, Action.ENTITIES, Action.GENERATION),
    Action.ENTITIES: (Action.SCHEMA, Action.COLUMNS, Action.GENERATION),
    Action.GENERATION: (Action.REVISION,),
    Action.REVISION: (),
}

WRITES_SQL = frozenset({Action.GENERATION, Action.REVISION})


@dataclass(eq=False)
class Node:
    """A state: the talk with the model up to here, in `messages`; none until a rollout has come through.

    `visits` and `value` (the sum of rewards) are those of the edge from the parent. `findings` say of a node
    with drafts what a revision has to mend; where there is nothing, none follows.
    """

    action: Action | None = None
    parent: Node | None = None
    messages: tuple[Message, ...] = ()
    findings: str = ""
    visits: int = 0
    value: float = 0.0
    children: dict[Action, Node] = field(default_factory=dict)

    @property
    def path(self) -> tuple[Action, ...]:
        """The actions from the root to here."""
        return tuple(node.action for node in reversed(list(self.upward())) if node.action is not None)

    def upward(self) -> Iterator[Node]:
        """This node, its parent, and so on to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def possible(self) -> tuple[Action, ...]:
        """The actions that may be taken here."""
        if self.action is Action.GENERATION and not self.findings:
            return ()
        taken = self.path
        return tuple(action for action in FOLLOWS[self.action] if action not in taken)

    def untried(self) -> list[Action]:
        return [action for action in self.possible() if action not in self.children]

    def is_open(self) -> bool:
        """Whether the search may still find something new here. What a rollout is on its way to is not open yet."""
        if not self.messages:
            return False
        return bool(self.untried()) or any(child.is_open() for child in self.children.values())

    def child(self, action: Action) -> Node:
        """A new node under this one."""
        made = self.children[action] = Node(action, self)
        return made


def uct(node: Node, exploration: float = EXPLORATION) -> float:
    """The mean reward of `node`, and more where it was seldom visited: equation 7. Infinite for one never visited."""
    if node.visits == 0:
        return math.inf
    visits = node.parent.visits if node.parent is not None else node.visits
    return node.value / node.visits + exploration * math.sqrt(math.log(max(visits, 1)) / node.visits)


def select(root: Node, random: Random) -> Node | None:
    """Selection and expansion: down the open children with the best UCT to a node with an action not tried yet, and a
    new child for such a one. None where nothing is open."""
    node = root
    while node.is_open():
        if untried := node.untried():
            return node.child(random.choice(untried))
        node = max((child for child in node.children.values() if child.is_open()), key=uct)
    return None


def simulate(node: Node, random: Random) -> Node:
    """From `node`, actions at random until one writes SQL; the node of that one. All nodes on the way are kept, as
    their states are paid for."""
    while node.action not in WRITES_SQL:
        node = node.child(random.choice(node.possible()))
    return node


def enter(leaf: Node) -> None:
    """Count a visit of every node to `leaf`, before the reward is known: until then the path counts as one that failed,
    so rollouts that go on side by side take different ways."""
    for node in leaf.upward():
        node.visits += 1


def reward(leaf: Node, amount: float) -> None:
    """Backpropagation of a rollout that was entered."""
    for node in leaf.upward():
        node.value += amount
