"""The final signal: an answer, a question back with options, or the statement that the data hold no answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.errors import MalformedReplyError

_CITATION = re.compile(r"<\s*execute_result_(\d{1,6})\s*>", re.IGNORECASE)
_OPTIONS_MIN, _OPTIONS_MAX = 2, 5

Outcome = Literal["answered", "clarify", "unanswerable"]


@dataclass(frozen=True, slots=True)
class Final:
    """How the model ends. `options` (2 to 5) come with "clarify" only."""

    text: str
    outcome: Outcome = "answered"
    options: tuple[str, ...] = ()

    @property
    def cites(self) -> tuple[int, ...]:
        """Numbers of the results that the text cites as `<execute_result_N>`, each once, in order."""
        return citations(self.text)


def citations(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(number) for number in _CITATION.findall(text)))


def read_final(signal: Mapping[str, Any], notes: list[str]) -> Final:
    """A final signal {"final", "clarify"?, "unanswerable"?}. Raises MalformedReplyError."""
    asking, declining = signal.get("clarify"), signal.get("unanswerable")
    if asking and declining:
        raise MalformedReplyError("Use either `clarify` or `unanswerable` in a final signal, not both.")
    if asking:
        return _clarification(signal, asking, notes)
    return Final(_text(signal.get("final")), "unanswerable" if declining else "answered")


def _clarification(signal: Mapping[str, Any], asking: Any, notes: list[str]) -> Final:
    details = asking if isinstance(asking, Mapping) else {"options": asking}
    options = details.get("options")
    if not isinstance(options, list) or len(options) < _OPTIONS_MIN or not all(_is_word(option) for option in options):
        raise MalformedReplyError(
            "A clarification needs 2 to 5 short options: "
            '{"final": "Which year?", "clarify": {"options": ["2023", "2024"]}}.'
        )
    if len(options) > _OPTIONS_MAX:
        notes.append(f"only the first {_OPTIONS_MAX} of {len(options)} options are offered")
    question = details.get("question") or signal.get("final")
    return Final(_text(question), "clarify", tuple(str(option) for option in options[:_OPTIONS_MAX]))


def _is_word(value: Any) -> bool:
    return (isinstance(value, str) and bool(value.strip())) or (isinstance(value, int) and not isinstance(value, bool))


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise MalformedReplyError('The final signal must hold a sentence: {"final": "There are <execute_result_1>."}.')
    return value.strip()
