"""Literals that sqlglot would read as something else.

Whole numbers in other bases or with underscores it takes for texts of bits, or for a number and its alias; in MySQL
`0x1F` may be both, which x'1F' is not. Of the text of an interval it keeps what it understands: `1 day 02:30:00`
becomes `1 DAY`. So numbers get tokens of their own, and such texts are shielded before parsing and restored afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from connections.allowed import names
from connections.catalogue import DialectName

_WHOLE = re.compile(r"(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d+(_\d+)+)(?![\w.])")
_NUMERALS = frozenset({TokenType.NUMBER, TokenType.HEX_STRING, TokenType.BIT_STRING})
_SHIELD = "shielded"  # letters only, as the name of a unit
_PARTS = "year month day hour minute second"
_UNITS: Mapping[DialectName, frozenset[str]] = {
    "postgresql": names(_PARTS),
    "duckdb": names(f"""
        {_PARTS} years months days hours minutes seconds millisecond milliseconds microsecond microseconds week weeks
        quarter quarters decade decades century centuries millennium millennia
    """),
}  # fmt: skip


def retyped(token: Token, kind: TokenType, text: str) -> Token:
    """Another token in the place of `token`."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def numeral_end(sql: str, source: Sequence[Token], position: int, dialect: DialectName) -> int:
    """Where such a whole number ends that starts at `position`; `position` itself when none starts there."""
    token = source[position]
    if token.token_type not in _NUMERALS or (dialect == "mysql" and token.token_type == TokenType.NUMBER):
        return position  # MySQL's names may begin with digits
    found = _WHOLE.match(sql, token.start)
    end = position
    while found and end < len(source) and source[end].start < found.end():
        end += 1
    return end


def is_interval(before: Sequence[Token], token: Token, dialect: DialectName) -> bool:
    """Whether `token` is the text of an interval. SQLite has none."""
    text = token.token_type == TokenType.STRING and dialect != "sqlite"
    return text and bool(before) and before[-1].token_type == TokenType.INTERVAL


def shielded_interval(token: Token, number: int, following: Token | None, dialect: DialectName) -> Token:
    """What stands for `token`, the text with this `number`: it has a unit of its own where none follows."""
    unit = following is not None and (dialect == "mysql" or following.text.lower() in _UNITS[dialect])
    return retyped(token, TokenType.STRING, f"{_SHIELD} {number}" if unit else f"{number} {_SHIELD}")


def restore_interval(node: exp.Interval, texts: Mapping[str, str]) -> None:
    """Give `node` back its text, if it is one of those shielded; `texts` are those by what stands for them."""
    unit = node.args.get("unit")
    own = isinstance(unit, exp.Var) and unit.name == _SHIELD.upper()
    text = texts.get(f"{node.name} {_SHIELD}" if own else node.name)
    if text is not None:
        node.set("this", exp.Literal.string(text))
        node.set("unit", None if own else unit)
