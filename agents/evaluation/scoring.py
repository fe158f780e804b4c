"""How right a table is, by three rules side by side, and what declining is worth.

- `execution`: BIRD's execution accuracy, the set of rows is equal; column order, column count and types matter.
- `tolerant`: whole rows as multisets, columns in any order, further columns allowed, numbers within 1e-3.
- `soft_f1`: BIRD's soft F1, the share of cells that agree, row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.answers.comparison import covers

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Score:
    execution: bool = False
    tolerant: bool = False
    soft_f1: float = 0.0


WRONG = Score()


def score(predicted: Rows | None, golds: Iterable[Rows]) -> Score:
    """The best over the alternatives in `golds`, rule by rule. `predicted` is None when there is no table."""
    if predicted is None:
        return WRONG
    each = [
        Score(execution_match(predicted, gold), covers(predicted, gold), soft_f1(predicted, gold)) for gold in golds
    ]
    return Score(
        execution=any(one.execution for one in each),
        tolerant=any(one.tolerant for one in each),
        soft_f1=max((one.soft_f1 for one in each), default=0.0),
    )


def execution_match(predicted: Rows, gold: Rows) -> bool:
    """`set(predicted) == set(gold)`, as in BIRD's evaluator."""
    return set(map(_hashable, predicted)) == set(map(_hashable, gold))


def soft_f1(predicted: Rows, gold: Rows) -> float:
    """BIRD's soft F1: duplicates dropped, row i against row i, cells looked for anywhere in the row; 0 to 1."""
    if not predicted and not gold:
        return 1.0
    rows, wanted = list(dict.fromkeys(map(_hashable, predicted))), list(dict.fromkeys(map(_hashable, gold)))
    both = only_predicted = only_gold = 0.0
    for index, target in enumerate(wanted):
        if index >= len(rows):
            only_gold += 1
            continue
        row, width = rows[index], len(target) or 1
        both += sum(cell in target for cell in row) / width
        only_predicted += sum(cell not in target for cell in row) / width
        only_gold += sum(cell not in row for cell in target) / width
    only_predicted += max(0, len(rows) - len(wanted))
    precision = both / (both + only_predicted) if both + only_predicted else 0.0
    recall = both / (both + only_gold) if both + only_gold else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def reliability(outcomes: Iterable[tuple[bool, str, bool]], penalty: int) -> float:
    """EHRSQL's RS(penalty), in percent: +1 for a right answer or a rightful refusal, 0 for a refusal of a question that
    has an answer, minus `penalty` for a wrong answer. A run that failed presented nothing: 0.

    `outcomes` are (answerable, status, right), `status` as a run ends.
    """
    points = [_points(answerable, status, right, penalty) for answerable, status, right in outcomes]
    return 100 * sum(points) / len(points) if points else 0.0


def _points(answerable: bool, status: str, right: bool, penalty: int) -> int:
    if status == "answered":
        return 1 if answerable and right else -penalty
    if status == "unanswerable":
        return 0 if answerable else 1
    return 0


def _hashable(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(repr(cell) if isinstance(cell, (list, dict)) else cell for cell in row)
