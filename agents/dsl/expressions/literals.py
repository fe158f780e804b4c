"""The literals of an expression, where the connection's dialect sees them, and how one is written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal as OneOf

from sqlglot.tokenizer_core import Token, TokenType

from connections.catalogue import DialectName
from connections.guard import UnreadableSqlError, parse

_LEAD = "SELECT "
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_OPERANDS = frozenset({TokenType.R_PAREN, TokenType.NUMBER, TokenType.STRING, TokenType.VAR, TokenType.IDENTIFIER})


@dataclass(frozen=True, slots=True)
class Literal:
    """`text[start:end]` of the expression; `value` is what it means, of a number the digits as they are written."""

    start: int
    end: int
    kind: OneOf["text", "number"]
    value: str


def literals(text: str, dialect: DialectName) -> list[Literal]:
    """In their order: plain texts in single quotes and plain numbers. None of what cannot be read."""
    try:
        tokens = parse(_LEAD + text, dialect).tokens
    except UnreadableSqlError:
        return []
    return list(_found(text, tokens))


def _found(text: str, tokens: tuple[Token, ...]) -> Iterator[Literal]:
    before = tokens[0]
    for previous, token in pairwise(tokens):
        start, end = token.start - len(_LEAD), token.end + 1 - len(_LEAD)
        if token.token_type == TokenType.STRING and text[start] == "'":
            yield Literal(start, end, "text", token.text)
        elif token.token_type == TokenType.NUMBER and _NUMBER.fullmatch(text[start:end]):
            sign = previous.token_type == TokenType.DASH and previous.end + 1 == token.start
            signed = sign and before.token_type not in _OPERANDS
            yield Literal(start - signed, end, "number", text[start - signed : end])
        before = previous


def text_literal(value: str, dialect: DialectName) -> str:
    """`value` in quotes. MySQL and MariaDB take a backslash for the beginning of another character."""
    escaped = value.replace("\\", "\\\\") if dialect == "mysql" else value
    return "'" + escaped.replace("\x00", "").replace("'", "''") + "'"
