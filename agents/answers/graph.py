"""The picture of a program: which step feeds which, laid out on a grid by the server.

The last step stands at the bottom of the first lane; a step's first input keeps its lane, further inputs go to the
right. Sources stand directly above the step that reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

NODE_WIDTH, NODE_HEIGHT = 106, 36
LANE, LAYER, MARGIN = 118, 54, 3
LONGEST_NAME = 14
# A picture of few lanes is not blown up to the width of its place; one of more than four scrolls.
LEAST_WIDTH, MOST_LANES = 420, 4

NodeKind = Literal["src", "res", ""]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a program: `inputs` are the numbers of the steps whose relations it reads."""

    number: int
    name: str
    call: Mapping[str, Any]
    inputs: tuple[int, ...]
    kind: NodeKind


@dataclass(frozen=True, slots=True)
class Node:
    number: int
    name: str
    kind: NodeKind
    x: int
    y: int

    @property
    def middle(self) -> float:
        return self.x + NODE_WIDTH / 2

    @property
    def name_y(self) -> int:
        return self.y + 15

    @property
    def rows_y(self) -> int:
        return self.y + 29


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    path: str
    on: bool


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: int
    height: int
    wide: bool = False
    node_width: int = NODE_WIDTH
    node_height: int = NODE_HEIGHT


def steps_of(program: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The calls of a program as steps. A handle that is bound again means the newest relation from there on."""
    bound: dict[str, int] = {}
    steps: list[Step] = []
    results = 0
    for number, call in enumerate(program, start=1):
        args = call.get("args") or {}
        names = [str(args[key]) for key in ("rel", "left", "right") if key in args]
        inputs = tuple(dict.fromkeys(bound[name] for name in names if name in bound))
        name = str(call.get("out") or call.get("op", ""))
        kind: NodeKind = "src" if call.get("op") == "table_ref" else ""
        if call.get("op") == "execute":
            results += 1
            name, kind = f"result {results}", "res"
        elif call.get("out"):
            bound[str(call["out"])] = number
        steps.append(Step(number, name, call, inputs, kind))
    return tuple(steps)


def draw(steps: Sequence[Step], current: int | None = None) -> Graph | None:
    """Nodes and edges of `steps`; edges that lead on from step `current` are on. None for an empty program."""
    if not steps:
        return None
    by_number = {step.number: step for step in steps}
    layers = _layers(steps)
    lanes = _lanes(steps, by_number, layers)
    nodes = tuple(
        Node(
            step.number,
            _short(step),
            step.kind,
            MARGIN + lanes[step.number] * LANE,
            MARGIN + layers[step.number] * LAYER,
        )
        for step in steps
    )
    places = {node.number: node for node in nodes}
    reached = _downstream(steps, current)
    edges = tuple(
        Edge(source, step.number, _path(places[source], places[step.number]), source in reached)
        for step in steps
        for source in step.inputs
    )
    used = max(lanes.values()) + 1
    width = max((used - 1) * LANE + NODE_WIDTH + 2 * MARGIN, LEAST_WIDTH)
    height = max(layers.values()) * LAYER + NODE_HEIGHT + 2 * MARGIN
    return Graph(nodes, edges, width, height, wide=used > MOST_LANES)


def _layers(steps: Sequence[Step]) -> dict[int, int]:
    """Every step directly above the first that reads it, so that a branch begins no earlier than it must."""
    below: dict[int, int] = {}
    for step in reversed(steps):
        readers = [below[reader.number] for reader in steps if step.number in reader.inputs]
        below[step.number] = 1 + max(readers, default=-1)
    deepest = max(below.values())
    return {number: deepest - depth for number, depth in below.items()}


def _lanes(steps: Sequence[Step], by_number: Mapping[int, Step], layers: Mapping[int, int]) -> dict[int, int]:
    lanes: dict[int, int] = {}
    taken: set[tuple[int, int]] = set()

    def free(wanted: int, first: int, last: int) -> int:
        lane = wanted
        while any((layer, lane) in taken for layer in range(first, last + 1)):
            lane += 1
        return lane

    def place(number: int, wanted: int, reader_layer: int | None) -> None:
        if number in lanes:
            return
        layer = layers[number]
        last = layer if reader_layer is None else max(layer, reader_layer - 1)
        lane = lanes[number] = free(wanted, layer, last)
        taken.update((row, lane) for row in range(layer, last + 1))
        for offset, source in enumerate(by_number[number].inputs):
            place(source, lane + offset, layer)

    read = {number for step in steps for number in step.inputs}
    for step in reversed(steps):
        if step.number not in read:
            place(step.number, 0, None)
    return lanes


def _downstream(steps: Sequence[Step], current: int | None) -> frozenset[int]:
    if current is None:
        return frozenset()
    reached = {current}
    for step in steps:
        if reached.intersection(step.inputs):
            reached.add(step.number)
    return frozenset(reached)


def _path(source: Node, target: Node) -> str:
    top, bottom = source.y + NODE_HEIGHT, target.y
    if source.x == target.x:
        return f"M{source.middle} {top} V{bottom}"
    bend = min(18, max(bottom - top, 4) * 0.9)
    start = bottom - 20 if bottom - top > 20 else top
    straight = f"M{source.middle} {top} V{start}" if start > top else f"M{source.middle} {top}"
    return f"{straight} C{source.middle} {start + bend} {target.middle} {bottom - bend} {target.middle} {bottom}"


def _short(step: Step) -> str:
    name = step.name if len(step.name) <= LONGEST_NAME else step.name[: LONGEST_NAME - 1] + "…"
    return f"{step.number} {name}"
