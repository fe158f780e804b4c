"""Calls that build a value much longer than what they read: without a bound, one statement could fill the memory.

Databases build such a value in one step that neither a timeout nor a row cap interrupts, and a driver must read it
whole before it can cut it.

Only what is known to be small counts as small. A statement may make a value of a length that is written out, and
lengthen values by what is written out; both together are bounded over the whole statement, as one call may read through
a column what another has made.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

from sqlglot import exp

from connections.catalogue import DialectName
from connections.errors import StatementNotAllowedError

LARGEST = 10_000  # characters or items that a call may be told to make
MOST = 1_000_000  # that the calls of a statement may come to, one over the other
STORED = 100  # what a value of unknown length counts as, where it is only made as long again
READ = 40  # nodes of an expression from which a bound is read; beyond, it is not known

# Function -> which arguments say how long the value gets; -1: all of them.
LENGTHS: Mapping[str, int] = {
    "repeat": 1, "lpad": 1, "rpad": 1, "space": 0, "list_resize": 1, "range": -1, "generate_series": -1,
}  # fmt: skip
RANGES = frozenset({"range", "generate_series"})
# Function -> how many times longer than what it reads its value may be.
GROWTH: Mapping[str, int] = {
    **dict.fromkeys(("hex", "encode", "quote", "quote_literal", "quote_nullable", "quote_ident", "json_quote"), 2),
    **dict.fromkeys(("to_json", "to_jsonb", "to_base64", "base64", "regexp_escape"), 2),
    "url_encode": 3, "bin": 8, "to_binary": 8, "weight_string": 8, "normalize": 18, "nfc_normalize": 18,
    "export_set": 64,
}  # fmt: skip
JOINING = frozenset({"concat", "concat_ws", "array_cat", "list_concat", "list_cat", "jsonb_concat"})
FORMATS: Mapping[DialectName, frozenset[str]] = {
    "sqlite": frozenset({"format", "printf"}), "duckdb": frozenset({"format", "printf"}),
    "postgresql": frozenset({"format"}), "mysql": frozenset(),
}  # fmt: skip
_WIDE = re.compile(r"\d{5}|\*")
_PLACE = re.compile(r"[%{]")
# Numbers that are what they are made from, at most.
_ROUNDING = frozenset({"abs", "floor", "ceil", "ceiling", "round", "trunc", "truncate", "sign"})
_CHOOSING = frozenset({"coalesce", "ifnull", "nvl", "greatest"})
# What may be long by itself inside a lambda: a column of the row, or another list.
_LONG = (exp.Column, exp.Lambda)
_MEASURES = frozenset({"length", "char_length", "character_length", "len", "strlen"})


def check_sizes(root: exp.Expr, dialect: DialectName) -> None:
    """Refuse a statement with a value that has no bound that can be seen. Raises StatementNotAllowedError."""
    largest = 1.0
    for call in root.find_all(exp.Anonymous):
        _check_format(call, dialect)
        if _name(call) in LENGTHS:
            largest = max(largest, _made(call))
    total = largest * math.prod(_growth(node, largest, dialect) for node in root.walk())
    if total > MOST:
        raise StatementNotAllowedError(
            f"The functions of this statement could make a value of more than {MOST:,} characters: they repeat, pad, "
            "join or replace what others have made long. Write smaller numbers and shorter texts, or do less at once."
        )


def _check_format(call: exp.Anonymous, dialect: DialectName) -> None:
    if _name(call) in FORMATS[dialect] and call.expressions:
        first = call.expressions[0]
        if not isinstance(first, exp.Literal) or _WIDE.search(first.name):
            told = f"{_name(call)} takes a format that is written out, without `*` and widths over 9999."
            raise StatementNotAllowedError(told)


def _made(call: exp.Anonymous) -> float:
    """How long a value `call` makes by itself. Raises StatementNotAllowedError where nothing says so."""
    name, arguments = _name(call), call.expressions
    text = _longest(arguments[0]) if name == "repeat" and arguments else 1
    for length in _lengths(name, arguments):
        if _most(length, name in RANGES, _measured(name, text)) > LARGEST:
            raise StatementNotAllowedError(
                f"{name} could build a value without bounds. Write a length of at most {LARGEST:,}, or "
                f"least(…, {LARGEST:,})."
            )
    longest = max((_most(length, True, STORED) for length in _lengths(name, arguments)), default=1)
    return min(longest, LARGEST) * (1 if text == math.inf else text)


def _measured(name: str, text: float) -> float:
    """What the length of a value of unknown length counts as. Filling with single signs makes nothing longer."""
    return STORED if name in ("lpad", "rpad", "space") or (name == "repeat" and text <= 1) else math.inf


def _growth(node: exp.Expr, largest: float, dialect: DialectName) -> float:
    """How many times longer than what `node` reads its value may be; `largest` is what other calls may have made."""
    if isinstance(node, exp.Lambda):  # worked out for every item
        return largest if any(isinstance(n, _LONG) or _name(n) in LENGTHS for n in node.this.walk()) else 1
    if isinstance(node, exp.DPipe):
        return 1 if isinstance(node.parent, exp.DPipe) else _repeats(node.flatten())
    if not isinstance(node, exp.Anonymous):
        return 1
    name, arguments = _name(node), node.expressions
    if name in ("replace", "regexp_replace") and len(arguments) > 2:
        return _replaced(name, arguments, max(largest, STORED))
    if name in JOINING:
        return _repeats(arguments)
    if name in FORMATS[dialect] and len(arguments) > 1:
        return max(1, len(_PLACE.findall(arguments[0].name)) / (len(arguments) - 1))
    if name == "repeat" and len(arguments) > 1 and _longest(arguments[0]) == math.inf:
        return max(1, _most(arguments[1], False, math.inf))
    return GROWTH.get(name, 1)


def _replaced(name: str, arguments: Sequence[exp.Expr], unknown: float) -> float:
    """A regular expression may match between any two signs, and put in what it matches."""
    old, new = arguments[1], min(_longest(arguments[2]), unknown)
    if name == "regexp_replace":
        return 1 + new
    known = isinstance(old, exp.Literal)
    return max(1, new / len(old.name)) if known and old.name else max(1, new)


def _repeats(parts: Iterable[exp.Expr]) -> int:
    """How often the same column is joined to itself."""
    nodes = (node for part in parts for node in islice(part.walk(), READ))
    found = Counter((node.table, node.name) for node in nodes if isinstance(node, exp.Column))
    return max(found.values(), default=1)


def _is_long(node: exp.Expr) -> bool:
    return next(islice(node.walk(), READ, None), None) is not None


def _lengths(name: str, arguments: Sequence[exp.Expr]) -> Sequence[exp.Expr]:
    place = LENGTHS[name]
    return arguments if place < 0 else arguments[place : place + 1]


def _name(node: exp.Expr) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _most(node: exp.Expr, either_way: bool, stored: float) -> float:
    """The largest number that `node` can be, or with `either_way` the farthest from 0; infinity where it is not known.

    `stored` stands for the length of a value of unknown length.
    """
    node = node.unnest()
    most = partial(_most, either_way=either_way, stored=stored)
    if _is_long(node):
        return math.inf
    if isinstance(node, exp.Literal):
        return _number(node)
    if isinstance(node, exp.Neg):
        return _most(node.this, True, math.inf)
    if isinstance(node, exp.Cast):
        return most(node.this)
    if isinstance(node, exp.Case):
        branches = [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default")]
        return max(most(branch) for branch in branches if branch is not None)
    if isinstance(node, exp.Binary):
        return _calculated(node, either_way, stored)
    return _called(_name(node), node.expressions, either_way, stored)


def _called(name: str, arguments: Sequence[exp.Expr], either_way: bool, stored: float) -> float:
    most = partial(_most, either_way=either_way, stored=stored)
    if name == "least" and arguments:
        return max(map(most, arguments)) if either_way else min(map(most, arguments))
    if name in _CHOOSING and arguments:
        return max(map(most, arguments))
    if name in _ROUNDING and arguments:
        return 1 + _most(arguments[0], True, stored)
    if name in _MEASURES and arguments:
        return min(_longest(arguments[0]), stored)
    return math.inf


def _calculated(node: exp.Binary, either_way: bool, stored: float) -> float:
    one, other = node.left, node.right
    if isinstance(node, exp.Add):  # what is stored may be made longer by a known number only, not by itself
        return min(
            _most(one, either_way, stored) + _most(other, either_way, math.inf),
            _most(one, either_way, math.inf) + _most(other, either_way, stored),
        )
    if isinstance(node, exp.Sub):
        never_negative = _name(other.unnest()) in _MEASURES and not either_way
        return _most(one, either_way, stored) + (0 if never_negative else _most(other, True, math.inf))
    if isinstance(node, exp.Mul):
        return _times(_most(one, True, math.inf), _most(other, True, math.inf))
    if isinstance(node, exp.Div | exp.IntDiv):
        return _most(one, True, stored) if 1 <= _number(other) < math.inf else math.inf
    if isinstance(node, exp.Mod):
        return _most(other, True, math.inf)
    return math.inf


def _times(one: float, other: float) -> float:
    """No number of times the unknown is known, not even none: 0 times infinity is no number."""
    return math.inf if math.inf in (one, other) else one * other


def _number(node: exp.Expr) -> float:
    try:
        return float(node.name) if isinstance(node, exp.Literal) and not node.is_string else math.inf
    except ValueError:
        return math.inf


def _longest(node: exp.Expr) -> float:
    """The most characters that the text `node` can have; infinity where that is not known."""
    node = node.unnest()
    if _is_long(node):
        return math.inf
    if isinstance(node, exp.Literal):
        return len(node.name)
    if isinstance(node, exp.DPipe):
        return _longest(node.left) + _longest(node.right)
    name, arguments = _name(node), node.expressions
    if isinstance(node, exp.Chr) or name == "chr":
        return 4 * len(arguments)  # MySQL makes as many bytes out of a number
    if name == "concat" and arguments:
        return sum(map(_longest, arguments))
    if name == "repeat" and len(arguments) > 1:
        return _times(_longest(arguments[0]), _most(arguments[1], False, math.inf))
    if name in ("lpad", "rpad") and len(arguments) > 1:
        return _most(arguments[1], False, math.inf)
    if name in ("left", "right") and len(arguments) > 1:
        return _number(arguments[1])  # a negative number leaves all but so many
    return math.inf
