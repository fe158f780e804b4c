"""The page of one evaluation, of one of its cases, and its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.answers import cells
from agents.answers.failures import failure_of
from agents.answers.highlight import sql_pieces
from agents.answers.side_by_side import Verdict, compared
from agents.evaluation import plots
from agents.evaluation.overview import Changes
from agents.evaluation.report import markdown
from agents.evaluation.tables import KEPT_ROWS
from agents.forms import EvaluationForm
from agents.library import evaluated
from agents.library.evaluated import OUTCOMES, Side
from agents.models import Evaluation, EvaluationCase, EvaluationSystem
from agents.views.evaluations import progress_context
from agents.views.grids import Grid, grid_of
from agents.views.objects import case_to_see, evaluation_to_see, person
from connections import audit
from connections.login import login_required

PAGE, LISTED_CHANGES = 50, 50


@dataclass(frozen=True, slots=True)
class Change:
    """What changed between two systems. `cases` are those of the second, `more` how many are not listed."""

    before: EvaluationSystem
    after: EvaluationSystem
    found: Changes
    way: str
    cases: Sequence[EvaluationCase]
    more: int


@login_required
@require_safe
def evaluation(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    found = evaluation_to_see(request, evaluation_id)
    form = EvaluationForm(request.GET)
    form.is_valid()  # what cannot be read is left out
    wanted = form.cleaned_data
    results = evaluated.results_of(found)
    sides = evaluated.sides_of(results)
    earlier = evaluated.earlier_systems(person(request), found)
    priced = any(side.figures.cost is not None for side in sides)
    plot = wanted.get("plot") or ("cost" if priced else "latency")
    levels = list(dict.fromkeys(level for side in sides for level in side.figures.by_difficulty))
    context: dict[str, Any] = {
        **progress_context(person(request), found),
        "sides": sides,
        "any_judge": any(side.figures.judged is not None for side in sides),
        "plot": plot,
        **_pareto(sides, plot),
        "levels": levels,
        "bars": _bars(sides) if levels else None,
        "bars_height": plots.BARS_HEIGHT,
        "earlier": earlier,
        "change": _change(list(results), earlier, results, wanted),
        **_cases(found, list(results), wanted),
    }
    return render(request, "agents/evaluation.html", context)


def _pareto(sides: Sequence[Side], plot: str) -> dict[str, Any]:
    """The drawing, and whose price is not known."""
    shown, missing = [], []
    for side in sides:
        seconds = side.figures.seconds
        price = side.figures.cost if plot == "cost" else seconds.median if seconds else None
        if price is None or not side.figures.questions:
            missing.append(side)
            continue
        letter, words = side.system.letter, str(side.system)
        shown.append(plots.Point(letter, words, price, side.figures.accuracy, side.figures.interval))
    title, unit = ("Mean cost of a question", "$") if plot == "cost" else ("Median time of a question", "s")
    figure = plots.pareto(shown, title, unit) if shown else None
    return {"pareto": figure, "pareto_height": plots.PARETO_HEIGHT, "without_price": missing}


def _bars(sides: Sequence[Side]) -> dict[str, Any]:
    return plots.by_difficulty([(side.system.letter, side.figures.by_difficulty) for side in sides])


def _change(
    own: Sequence[EvaluationSystem], earlier: Sequence[EvaluationSystem], results: Any, wanted: dict[str, Any]
) -> Change | None:
    """Between the two that are wanted; else from the first system to the second, or from the evaluation before."""
    known = {one.pk: one for one in (*own, *earlier)}
    after = known.get(wanted.get("after") or 0) or (own[1] if len(own) > 1 else next(iter(own), None))
    same = next((one for one in earlier if after is not None and str(one) == str(after)), next(iter(earlier), None))
    before = known.get(wanted.get("before") or 0) or (own[0] if len(own) > 1 else same)
    if before is None or after is None:
        return None
    found = evaluated.changed_between(before, after, results)
    way = wanted.get("way") or "worse"
    keys = found.better if way == "better" else found.worse
    cases = evaluated.cases_by_key(after, keys[:LISTED_CHANGES])
    return Change(before, after, found, way, cases, max(len(keys) - LISTED_CHANGES, 0))


def _cases(found: Evaluation, systems: Sequence[EvaluationSystem], wanted: dict[str, Any]) -> dict[str, Any]:
    outcome = wanted.get("outcome") or "wrong"
    system = next((one for one in systems if one.pk == wanted.get("system")), None)
    difficulty = wanted.get("difficulty") or ""
    cases = evaluated.cases_of(found, outcome=outcome, system=system, difficulty=difficulty)
    return {
        "page": Paginator(cases, PAGE).get_page(wanted.get("page") or 1),
        "outcomes": OUTCOMES,
        "outcome": outcome,
        "system": system,
        "difficulty": difficulty,
        "systems": systems,
    }


@login_required
@require_safe
def case(request: HttpRequest, case_id: int) -> HttpResponse:
    """One question under one system: the known answer beside the system's, and the way to its trace."""
    found = case_to_see(request, case_id)
    evaluation = found.system.evaluation
    dialect = evaluation.connection.kind if evaluation.connection is not None else ""
    others = found.question.cases.select_related("system").defer("predicted").order_by("system__position")
    context: dict[str, Any] = {
        "case": found,
        "evaluation": evaluation,
        "others": others,
        "gold": _grid(found.question.gold, "gold", "Known answer"),
        "gold_rows": (found.question.gold or {}).get("row_count"),
        "predicted": _grid(found.predicted, "predicted", "Answer of the system"),
        "predicted_rows": (found.predicted or {}).get("row_count"),
        "verdict": _verdict(found),
        "failure": failure_of(
            status=found.status, error_type=found.error_type, message=found.error, turns=found.turns,
            calls=found.calls, seconds=found.seconds,
        ) if found.status in ("failed", "cancelled") else None,
        "gold_pieces": [sql_pieces(sql, dialect) for sql in found.question.gold_sql],
        "pieces": sql_pieces(found.sql, dialect) if found.sql else None,
    }  # fmt: skip
    return render(request, "agents/evaluation_case.html", context)


def _grid(table: dict[str, Any] | None, identifier: str, label: str) -> Grid | None:
    if not table or not table["columns"]:
        return None
    columns = cells.with_guessed_semantics(cells.columns_of(table["columns"]), table["rows"])
    return grid_of(columns, table["rows"], identifier=f"{identifier}-table", label=f"{label}, first rows")


def _verdict(found: EvaluationCase) -> Verdict | None:
    """What differs between the two tables, where both are kept whole."""
    gold, predicted = found.question.gold, found.predicted
    if not gold or not predicted:
        return None
    names = [column["name"] for column in gold["columns"]], [column["name"] for column in predicted["columns"]]
    whole = max(gold["row_count"] or 0, predicted["row_count"] or 0) <= KEPT_ROWS
    verdict = compared(gold["rows"], predicted["rows"], names, whole=whole)
    if verdict.same is False and found.tolerant:
        return replace(verdict, same=True, text="The answer holds the known rows, with further columns.")
    return verdict


@login_required
@require_safe
def report(request: HttpRequest, evaluation_id: int) -> HttpResponse:
    """The report as `manage.py evaluate` writes it; traces are linked by their addresses."""
    found = evaluation_to_see(request, evaluation_id)
    results = [
        replace(one, trace=f"{settings.SITE_URL}{one.trace}" if one.trace else "")
        for one in evaluated.whole_results(found)
    ]
    name = f'attachment; filename="evaluation-{found.pk}.md"'
    body = markdown(results, found.name)
    audit.record("evaluation report exported", actor=person(request), target=found)
    return HttpResponse(body, content_type="text/markdown; charset=utf-8", headers={"Content-Disposition": name})
