"""What the shaper may say, and the check that it invents no number.

The shaper's reply is one of two things: the line `<execute_result_N>`, and that result is the answer byte for byte,
however large; or a small table of its own, as JSON {"columns", "rows", "sources", "arithmetic", "sentence"}, for an
answer that spans results or needs a yes or no. A number of such a table must occur in the results that it names as
sources, or be worked out in `arithmetic` ("12 / 48 * 100 = 25") from numbers that do.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agents.answers.comparison import TOLERANCE
from agents.engine.outcomes import Result
from agents.errors import MalformedReplyError, ModelCorrectableError, UnknownResultError
from agents.llm.parsing import citations, read_object
from agents.llm.parsing.preamble import split_thought, without_special_tokens
from agents.llm.parsing.reply import refuse_cut

LARGEST_TABLE = 50
"""Rows of a synthesised table; a longer answer has to be a result."""

# Factors that turn a share into a percentage or one unit into another are no invention.
FACTORS = (1, 2, 7, 12, 24, 60, 100, 365, 1000)

_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class UnsupportedNumberError(ModelCorrectableError):
    """A synthesised table holds a number that no source result supports."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The answer as people see it. `table` is {"columns": [{"name", "type"}], "rows"}; `result` wins over none."""

    text: str
    result: int | None = None
    table: Mapping[str, Any] | None = None
    sources: tuple[int, ...] = ()


def read_shape(reply: str, text: str, results: Sequence[Result], *, finish_reason: str = "stop") -> Shape:
    """The shaper's choice. `text` is the sentence where the reply brings none.

    Raises MalformedReplyError, UnknownResultError or UnsupportedNumberError, each worded for the model.
    """
    known = {result.number: result for result in results}
    said = _said(reply, finish_reason)
    if "{" not in said:
        return _sentinel(said, text, known)
    data = read_object(reply, ("columns", "rows"), finish_reason=finish_reason)
    sources = _sources(data, known)
    table = _table(data)
    _check_numbers(table["rows"], [known[number] for number in sources], _statements(data.get("arithmetic")))
    sentence = data.get("sentence")
    return Shape(sentence.strip() if isinstance(sentence, str) and sentence.strip() else text, None, table, sources)


def _said(reply: str, finish_reason: str) -> str:
    """The reply without its thought, which may weigh several results. Raises MalformedReplyError where it was cut off
    or is nothing but a thought."""
    refuse_cut(finish_reason)
    preamble = split_thought(without_special_tokens(reply))
    if preamble.open:
        raise MalformedReplyError("Your <think> never ends. Close it, and then reply with the line or the object.")
    return preamble.rest


def _sentinel(reply: str, text: str, known: Mapping[int, Result]) -> Shape:
    numbers = citations(reply)
    if len(numbers) != 1:
        raise MalformedReplyError(
            "Reply with one line, <execute_result_N>, or with one JSON object "
            '{"columns": […], "rows": [[…]], "sources": [N, …], "arithmetic": "… = …", "sentence": "…"}.'
        )
    _known(numbers[0], known)
    return Shape(text, numbers[0], None, numbers)


def _known(number: Any, known: Mapping[int, Result]) -> int:
    if not isinstance(number, (int, float)) or isinstance(number, bool) or number not in known:
        raise UnknownResultError(f"There is no result {number!r}; there are {', '.join(map(str, known)) or 'none'}.")
    return int(number)


def _sources(data: Mapping[str, Any], known: Mapping[int, Result]) -> tuple[int, ...]:
    given = data.get("sources")
    if not isinstance(given, list) or not given:
        raise MalformedReplyError('Name the results that the table is made from: "sources": [1, 2].')
    cited = [number for item in given for number in (isinstance(item, str) and citations(item)) or (item,)]
    return tuple(dict.fromkeys(_known(number, known) for number in cited))


def _table(data: Mapping[str, Any]) -> dict[str, Any]:
    rows = data["rows"]
    named = data["columns"] if isinstance(data["columns"], list) else []
    columns = [column.get("name") if isinstance(column, dict) else column for column in named]
    if not columns or not all(isinstance(column, str) for column in columns):
        raise MalformedReplyError('"columns" is a list of names.')
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        raise MalformedReplyError(f'"rows" is a list of lists with {len(columns)} cells each, as there are columns.')
    if len(rows) > LARGEST_TABLE:
        raise MalformedReplyError(f"{len(rows)} rows are too many to write down: cite <execute_result_N> instead.")
    if any(isinstance(cell, (list, dict)) for row in rows for cell in row):
        raise MalformedReplyError("A cell is a text, a number, true, false or null.")
    return {"columns": [{"name": column, "type": ""} for column in columns], "rows": rows}


def _statements(arithmetic: Any) -> list[str]:
    """The single calculations of "difference: 12 - 5 = 7; share: 5 / 12 * 100 = 41.67", without their labels."""
    texts = arithmetic if isinstance(arithmetic, list) else [arithmetic or ""]
    parts = (part for text in texts for part in re.split(r"[;\n]", str(text)))
    return [part.rpartition(":")[2].strip() for part in parts if part.strip()]


def _check_numbers(rows: Iterable[Sequence[Any]], sources: Sequence[Result], arithmetic: Iterable[str]) -> None:
    cells = (_number(cell) for source in sources for row in source.rows for cell in row)
    found = [number for number in cells if number is not None]
    found += [float(source.row_count) for source in sources]
    derived: list[float] = []
    for statement in arithmetic:
        derived.append(_worked_out(statement, [*found, *derived]))
    for row in rows:
        for cell in row:
            number = _number(cell)
            if number is not None and not _occurs(number, [*found, *derived]):
                raise UnsupportedNumberError(
                    f"The number {cell!r} occurs in none of the source results, and no stated arithmetic leads to it. "
                    'Take numbers from the results, or add the calculation to "arithmetic": "12 / 48 * 100 = 25".'
                )


def _worked_out(statement: str, known: Sequence[float]) -> float:
    """The value of `left = value`, when every number on the left is known and the calculation is right."""
    left, equals, right = statement.rpartition("=")
    value = _number(right.strip().rstrip("%").strip())
    if not equals or value is None:
        raise UnsupportedNumberError(f'The arithmetic {statement!r} is not of the form "12 / 48 * 100 = 25".')
    try:
        result = _evaluate(ast.parse(left.strip().replace(",", ""), mode="eval").body, known)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise UnsupportedNumberError(f"The arithmetic {statement!r} cannot be worked out: {error}.") from error
    if not _rounds_to(result, value):
        raise UnsupportedNumberError(f"The arithmetic {statement!r} is wrong: the left side is {result:.10g}.")
    return value


def _evaluate(node: ast.expr, known: Sequence[float]) -> float:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left, known), _evaluate(node.right, known))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, known)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        if node.value in FACTORS or _occurs(float(node.value), known):
            return float(node.value)
        raise UnsupportedNumberError(f"The arithmetic uses {node.value}, which occurs in none of the source results.")
    raise UnsupportedNumberError("Arithmetic holds numbers, + - * / and parentheses only.")


def _occurs(number: float, known: Iterable[float]) -> bool:
    return any(_rounds_to(value, number) for value in known)


def _rounds_to(value: float, shown: float) -> bool:
    """Whether `shown` is `value`, at most rounded: whole numbers exactly or rounded from a fraction."""
    if value == shown or (math.isnan(value) and math.isnan(shown)):
        return True
    if value.is_integer() or not math.isfinite(value) or not math.isfinite(shown):
        return False
    return abs(value - shown) <= max(TOLERANCE * abs(value), 0.5 if shown.is_integer() and abs(value) >= 1 else 0.005)


def _number(cell: Any) -> float | None:
    if cell is None or isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float, Decimal)):
        return _float(cell)
    if isinstance(cell, str):
        try:
            return float(cell.replace(",", ""))
        except ValueError:
            return None
    return None


def _float(number: int | float | Decimal) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf if number > 0 else -math.inf
