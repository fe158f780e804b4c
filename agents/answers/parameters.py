"""The values in a program's filters that a reader may set: found, named, and put in without changing anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Program = Sequence[Mapping[str, Any]]
Kind = Literal["text", "number"]

# A quoted text, a quoted name, or a number that is no part of a name.
_TOKEN = re.compile(r"""'(?P<text>(?:[^']|'')*)'|"(?:[^"]|"")*"|(?<![\w.])(?P<number>-?\d+(?:\.\d+)?)(?![\w.])""")
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


def parameters_of(program: Program) -> list[Parameter]:
    """Every literal of the program's filters, each with a name of its own made from the column before it."""
    found: list[Parameter] = []
    for number, call in enumerate(program, start=1):
        if call.get("op") == "filter_expr":
            for place, (match, column) in enumerate(_literals(str((call.get("args") or {}).get("predicate", "")))):
                kind: Kind = "text" if match["text"] is not None else "number"
                value = match["text"].replace("''", "'") if kind == "text" else match["number"]
                name = _unused(column or "value", [one.name for one in found])
                found.append(Parameter(name, number, place, kind, value))
    return found


def with_values(program: Program, parameters: Sequence[Parameter], values: Mapping[str, str]) -> list[dict[str, Any]]:
    """The program with other values. Raises ValueError, with words for people, for a number that is none and for a
    program that no longer has the literal."""
    calls = [{**call, "args": dict(call.get("args") or {})} for call in program]
    for number in {one.step for one in parameters}:
        here = {one.place: one for one in parameters if one.step == number}
        predicate = str(calls[number - 1]["args"].get("predicate", ""))
        calls[number - 1]["args"]["predicate"] = _replaced(predicate, here, values)
    return calls


def _replaced(predicate: str, here: Mapping[int, Parameter], values: Mapping[str, str]) -> str:
    written, last = [], 0
    literals = list(_literals(predicate))
    if any(place >= len(literals) for place in here):
        raise ValueError("The steps were changed since the parameter was chosen; save the question again.")
    for place, (match, _) in enumerate(literals):
        if place in here:
            written += [predicate[last : match.start()], _literal(here[place], values)]
            last = match.end()
    return "".join([*written, predicate[last:]])


def _literal(parameter: Parameter, values: Mapping[str, str]) -> str:
    value = values.get(parameter.name, parameter.value)
    if parameter.kind == "text":
        quoted = value.replace("\x00", "").replace("'", "''")
        return f"'{quoted}'"
    if not _NUMBER.fullmatch(value.strip()):
        raise ValueError(f"{parameter.name} must be a number such as {parameter.value}, not {value!r}.")
    return value.strip()


def _literals(predicate: str) -> Iterator[tuple[re.Match[str], str]]:
    for match in _TOKEN.finditer(predicate):
        if match["text"] is not None or match["number"] is not None:
            before = _COLUMN.search(predicate[: match.start()])
            yield match, before["name"] if before else ""


def _unused(name: str, taken: Sequence[str]) -> str:
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, 1000))) if one not in taken)
