"""The report says of every question that was not right how it ended and why."""

from __future__ import annotations

import pytest

from agents.evaluation.report import markdown
from agents.evaluation.results import CaseResult


@pytest.mark.parametrize(
    ("result", "row"),
    [
        (CaseResult("a", "s", "answered", question="Q?", answer="Five."), "| Q? | s | answered | another result | a |"),
        (
            CaseResult("a", "s", "unanswerable", question="Q?", answer="This database holds no salaries."),
            "| Q? | s | unanswerable | This database holds no salaries. | a |",
        ),
        (CaseResult("a", "s", "clarify", question="Q?", answer="Which?"), "| Q? | s | clarify | Which? | a |"),
        (
            CaseResult("a", "s", "failed", question="Q?", error={"type": "T", "message": "All turns are used."}),
            "| Q? | s | failed | All turns are used. | a |",
        ),
    ],
)
def test_a_wrong_question_is_listed_with_its_reason(result: CaseResult, row: str) -> None:
    assert row in markdown([result], "title").splitlines()


def test_what_is_right_is_not_listed() -> None:
    right = CaseResult("a", "s", "answered", question="Q?", tolerant=True)
    assert "Nothing." in markdown([right], "title").splitlines()
