"""Information understanding: what the model reads out of a question, filtered by rules (IESR, section 3.1).

Only what the question's own words bear out is kept. The paper scores relations against a rule base of units and
formulas; here a phrase must share half of its words with what was said, a number must stand there, and a unit, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from agents.prompts.ranking import alike, words

GROUNDED_SHARE = 0.5
MOST_PHRASES = 20
LONGEST_PHRASE = 200

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WORDS = {
    "half": "0.5", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "dozen": "12", "hundred": "100",
    "thousand": "1000", "million": "1000000",
}  # fmt: skip
_FILLERS = frozenset({
    "a", "an", "and", "are", "by", "for", "in", "is", "it", "of", "on", "or", "than", "that", "the", "to", "was",
    "with",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the question, its unit, and how that is converted to another one, where the question needs it."""

    number: str
    unit: str = ""
    formula: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [self.number, self.unit, f"({self.formula})" if self.formula else ""]))


@dataclass(frozen=True, slots=True)
class Understanding:
    """What is asked for, in what terms. `dropped` is what the model wrote and the question does not bear out."""

    intent: str = ""
    entities: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    fields: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """What names of tables and columns and stored values are compared with."""
        return tuple(dict.fromkeys((*self.entities, *self.fields, *self.conditions)))

    def text(self) -> str:
        """For prompts: one line for each kind that there is."""
        kinds: Mapping[str, Sequence[object]] = {
            "Asked for": [self.intent] if self.intent else [],
            "Entities": self.entities,
            "Conditions": self.conditions,
            "Quantities": self.quantities,
            "Fields": self.fields,
        }
        return "\n".join(f"{kind}: {'; '.join(map(str, found))}" for kind, found in kinds.items() if found)


def understood(read: Mapping[str, Any], said: str) -> Understanding:
    """The model's object `read`, without what does not follow from `said`: the question, and what was added to it."""
    spoken = frozenset(words(said))
    kept: dict[str, tuple[str, ...]] = {}
    dropped: list[str] = []
    for key in ("entities", "conditions", "fields"):
        phrases = _phrases(read.get(key))
        kept[key] = tuple(phrase for phrase in phrases if is_grounded(phrase, said, spoken))
        dropped += [phrase for phrase in phrases if phrase not in kept[key]]
    quantities, strange = _quantities(read.get("quantities"), said, spoken)
    intent = read.get("intent")
    return Understanding(
        intent=_tidy(intent) if isinstance(intent, str) else "",
        entities=kept["entities"],
        conditions=kept["conditions"],
        quantities=quantities,
        fields=kept["fields"],
        dropped=(*dropped, *strange),
    )


def is_grounded(phrase: str, said: str, spoken: frozenset[str]) -> bool:
    """Whether the phrase was said as it is (scripts without spaces have no other words), or half of its words were, or
    words spelled nearly like them."""
    if phrase.casefold() in said.casefold():
        return True
    telling = [word for word in words(phrase) if word not in _FILLERS] or words(phrase)
    found = sum(word in spoken or bool(alike([word], spoken)) for word in telling)
    return bool(telling) and found >= GROUNDED_SHARE * len(telling)


def _quantities(read: Any, said: str, spoken: frozenset[str]) -> tuple[tuple[Quantity, ...], list[str]]:
    """Those whose number was said; a unit that was not said is left out, with its formula."""
    known = _numbers(said, spoken)
    kept: list[Quantity] = []
    strange: list[str] = []
    for one in read if isinstance(read, list) else []:
        given = one if isinstance(one, Mapping) else {"number": one}
        number = _number(str(given.get("number", "")))
        unit, formula = _tidy(str(given.get("unit") or "")), _tidy(str(given.get("formula") or ""))
        if number is None or number not in known:
            strange.append(_tidy(str(given.get("number", ""))) or "a quantity without a number")
        elif unit and is_grounded(unit, said, spoken):
            kept.append(Quantity(f"{number:f}", unit, formula))
        else:
            kept.append(Quantity(f"{number:f}"))
    return tuple(dict.fromkeys(kept))[:MOST_PHRASES], strange


def _numbers(said: str, spoken: Iterable[str]) -> set[Decimal]:
    """Every number in the text, as figures or as a word; a percentage also as a fraction."""
    figures = [_number(figure) for figure in _NUMBER.findall(said)]
    found = {number for number in figures if number is not None}
    found |= {Decimal(_NUMBER_WORDS[word]) for word in spoken if word in _NUMBER_WORDS}
    return found | {number / 100 for number in found} if re.search(r"%|per ?cent", said, re.IGNORECASE) else found


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _phrases(read: Any) -> tuple[str, ...]:
    listed = read if isinstance(read, list) else [read] if isinstance(read, str) else []
    return tuple(dict.fromkeys(_tidy(one) for one in listed if isinstance(one, str) and one.strip()))[:MOST_PHRASES]


def _tidy(text: str) -> str:
    return " ".join(text.split())[:LONGEST_PHRASE]
