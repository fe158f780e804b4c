"""Plain words for calls: "Opened returns", "Joining customers on region_id = id", "Keep regions where …".

A phrase is a tuple of words, each plain text or code, so that whoever shows it escapes and marks it up; nothing here
is HTML. Three tenses: `wait` is the bare verb, `run` what happens now, `done` what happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Tense = Literal["wait", "run", "done"]

# The longest expression shown in one line; the whole call stands behind the fold.
LONGEST_CODE = 160
# How many names are listed before "and N more".
LISTED_NAMES = 4


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    code: bool = False


Phrase = tuple[Word, ...]
Names = Mapping[str, str]


def say(call: Mapping[str, Any], tense: Tense, names: Names | None = None, *, result: int | None = None) -> Phrase:
    """What `call` does. `names` maps a handle to what it is called in words; `result` is an execute's number."""
    op = str(call.get("op", ""))
    args = call.get("args")
    speak = _SPEAKERS.get(op)
    if speak is None or not isinstance(args, Mapping):
        return _verb(("Call", "Calling", "Called"), tense) + (code(op or "nothing"),)
    return speak(args if op != "execute" else {**args, "result": result}, tense, names or {})


def plain(phrase: Phrase) -> str:
    """The phrase as text, for titles and accessible names."""
    return "".join(word.text for word in phrase)


def spoken(call: Mapping[str, Any], names: Names) -> str:
    """What the relation that `call` makes is called in words: a table keeps its name through filters and sorts."""
    args = call.get("args") or {}
    if call.get("op") == "table_ref":
        return str(args.get("table", "")).rsplit(".", 1)[-1]
    if call.get("op") in _KEEPS_ITS_NAME:
        return _name(args.get("rel"), names)
    return str(call.get("out") or "")


_KEEPS_ITS_NAME = frozenset({"filter_expr", "select_columns", "distinct", "order_by", "limit", "materialize"})


def text(value: str) -> Word:
    return Word(value)


def code(value: object) -> Word:
    shown = " ".join(str(value).split())
    return Word(shown if len(shown) <= LONGEST_CODE else shown[: LONGEST_CODE - 1] + "…", code=True)


def _verb(forms: tuple[str, str, str], tense: Tense) -> Phrase:
    return (text(dict(zip(("wait", "run", "done"), forms, strict=True))[tense] + " "),)


def _name(handle: object, names: Names) -> str:
    return names.get(str(handle), str(handle))


def listed(values: Sequence[object]) -> Phrase:
    """`a`, `b` and `c`; the first few only where there are many."""
    shown = list(values[:LISTED_NAMES]) if len(values) > LISTED_NAMES + 1 else list(values)
    rest = len(values) - len(shown)
    words: list[Word] = []
    for place, value in enumerate(shown):
        if place:
            words.append(text(" and " if place == len(shown) - 1 and not rest else ", "))
        words.append(code(value))
    return (*words, text(f" and {rest} more")) if rest else tuple(words)


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _open(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    return (*_verb(("Open", "Opening", "Opened"), tense), code(args.get("table", "")))


def _select(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    columns = [
        item.get("as") or item.get("column", "") if isinstance(item, Mapping) else item
        for item in _sequence(args.get("columns"))
    ]
    return (*_verb(("Choose", "Choosing", "Chose"), tense), *listed(columns))


def _distinct(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Drop", "Dropping", "Dropped"), tense)
    return (*verb, text("repeated rows of "), code(_name(args.get("rel"), names)))


def _filter(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Keep", "Keeping", "Kept"), tense)
    return (*verb, text(f"{_name(args.get('rel'), names)} where "), code(args.get("predicate", "")))


def _join(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    right = code(_name(args.get("right"), names))
    if args.get("how") == "cross":
        return (*_verb(("Pair", "Pairing", "Paired"), tense), text("every row with "), right)
    pairs = [f"{pair[0]} = {pair[1]}" for pair in _sequence(args.get("on")) if len(_sequence(pair)) == 2]
    conditions = [*pairs, *([str(args["condition"])] if args.get("condition") else [])]
    words = [*_verb(("Join", "Joining", "Joined"), tense), right]
    if conditions:
        words += [text(" on "), code(" and ".join(conditions))]
    if args.get("how") == "left":
        words.append(text(f", keeping all {_name(args.get('left'), names)}"))
    return tuple(words)


_FUNCTIONS = {
    "count": "count", "count_distinct": "distinct count", "sum": "sum", "avg": "average", "min": "smallest",
    "max": "largest", "median": "median", "stddev": "standard deviation", "variance": "variance",
    "string_agg": "list",
}  # fmt: skip


def _aggregate(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    groups = _sequence(args.get("group_by"))
    aggregates = [item for item in _sequence(args.get("aggs")) if isinstance(item, Mapping)]
    measures: list[Word] = []
    for item in aggregates[:LISTED_NAMES]:
        measures += [text(", " if measures else ""), *_measure(item)]
    if len(aggregates) > LISTED_NAMES:
        measures.append(text(f" and {len(aggregates) - LISTED_NAMES} more"))
    if groups:
        head = (*_verb(("Group", "Grouping", "Grouped"), tense), text("by "), *listed(groups))
        return (*head, text(": "), *measures) if measures else head
    verb = _verb(("Work out", "Working out", "Worked out"), tense)
    return (*verb, *measures, text(f" over all {_name(args.get('rel'), names)}"))


def _measure(item: Mapping[str, Any]) -> Phrase:
    fn, column = str(item.get("fn", "")), item.get("column", "*")
    word = _FUNCTIONS.get(fn, fn)
    if fn == "count" and item.get("distinct"):
        word = "distinct count"
    head: Phrase = (
        (text("row count"),) if fn == "count" and column in ("*", None) else (text(f"{word} of "), code(column))
    )
    return (*head, text(" where "), code(item["filter"])) if item.get("filter") else head


def _derive(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Add", "Adding", "Added"), tense)
    return (*verb, code(args.get("name", "")), text(" as "), code(args.get("expr", "")))


def _window(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    words = [*_verb(("Add", "Adding", "Added"), tense), code(args.get("name", "")), text(": ")]
    fn = str(args.get("fn", ""))
    words.append(text(_FUNCTIONS.get(fn, fn.replace("_", " "))))
    if args.get("column"):
        words += [text(" of "), code(args["column"])]
    if args.get("partition_by"):
        words += [text(" within each "), *listed(_sequence(args["partition_by"]))]
    if args.get("order_by"):
        words += [text(" by "), *_keys(args["order_by"])]
    return tuple(words)


def _order(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    return (*_verb(("Sort", "Sorting", "Sorted"), tense), text("by "), *_keys(args.get("keys")))


def _keys(keys: Any) -> Phrase:
    """Sort keys; the direction is said once where it is the same for all."""
    pairs = [(key[0], str(key[1]).lower() if len(key) > 1 else "asc") for key in map(_sequence, _sequence(keys)) if key]
    directions = {direction for _, direction in pairs}
    if len(directions) == 1:
        return (*listed([name for name, _ in pairs]), text(", " + _direction(directions.pop())))
    words: list[Word] = []
    for name, direction in pairs:
        words += [text(", then " if words else ""), code(name), text(f" {_direction(direction)}")]
    return tuple(words)


def _direction(direction: str) -> str:
    return "largest first" if direction == "desc" else "smallest first"


def _limit(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Take", "Taking", "Took"), tense)
    n, offset = args.get("n", 0), args.get("offset") or 0
    if offset and isinstance(n, int) and isinstance(offset, int):
        return (*verb, text(f"rows {offset + 1:,} to {offset + n:,}"))
    if n == 1:
        return (*verb, text("the first row"))
    return (*verb, text(f"the first {n:,} rows" if isinstance(n, int) else f"the first {n} rows"))


def _materialize(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    return (*_verb(("Store", "Storing", "Stored"), tense), code(_name(args.get("rel"), names)), text(" for reuse"))


def _execute(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Run", "Running", "Ran"), tense)
    if args.get("result"):
        return (*verb, text(f"result {args['result']}"))
    return (*verb, code(_name(args.get("rel"), names)))


def _column(args: Mapping[str, Any], names: Names) -> Word:
    return code(f"{_name(args.get('rel'), names)}.{args.get('column', '')}")


def _probe(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    words = (*_verb(("Look", "Looking", "Looked"), tense), text("at values of "), _column(args, names))
    return (*words, text(" that contain "), code(args["contains"])) if args.get("contains") else words


def _exists(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Check", "Checking", "Checked"), tense)
    return (*verb, text("whether "), _column(args, names), text(" holds "), code(args.get("value", "")))


def _similar(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    verb = _verb(("Look", "Looking", "Looked"), tense)
    return (*verb, text("for values of "), _column(args, names), text(" close to "), code(args.get("value", "")))


def _set(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    left, right = code(_name(args.get("left"), names)), code(_name(args.get("right"), names))
    kind = args.get("kind")
    if kind == "intersect":
        return (*_verb(("Keep", "Keeping", "Kept"), tense), text("rows in both "), left, text(" and "), right)
    if kind == "except":
        return (*_verb(("Keep", "Keeping", "Kept"), tense), text("rows of "), left, text(" that are not in "), right)
    tail = (text(", each row once"),) if kind == "union" else ()
    return (*_verb(("Put", "Putting", "Put"), tense), right, text(" under "), left, *tail)


def _sql(args: Mapping[str, Any], tense: Tense, names: Names) -> Phrase:
    return (*_verb(("Run", "Running", "Ran"), tense), code(args.get("sql", "")))


_SPEAKERS: Mapping[str, Callable[[Mapping[str, Any], Tense, Names], Phrase]] = {
    "table_ref": _open, "select_columns": _select, "distinct": _distinct, "filter_expr": _filter, "join_table": _join,
    "aggregate": _aggregate, "derive_column": _derive, "window_column": _window, "order_by": _order, "limit": _limit,
    "materialize": _materialize, "execute": _execute, "probe_values": _probe, "value_exists": _exists,
    "sim_value_in": _similar, "set_operation": _set, "execute_sql": _sql,
}  # fmt: skip


_CITATION = re.compile(r"<execute_result_(\d+)>")


def unmarked(sentence: str) -> str:
    """A sentence of the model without its marks for bold and code, where neither can be shown."""
    return without_citations(sentence).replace("**", "").replace("`", "")


def without_citations(sentence: str) -> str:
    """A final text as people read it: `<execute_result_2>` is "result 2"."""
    return _CITATION.sub(lambda found: f"result {found.group(1)}", sentence)
