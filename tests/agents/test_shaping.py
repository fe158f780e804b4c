"""The shaper chooses, and is checked: a result byte for byte, or a small table whose every number has a source."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.answers.sentence import told
from agents.answers.shaping import Shape, UnsupportedNumberError, read_shape
from agents.engine.outcomes import Result
from agents.errors import MalformedReplyError, UnknownResultError
from connections.contracts import ResultColumn


def result(number: int, *rows: tuple[Any, ...], count: int | None = None) -> Result:
    columns = tuple(ResultColumn(f"c{index}") for index in range(len(rows[0]) if rows else 1))
    return Result(number, "h", columns, rows, len(rows) if count is None else count)


RESULTS = [result(1, (48,)), result(2, ("north", 12), ("south", 36)), result(3)]


def table(rows: list[list[Any]], sources: Any = (1, 2), arithmetic: Any = "", **more: Any) -> str:
    columns = [f"c{index}" for index in range(len(rows[0]))]
    return json.dumps({"columns": columns, "rows": rows, "sources": list(sources), "arithmetic": arithmetic, **more})


@pytest.mark.parametrize("reply", ["<execute_result_2>", "  <execute_result_2>\n", "The answer is <execute_result_2>."])
def test_the_sentinel_names_a_result_and_nothing_else(reply: str) -> None:
    assert read_shape(reply, "sentence", RESULTS) == Shape("sentence", 2, None, (2,))


SUPPORTED: list[tuple[str, str]] = [
    ("numbers of the sources", table([["north", 12], ["south", 36]])),
    ("a text that is a number", table([["12"]])),
    ("a row count", table([["rows", 2]], [2])),
    ("yes or no", table([["yes"]])),
    ("a difference", table([[24]], arithmetic="difference: 36 - 12 = 24")),
    ("a share as a percentage", table([[25.0]], arithmetic="12 / 48 * 100 = 25")),
    ("a step on a step", table([[75]], arithmetic="a: 36 / 48 = 0.75; b: 0.75 * 100 = 75")),
    ("a list of steps", table([[24]], arithmetic=["36 - 12 = 24"])),
    ("a rounded quotient", table([[0.33]], arithmetic="12 / 36 = 0.33")),
    ("a negative number", table([[-24]], arithmetic="12 - 36 = -24")),
    ("a cited source", table([[48]], ["<execute_result_1>"])),
    ("NULL and true", table([[None, True]])),
]


@pytest.mark.parametrize("reply", [case[1] for case in SUPPORTED], ids=[case[0] for case in SUPPORTED])
def test_a_table_of_supported_numbers_stands(reply: str) -> None:
    shape = read_shape(reply, "sentence", RESULTS)
    assert shape.table is not None
    assert (shape.text, shape.result, shape.table["rows"]) == ("sentence", None, json.loads(reply)["rows"])


REFUSED: list[tuple[str, str, type[Exception], str]] = [
    ("an invented number", table([[99]]), UnsupportedNumberError, "99 occurs in none"),
    ("a number of a result that is no source", table([[48]], [2]), UnsupportedNumberError, "48 occurs in none"),
    ("a whole number that is near", table([[47]]), UnsupportedNumberError, "47 occurs in none"),
    ("wrong arithmetic", table([[25]], arithmetic="36 - 12 = 25"), UnsupportedNumberError, "the left side is 24"),
    ("arithmetic over invented numbers", table([[7]], arithmetic="5 + 2 = 7"), UnsupportedNumberError, "uses 5"),
    ("division by nothing", table([[7]], arithmetic="12 / (36 - 36) = 7"), UnsupportedNumberError, "worked out"),
    ("a call in the arithmetic", table([[7]], arithmetic="abs(12) = 7"), UnsupportedNumberError, "numbers, \\+ - "),
    ("a power in the arithmetic", table([[7]], arithmetic="12 ** 36 = 7"), UnsupportedNumberError, "numbers, \\+ - "),
    ("no equals sign", table([[7]], arithmetic="12 and 36"), UnsupportedNumberError, "not of the form"),
    ("an unknown source", table([[12]], [7]), UnknownResultError, "no result 7; there are 1, 2, 3"),
    ("no source", table([[12]], []), MalformedReplyError, "Name the results"),
    ("a ragged row", '{"columns": ["a", "b"], "rows": [[12]], "sources": [2]}', MalformedReplyError, "2 cells"),
    ("a nested cell", table([[[12]]]), MalformedReplyError, "A cell is"),
    ("too many rows", table([[12]] * 51), MalformedReplyError, "51 rows are too many"),
    ("no choice", "I cannot say.", MalformedReplyError, "Reply with one line"),
    ("no list of columns", '{"columns": null, "rows": [], "sources": [1]}', MalformedReplyError, "a list of names"),
    ("a number of columns", '{"columns": 2, "rows": [], "sources": [1]}', MalformedReplyError, "a list of names"),
    ("one column as text", '{"columns": "n", "rows": [[5]], "sources": [1]}', MalformedReplyError, "a list of names"),
    ("a source that is an object", table([[48]], [{"result": 1}]), UnknownResultError, "no result {'result': 1}"),
    ("a source that is a list", table([[48]], [[1]]), UnknownResultError, "no result \\[1\\]"),
    ("a source in words", table([["yes"]], ["the first"]), UnknownResultError, "no result 'the first'"),
    ("a number without end", table([[10**400]]), UnsupportedNumberError, "occurs in none"),
    ("arithmetic without end", table([[7]], arithmetic=f"{10**400} + 1 = 7"), UnsupportedNumberError, "worked out"),
    ("two choices", "<execute_result_1> <execute_result_2>", MalformedReplyError, "Reply with one line"),
    ("a result that is not there", "<execute_result_9>", UnknownResultError, "no result 9"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "error", "words"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_what_has_no_source_is_refused_in_words(reply: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read_shape(reply, "sentence", RESULTS)


def test_a_choice_is_read_behind_the_thought() -> None:
    reply = "<think>Either <execute_result_1> or <execute_result_2>; {2} has the names.</think>\n<execute_result_2>"
    assert read_shape(reply, "sentence", RESULTS).result == 2


def test_a_table_is_read_behind_the_thought() -> None:
    reply = f"<think>1 or <execute_result_2>? {{both}}</think>{table([[48]])}"
    assert read_shape(reply, "sentence", RESULTS).table is not None


@pytest.mark.parametrize(
    ("reply", "finish_reason"),
    [
        ("<think>Result <execute_result_1> is only the first half, so", "length"),
        ("<think>Result <execute_result_1> is only the first half, so", "stop"),
        ("<execute_result_1>", "length"),
    ],
)
def test_nothing_is_chosen_in_a_thought_or_in_a_reply_that_was_cut(reply: str, finish_reason: str) -> None:
    with pytest.raises(MalformedReplyError):
        read_shape(reply, "sentence", RESULTS, finish_reason=finish_reason)


@pytest.mark.parametrize("stored", ["inf", "Infinity", float("inf")])
def test_an_endless_value_in_a_source_supports_only_itself(stored: Any) -> None:
    sources = [result(1, (stored,), (4,))]
    with pytest.raises(UnsupportedNumberError, match="99 occurs in none"):
        read_shape(table([[99]], [1]), "sentence", sources)
    assert read_shape(table([["inf"]], [1]), "sentence", sources).table is not None


def test_a_sentence_of_the_shaper_replaces_the_analysts() -> None:
    assert read_shape(table([["yes"]], sentence="Yes."), "sentence", RESULTS).text == "Yes."


TOLD: list[tuple[str, str]] = [
    ("There are <execute_result_1> orders.", "There are 48 orders."),
    ("<execute_result_1>", "The answer is 48."),
    ("<execute_result_2>", "The answer has 2 rows."),
    ("<execute_result_3>.", "Nothing matches: the result has no rows."),
    ("South leads: <execute_result_2>.", "South leads."),
    ("South leads (<execute_result_2>) by far.", "South leads by far."),
    ("The total: <execute_result_1>.", "The total: 48."),
    ("Of <execute_result_1>, see <execute_result_2>.", "Of 48, see 2 rows."),
    ("See <execute_result_8>.", "See result 8."),
    ("No citation.", "No citation."),
]


@pytest.mark.parametrize(("text", "sentence"), TOLD)
def test_citations_become_words(text: str, sentence: str) -> None:
    assert told(text, RESULTS) == sentence


def test_a_short_column_is_listed_and_one_row_is_read_out() -> None:
    names = [result(1, ("Ada",), ("Bo",), ("Cleo",)), result(2, ("Ada", 3))]
    assert told("<execute_result_1>", names) == "The answer is Ada, Bo and Cleo."
    assert told("<execute_result_2>", names) == "The answer is Ada, 3."
