"""A step's arguments as a form, made from the fields of its operation, and back again.

Simple kinds become one control. A list becomes lines, one item a line ("sales desc", "customer_id = id"), and a list of
objects becomes a group of controls for each, with an empty one at the end. What people write is not checked here: the
operation reads it and says what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, Literal

from agents.dsl.arguments import BOOLEAN, EXPRESSION, NAME, SCALAR, TEXT, Kind, name_in_call
from agents.dsl.operations import OPERATIONS, Operation, offered
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.join_table import PAIR
from agents.dsl.operations.order_by import ORDER_KEY
from agents.dsl.operations.select_columns import COLUMN

ControlKind = Literal["line", "code", "lines", "choice", "check"]
Args = dict[str, Any]

# The most objects of a list that a form reads, so that nobody can make it build a million.
MOST_ITEMS = 100

_LABELS = {
    "rel": "Rows of", "predicate": "Keep rows where", "n": "How many rows", "offset": "Skip", "group_by": "Group by",
    "aggs": "Work out", "on": "Where equal", "how": "Kind of join", "condition": "Further condition", "keys": "Sort by",
    "expr": "Is", "name": "New column", "fn": "Function", "as": "Named", "filter": "Only where", "left": "Left",
    "right": "Right", "partition_by": "Within each", "order_by": "In the order of", "default": "Where there is none",
    "frame": "Over the rows", "kind": "How to combine", "table": "Table", "columns": "Columns",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Control:
    """`options` are (value, words). `names` offers the columns of the step's input."""

    name: str
    label: str
    kind: ControlKind
    value: str = ""
    options: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    required: bool = False
    names: bool = False

    @property
    def rows(self) -> int:
        return min(max(self.value.count("\n") + 1, 2), 12)


@dataclass(frozen=True, slots=True)
class Section:
    """Controls that belong together; `legend` is "" for those of the operation itself."""

    legend: str
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """How one item of a list is written on a line."""

    hint: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def editable(call: Mapping[str, Any]) -> bool:
    """Whether a call has anything to change: an execute only says which rows are the result."""
    return any(call.get("op") == one.name and one is not Execute for one in OPERATIONS)


def form_of(call: Mapping[str, Any], handles: Sequence[str]) -> tuple[Section, ...]:
    """The controls for `call`; `handles` are the relations that it may read."""
    operation = offered()[str(call["op"])]
    args = call.get("args") or {}
    plain: list[Control] = []
    groups: list[Section] = []
    for item in fields(operation):
        name, kind = name_in_call(item), _kind(item)
        if kind.item is not None and kind.item.fields is not None:
            groups += _groups(name, kind.item.fields, args.get(name) or ())
        else:
            plain.append(_control(item, name, args.get(name), handles))
    return (Section("", tuple(plain)), *groups)


def args_from(op: str, posted: Mapping[str, str]) -> Args:
    """The arguments as they were written; blank ones are left out where the operation has a default."""
    operation: type[Operation] = offered()[op]
    args: Args = {}
    for item in fields(operation):
        name, kind = name_in_call(item), _kind(item)
        value: Any
        if kind.item is not None and kind.item.fields is not None:
            value = _posted_items(name, kind.item.fields, posted)
        else:
            value = _posted_value(item, posted.get(name, ""))
        if _is_blank(value) and item.default is not MISSING:
            continue
        args[name] = value
    return args


# ---- Controls --------------------------------------------------------------------------------------------------------


def _kind(item: Field[Any]) -> Kind:
    kind: Kind = item.metadata["kind"]
    return kind


def _groups(name: str, record: type[Any], items: Any) -> list[Section]:
    given = list(items) if isinstance(items, list | tuple) else [items]
    label = _label(name)
    return [
        Section(
            f"{label}, item {place + 1}" if item else f"{label}, one more",
            tuple(
                _control(one, f"{name}-{place}-{name_in_call(one)}", item.get(name_in_call(one)), (), inside=True)
                for one in fields(record)
            ),
        )
        for place, item in enumerate([*(one for one in given if isinstance(one, Mapping)), {}])
    ]


def _control(item: Field[Any], name: str, value: Any, handles: Sequence[str], *, inside: bool = False) -> Control:
    kind, label = _kind(item), _label(name_in_call(item))
    required = item.default is MISSING and not inside
    if kind.is_handle:
        known = handles if value in (None, *handles) else (*handles, str(value))
        return Control(name, label, "choice", str(value or ""), tuple((one, one) for one in known), required=required)
    if kind.options:
        blank = () if required else (("", "–"),)
        options = (*blank, *((one, one.replace("_", " ")) for one in kind.options))
        return Control(name, label, "choice", str(value or ""), options, required=required)
    if kind == BOOLEAN:
        return Control(name, label, "check", "true" if value is True or value == "true" else "")
    if kind.item is not None:
        line = _LINES.get(kind.item, _PLAIN)
        return Control(name, label, "lines", _lines(value, line), hint=line.hint, required=required, names=True)
    if value is None and kind == TEXT and item.default is not MISSING:
        value = item.default
    shown = _scalar(value) if kind == SCALAR else "" if value is None else str(value)
    return Control(name, label, "code" if kind == EXPRESSION else "line", shown, required=required, names=kind == NAME)


def _label(name: str) -> str:
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def _scalar(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


# ---- Lines -----------------------------------------------------------------------------------------------------------


def _lines(value: Any, line: Line) -> str:
    items = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return "\n".join(_written(item, line) for item in items)


def _written(item: Any, line: Line) -> str:
    """The item as people write it, or as JSON where that would be read as something else."""
    text = line.write(item)
    plain = text == text.strip() and "\n" not in text and text[:1] not in ("[", "{", '"') and text
    return text if plain and line.read(text) == item else json.dumps(item, ensure_ascii=False)


def _read_line(text: str, line: Line) -> Any:
    if text[:1] in ("[", "{", '"'):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return line.read(text)


def _write_key(item: Any) -> str:
    return " ".join(map(str, item)) if isinstance(item, list | tuple) else str(item)


def _read_key(text: str) -> Any:
    words = text.split(" ")
    tail: list[str] = []
    while len(words) > 1 and len(tail) < 2 and words[-1].lower() in ("asc", "desc", "nulls_first", "nulls_last"):
        tail.insert(0, words.pop().lower())
    return [" ".join(words), *tail] if tail else text


def _write_pair(item: Any) -> str:
    return f"{item[0]} = {item[1]}" if isinstance(item, list | tuple) and len(item) == 2 else str(item)


def _read_pair(text: str) -> Any:
    left, equals, right = text.partition("=")
    return [left.strip(), right.strip()] if equals else text


def _write_column(item: Any) -> str:
    return f"{item.get('column', '')} as {item.get('as', '')}" if isinstance(item, Mapping) else str(item)


def _read_column(text: str) -> Any:
    column, found, name = text.rpartition(" as ")
    return {"column": column.strip(), "as": name.strip()} if found else text


_PLAIN = Line("One a line", str, str)
_LINES: Mapping[Kind, Line] = {
    ORDER_KEY: Line("One column a line, with asc or desc, and nulls_first or nulls_last", _write_key, _read_key),
    PAIR: Line("One pair a line: left column = right column", _write_pair, _read_pair),
    COLUMN: Line("One column a line; “sales as turnover” renames it", _write_column, _read_column),
}


# ---- Reading what was posted -----------------------------------------------------------------------------------------


def _posted_value(item: Field[Any], text: str) -> Any:
    kind = _kind(item)
    if kind == BOOLEAN:
        return True if text else None
    if kind.item is not None:
        line = _LINES.get(kind.item, _PLAIN)
        return [_read_line(one.strip(), line) for one in text.splitlines() if one.strip()]
    if kind == SCALAR and text.strip():
        try:
            return json.loads(text)
        except ValueError:
            return text
    if kind == TEXT:
        return None if text == item.default else text
    return text if text.strip() else ""


def _is_blank(value: Any) -> bool:
    return value is None or value in ("", [])


def _posted_items(name: str, record: type[Any], posted: Mapping[str, str]) -> list[Args]:
    """The objects of a list; one that is blank was not meant."""
    found: list[Args] = []
    for place in range(MOST_ITEMS):
        texts = {name_in_call(one): posted.get(f"{name}-{place}-{name_in_call(one)}") for one in fields(record)}
        if all(text is None for text in texts.values()):
            break
        read = {name_in_call(one): (one, _posted_value(one, texts[name_in_call(one)] or "")) for one in fields(record)}
        given = {name: value for name, (one, value) in read.items() if _is_given(one, value)}
        if any(not _is_blank(value) for value in given.values()):
            found.append(given)
    return found


def _is_given(item: Field[Any], value: Any) -> bool:
    """A blank text is a text: a list of names may be joined by nothing."""
    return value == "" if _kind(item) == TEXT and value is not None and not value else not _is_blank(value)
