"""SQL and JSON as marked pieces of text, for pages. Nothing here is HTML: each piece is (class, text)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pygments.lexer import Lexer
from pygments.lexers.data import JsonLexer
from pygments.lexers.sql import MySqlLexer, PostgresLexer, SqlLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, String, _TokenType

Piece = tuple[str, str]

# The classes of the style sheet: keyword, string, number, function, comment.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Name.Builtin, "f"),
    (Name.Function, "f"),
    (Name.Tag, "k"),
    (Keyword, "k"),
    (String.Name, ""),
    (String.Symbol, ""),
    (String, "s"),
    (Number, "n"),
    (Literal, "s"),
)

_LEXERS: Mapping[str, type[Lexer]] = {"postgresql": PostgresLexer, "mysql": MySqlLexer}

# Longer text is shown unmarked: marking is a courtesy, and the browser pays for every span.
LONGEST_MARKED = 200_000


def sql_pieces(sql: str, dialect: str = "") -> tuple[Piece, ...]:
    """The statement as (class, text) pieces whose texts, joined, are `sql` byte for byte."""
    return tuple(_marked(sql, _LEXERS.get(dialect, SqlLexer), functions=True))


def json_pieces(text: str) -> tuple[Piece, ...]:
    """A JSON document as (class, text) pieces; keys are marked as keywords."""
    return tuple(_marked(text, JsonLexer, functions=False))


def _marked(text: str, lexer: type[Lexer], *, functions: bool) -> Iterator[Piece]:
    if len(text) > LONGEST_MARKED:
        yield "", text
        return
    tokens = list(lexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text))
    kept_class, kept_text = "", ""
    for place, (_, token, value) in enumerate(tokens):
        name = _class_of(token)
        if functions and name in ("", "k", "f") and token not in String:
            name = "f" if _opens_call(tokens, place, value) else "k" if name == "f" else name
        if name == kept_class:
            kept_text += value
            continue
        if kept_text:
            yield kept_class, kept_text
        kept_class, kept_text = name, value
    if kept_text:
        yield kept_class, kept_text


def _class_of(token: _TokenType) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")


# Words that stand before a bracket without being functions.
_NOT_FUNCTIONS = frozenset(
    {
        "ALL", "AND", "ANY", "AS", "BY", "DISTINCT", "ELSE", "EXCEPT", "EXISTS", "FILTER", "FROM", "HAVING",
        "IN", "INTERSECT", "JOIN", "LEFT", "MATERIALIZED", "NOT", "ON", "OR", "OVER", "PARTITION", "RIGHT",
        "SELECT", "THEN", "UNION", "USING", "VALUES", "WHEN", "WHERE", "WITH", "WITHIN",
    }
)  # fmt: skip


def _opens_call(tokens: list[tuple[int, _TokenType, str]], place: int, value: str) -> bool:
    following = tokens[place + 1][2] if place + 1 < len(tokens) else ""
    return following.startswith("(") and value.isidentifier() and value.upper() not in _NOT_FUNCTIONS
