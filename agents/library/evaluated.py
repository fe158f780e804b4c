"""Reads of evaluations: how one stands, its systems side by side, what changed, and its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from agents import permissions
from agents.evaluation.overview import Changes, Figures, changes, figures, frontier
from agents.evaluation.results import CaseResult
from agents.models import CaseState, Evaluation, EvaluationCase, EvaluationQuestion, EvaluationSystem
from connections.models import User

OUTCOMES = (("wrong", "Not right"), ("failed", "Failed"), ("right", "Right"), ("all", "Everything"))
_CONDITIONS = {
    "wrong": Q(right=False), "failed": Q(status__in=("failed", "cancelled")), "right": Q(right=True), "all": Q(),
}  # fmt: skip
_SCORED = (
    "question__key", "status", "question__difficulty", "question__answerable", "execution", "tolerant", "soft_f1",
    "judged", "turns", "calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "seconds", "system_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Progress:
    """`left` are the seconds that the rest will take; None before the first answer since it was last begun."""

    done: int
    total: int
    left: float | None

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 100

    @property
    def tenths(self) -> int:
        return self.percent // 10


@dataclass(frozen=True, slots=True)
class Side:
    """A system with its figures; `changed` tells of it against the first one, None for that one itself."""

    system: EvaluationSystem
    figures: Figures
    changed: Changes | None
    on_frontier: bool


def evaluations(user: User) -> QuerySet[Evaluation]:
    """Those that `user` sees, the newest first, with how many questions and systems they have."""
    found = permissions.visible_evaluations(user).select_related("connection", "team", "created_by")
    return found.annotate(question_count=_number(EvaluationQuestion), system_count=_number(EvaluationSystem))


def _number(model: type[EvaluationQuestion | EvaluationSystem]) -> Subquery:
    own = model.objects.filter(evaluation=OuterRef("pk")).order_by().values("evaluation")
    return Subquery(own.annotate(number=Count("pk")).values("number"))


def evaluation_to_see(user: User, evaluation_id: int) -> Evaluation:
    return evaluations(user).get(pk=evaluation_id)


def case_to_see(user: User, case_id: int) -> EvaluationCase:
    visible = permissions.visible_evaluations(user).values("pk")
    found = EvaluationCase.objects.filter(system__evaluation__in=visible)
    return found.select_related("system__evaluation__connection", "question", "run").get(pk=case_id)


def progress(evaluation: Evaluation) -> Progress:
    counted = EvaluationCase.objects.filter(system__evaluation=evaluation).aggregate(
        total=Count("pk"), done=Count("pk", filter=Q(state=CaseState.DONE))
    )
    now = counted["done"] - evaluation.done_before
    passed = (timezone.now() - evaluation.began_at).total_seconds()
    left = passed / now * (counted["total"] - counted["done"]) if now > 0 else None
    return Progress(counted["done"], counted["total"], left)


def results_of(evaluation: Evaluation) -> dict[EvaluationSystem, list[CaseResult]]:
    """What is scored so far, by system, in the order of the questions."""
    systems = {system.pk: system for system in evaluation.systems.all()}
    found: dict[EvaluationSystem, list[CaseResult]] = {system: [] for system in systems.values()}
    cases = EvaluationCase.objects.filter(system__in=systems, state=CaseState.DONE).order_by("question__position")
    names = {pk: str(system) for pk, system in systems.items()}
    for row in cases.values_list(*_SCORED):
        found[systems[row[-1]]].append(_result(row, names[row[-1]]))
    return found


def sides_of(results: Mapping[EvaluationSystem, Sequence[CaseResult]]) -> list[Side]:
    """Every system against the first; on the frontier is whoever nothing beats in cost and accuracy."""
    each = [(system, figures(own), _rights(own)) for system, own in results.items()]
    priced = [place for place, (_, found, _rights_of) in enumerate(each) if found.cost is not None and found.questions]
    best = frontier([(each[place][1].cost or 0.0, each[place][1].accuracy) for place in priced])
    leading = {place for place, on in zip(priced, best, strict=True) if on}
    return [
        Side(system, found, changes(each[0][2], rights) if place else None, place in leading)
        for place, (system, found, rights) in enumerate(each)
    ]


def changed_between(
    first: EvaluationSystem, second: EvaluationSystem, known: Mapping[EvaluationSystem, Sequence[CaseResult]]
) -> Changes:
    """`known` are results that were read already."""
    own = [_rights(known[one]) if one in known else _rights_stored(one) for one in (first, second)]
    return changes(own[0], own[1])


def earlier_systems(user: User, evaluation: Evaluation) -> Sequence[EvaluationSystem]:
    """The systems of the evaluation before this one, of the same connection or team, as far as `user` sees it: what it
    may be compared with."""
    same = {name: getattr(evaluation, name) for name in ("connection", "connection_name", "team")}
    before = permissions.visible_evaluations(user).filter(**same, created_at__lt=evaluation.created_at).first()
    return list(before.systems.select_related("evaluation")) if before is not None else []


def cases_of(
    evaluation: Evaluation, *, outcome: str = "wrong", system: EvaluationSystem | None = None, difficulty: str = ""
) -> QuerySet[EvaluationCase]:
    """Scored cases in the order of the questions."""
    found = EvaluationCase.objects.filter(system__evaluation=evaluation, state=CaseState.DONE)
    found = found.filter(_CONDITIONS.get(outcome, _CONDITIONS["wrong"]))
    if system is not None:
        found = found.filter(system=system)
    if difficulty:
        found = found.filter(question__difficulty=difficulty)
    found = found.select_related("question", "system").defer("predicted", "question__gold")
    return found.order_by("question__position", "system__position")


def cases_by_key(system: EvaluationSystem, keys: Sequence[str]) -> list[EvaluationCase]:
    """The cases of these questions, in their order."""
    cases = system.cases.filter(question__key__in=keys).select_related("question").defer("predicted", "question__gold")
    found = {case.question.key: case for case in cases}
    return [found[key] for key in keys if key in found]


def whole_results(evaluation: Evaluation) -> list[CaseResult]:
    """Everything that the report tells of, system by system."""
    cases = EvaluationCase.objects.filter(system__evaluation=evaluation, state=CaseState.DONE)
    cases = cases.order_by("system__position", "question__position").select_related("question", "system")
    return [
        _result(
            [_attribute(case, name) for name in _SCORED], str(case.system), question=case.question.text,
            answer=case.answer, sql=case.sql, trace=f"/runs/{case.run_id}/trace" if case.run_id else "",
            error={"type": case.error_type, "message": case.error} if case.error else None,
        )
        for case in cases.defer("predicted", "question__gold")
    ]  # fmt: skip


def _attribute(case: EvaluationCase, path: str) -> Any:
    place: Any = case
    for name in path.split("__"):
        place = getattr(place, name)
    return place


def _result(row: Sequence[Any], system: str, **more: Any) -> CaseResult:
    (key, status, difficulty, answerable, execution, tolerant, soft_f1, judged, turns, calls, read, cached, written,
     cost, seconds, _) = row  # fmt: skip
    return CaseResult(
        id=key, system=system, status=status, difficulty=difficulty, answerable=answerable, execution=execution,
        tolerant=tolerant, soft_f1=soft_f1, judged=judged, turns=turns, calls=calls,
        usage={"input": read, "cached": cached, "output": written, "cost": None if cost is None else float(cost)},
        seconds=seconds, **more,
    )  # fmt: skip


def _rights(results: Sequence[CaseResult]) -> dict[str, bool]:
    return {one.id: one.right for one in results}


def _rights_stored(system: EvaluationSystem) -> dict[str, bool]:
    cases = system.cases.filter(state=CaseState.DONE).order_by("question__position")
    return dict(cases.values_list("question__key", "right"))
