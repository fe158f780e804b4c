"""An LLM as the judge of a table: MATCH or MISMATCH, with a reason.

The deterministic comparator comes first, so an exact match costs no call. Cells are fenced as data: a cell that says
"MATCH" is a cell. A verdict that cannot be read is asked for once more, then it is a MISMATCH.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents import prompts
from agents.answers.comparison import covers
from agents.contracts import ModelClient
from agents.errors import MalformedReplyError, ModelAccessError
from agents.llm.messages import Message, Usage
from agents.llm.parsing import read_objects
from connections.values import display_text

SHOWN_ROWS = 30
SHOWN_CHARACTERS = 6_000
TRIES = 2


@dataclass(frozen=True, slots=True)
class Table:
    """What is compared: column names, rows, and how many rows there are in all."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    row_count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    match: bool
    reason: str
    usage: Usage = Usage()


class Judge:
    """Asks one model at temperature 0. Safe to use from several threads."""

    def __init__(self, model: ModelClient) -> None:
        self._model = model

    def compare(
        self, question: str, evidence: str, predicted: Table, golds: Sequence[Table], answer: str = ""
    ) -> Verdict:
        """Whether `predicted` answers the question as well as any of `golds`. A model that cannot be reached is a
        MISMATCH with the reason."""
        if any(covers(predicted.rows, gold.rows) for gold in golds):
            return Verdict(True, "equal by the comparator")
        messages = self._opening(question, evidence, predicted, golds, answer)
        usage, problem = Usage(), ""
        for _ in range(TRIES):
            try:
                reply = self._model.complete(messages, temperature=0.0)
            except ModelAccessError as error:
                return Verdict(False, f"the judge could not be asked: {error}", usage)
            usage += reply.usage
            try:
                return _verdict(reply.text, reply.finish_reason, usage)
            except MalformedReplyError as error:
                problem = str(error)
                messages += [Message("assistant", reply.text.strip() or "(no text)"), Message("user", problem)]
        return Verdict(False, f"no verdict that could be read: {problem}", usage)

    def _opening(
        self, question: str, evidence: str, predicted: Table, golds: Sequence[Table], answer: str
    ) -> list[Message]:
        correct = [_shown(gold) for gold in golds]
        case = prompts.render(
            "judge_question",
            question=question,
            evidence=evidence,
            correct_note=" (any of these)" if len(golds) > 1 else "",
            correct="\n\nor\n\n".join(correct),
            answered_note="",
            answered="\n".join(filter(None, [_as_data(answer), _shown(predicted)])),
        )
        return [Message("system", prompts.render("judge_system")), Message("user", case)]


def _verdict(text: str, finish_reason: str, usage: Usage) -> Verdict:
    said = read_objects(text, ("verdict",), finish_reason=finish_reason)
    words = {str(one["verdict"]).strip().upper() for one in said}
    if len(words) > 1:  # a draft before it, or a cell that is quoted
        raise MalformedReplyError("Your reply holds verdicts that differ. Reply with exactly one JSON object.")
    if not words <= {"MATCH", "MISMATCH"}:
        raise MalformedReplyError('"verdict" is "MATCH" or "MISMATCH".')
    return Verdict(words == {"MATCH"}, str(said[-1].get("reason", "")), usage)


def _shown(table: Table) -> str:
    """The head of a table as text, both tables cut in the same way, and how much there is of it."""
    lines = [" | ".join(table.columns)]
    size = 0
    for row in table.rows[:SHOWN_ROWS]:
        line = " | ".join(display_text(value) for value in row)
        size += len(line)
        if size > SHOWN_CHARACTERS:
            break
        lines.append(line)
    shown = len(lines) - 1
    cut = f", the first {shown} shown" if shown < table.row_count else ""
    return _as_data("\n".join([*lines, f"({table.row_count} rows{cut})"]))


def _as_data(text: str) -> str:
    """No cell may end the fence that it stands in."""
    return text.replace("```", "\u02cb\u02cb\u02cb")
