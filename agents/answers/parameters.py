"""The values in a program's filters that a reader may set: found, named, and put in without changing anything else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.dsl import expressions
from agents.dsl.expressions import text_literal
from connections.catalogue import DialectName

Program = Sequence[Mapping[str, Any]]
Kind = Literal["text", "number"]

_COLUMN = re.compile(r'(?P<name>\w+)"?\)?\s*(?:=|<>|!=|>=|<=|<|>|i?like|in\s*\(|between)\s*$', re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,20})?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """Literal number `place` in the filter of step `step` (from 1)."""

    name: str
    step: int
    place: int
    kind: Kind
    value: str


def parameters_of(program: Program, dialect: DialectName) -> list[Parameter]:
    """Every literal of the program's filters, each with a name of its own made from the column before it."""
    found: list[Parameter] = []
    for number, call in enumerate(program, start=1):
        if call.get("op") == "filter_expr":
            predicate = str((call.get("args") or {}).get("predicate", ""))
            for place, one in enumerate(expressions.literals(predicate, dialect)):
                column = _COLUMN.search(predicate[: one.start])
                name = _unused(column["name"] if column else "value", [known.name for known in found])
                found.append(Parameter(name, number, place, one.kind, one.value))
    return found


def with_values(
    program: Program, parameters: Sequence[Parameter], values: Mapping[str, str], dialect: DialectName
) -> list[dict[str, Any]]:
    """The program with other values. Raises ValueError, with words for people, for a number that is none and for a
    program that no longer has the literal."""
    calls = [{**call, "args": dict(call.get("args") or {})} for call in program]
    for number in {one.step for one in parameters}:
        here = {one.place: one for one in parameters if one.step == number}
        predicate = str(calls[number - 1]["args"].get("predicate", ""))
        calls[number - 1]["args"]["predicate"] = _replaced(predicate, here, values, dialect)
    return calls


def _replaced(predicate: str, here: Mapping[int, Parameter], values: Mapping[str, str], dialect: DialectName) -> str:
    """What keeps its value stays as it is written."""
    written, last = [], 0
    literals = expressions.literals(predicate, dialect)
    if any(place >= len(literals) or literals[place].kind != one.kind for place, one in here.items()):
        raise ValueError("The steps were changed since the parameter was chosen; save the question again.")
    for place, parameter in sorted(here.items()):
        value = values.get(parameter.name, parameter.value)
        if value != parameter.value:
            written += [predicate[last : literals[place].start], _literal(parameter, value, dialect)]
            last = literals[place].end
    return "".join([*written, predicate[last:]])


def _literal(parameter: Parameter, value: str, dialect: DialectName) -> str:
    if parameter.kind == "text":
        return text_literal(value, dialect)
    if not _NUMBER.fullmatch(value.strip()):
        raise ValueError(f"{parameter.name} must be a number such as {parameter.value}, not {value!r}.")
    return value.strip()


def _unused(name: str, taken: Sequence[str]) -> str:
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, 1000))) if one not in taken)
