"""The further figures on the page of an evaluation are those of the command's report."""

from __future__ import annotations

import re

from django.test import Client
from django.urls import reverse

from agents.evaluation.report import ACCURACY, EFFICIENCY, LATENCY
from agents.library import evaluated
from agents.models import Evaluation, EvaluationCase

SHOWN = ("RS(0)", "RS(10)", "min s", "max s", "CV", "> 500 s", "input", "cached", "output")


def test_further_figures_are_those_of_the_report(mona: Client, done: Evaluation) -> None:
    EvaluationCase.objects.filter(question__position=3).update(seconds=612.5)
    EvaluationCase.objects.filter(question__position=5).update(status="unanswerable")
    body = mona.get(reverse("evaluation", args=[done.pk])).content.decode()
    table = body.split('id="more-figures"')[1].split("</table>")[0]
    rows = [re.findall(r"[\u2212\d.,]+", re.sub(r"<[^>]+>", " ", row)) for row in table.split("</th><td")[1:]]
    measures = {one.heading: one for one in (*ACCURACY, *EFFICIENCY, *LATENCY)}
    for row, results in zip(rows, evaluated.results_of(done).values(), strict=True):
        told = [cell.replace("\u2212", "-").replace(",", "") for cell in row[:9]]
        assert told == [measures[name].show(results) for name in SHOWN]
