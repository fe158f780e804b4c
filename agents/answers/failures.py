"""A run without an answer, in three parts: what happened, what was tried, what a person can do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.answers.turns import counted


@dataclass(frozen=True, slots=True)
class Failure:
    title: str
    what: str
    tried: str
    advice: str
    detail: str = ""  # for administrators


# Per error type: the headline and the advice. The error's own message is what happened.
_WORDS: Mapping[str, tuple[str, str]] = {
    "BudgetExhaustedError": (
        "No answer: the limit of this run is used up",
        "Ask again with another model, ask for less at once, or name the tables or columns that you mean. "
        "An administrator can raise the limit.",
    ),
    "CapReachedError": (
        "No answer: a cap was reached",
        "What was found until then is kept in the trace. Ask again when the cap begins anew, or with another model if "
        "it is a model's.",
    ),
    "UnreadableRepliesError": (
        "No answer: the model's replies could not be read",
        "Ask again, or choose another model: this one does not keep to the form that the steps need.",
    ),
    "RepeatedBatchError": (
        "No answer: the model went in circles",
        "Say the question in other words, or choose another model.",
    ),
    "ModelAuthenticationError": (
        "The model refused the key",
        "An administrator can set a valid key for this model. Until then, choose another model.",
    ),
    "ModelRateLimitedError": (
        "The model is asked too often",
        "Wait a minute and ask again, or choose another model.",
    ),
    "ModelUnavailableError": (
        "The model did not answer",
        "Ask again in a minute, or choose another model. If it stays like this, an administrator can test the model.",
    ),
    "ContextTooLongError": (
        "The question does not fit this model",
        "Choose a model with a larger context, or shorten the question.",
    ),
    "ModelRefusedError": (
        "The model declined",
        "Say the question in other words, or choose another model. An administrator can test the model's settings.",
    ),
    "ConnectionFailedError": (
        "The database did not answer",
        "Ask again. If it happens once more, tell the person who looks after the connection.",
    ),
    "QueryTimeoutError": (
        "The database took too long",
        "Ask about a shorter period or fewer rows, or ask for the time limit of the connection to be raised.",
    ),
    "ProgramFailedError": (
        "A step could not be run",
        "Change the step, or ask the question again: then a model writes the steps anew.",
    ),
    "CannotLiftError": (
        "No answer: the query could not be turned into steps",
        "Say the question in other words, or choose a model that composes the steps itself.",
    ),
}  # fmt: skip

_WORD_BEGINS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHERWISE = (
    "No answer: the run failed",
    "Ask again. If it fails once more, give the run's number to an administrator.",
)


def error_in_words(name: str) -> str:
    """The name of an error's type as words: BudgetExhaustedError is "Budget exhausted"."""
    words = _WORD_BEGINS.sub(" ", name.removesuffix("Error")).split()
    spoken = " ".join(word if word.isupper() else word.lower() for word in words)
    return spoken[:1].upper() + spoken[1:] or "Error"


def failure_of(
    *, status: str, error_type: str, message: str, turns: int, calls: int, seconds: float, detail: str = ""
) -> Failure:
    """For a run that failed or was stopped."""
    tried = f"{counted(turns, 'turn')} with {counted(calls, 'call')} in {seconds:,.1f} s." if turns else ""
    if status == "cancelled":
        what = "Somebody pressed stop. What was found until then is kept in the trace; it is not an answer."
        return Failure("Stopped before there was an answer", what, tried, "Ask again, or ask something else below.")
    title, advice = _WORDS.get(error_type, _OTHERWISE)
    return Failure(title, message or "The reason is not known.", tried, advice, detail)
