"""Reading SQL faithfully, for the guard, the language and lifting alike.

sqlglot would turn many function calls and cast types into its own notion of them (`DATE(x)` into a cast, `DECIMAL` into
`REAL`), so names are shielded before parsing and restored afterwards. A function call is then always an `Anonymous`
node with the name as it was written, or a class with syntax of its own (CAST, EXTRACT, TRIM … FROM), and a cast's type
and the text of an interval are what was written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from connections.allowed import AGGREGATES, FUNCTIONS, TYPE_WORDS, WINDOWS
from connections.catalogue import DialectName
from connections.guard.literals import is_interval, numeral_end, restore_interval, retyped, shielded_interval

T = TypeVar("T")

MAX_TOKENS = 60_000
MAX_NESTING = 200
# Above this many tokens the recursive parser runs on a stack of its own, so that no text can overflow the worker's.
_DEEP_TOKENS = 600
_DEEP_STACK = 512 * 1024 * 1024

_SHIELD = "fn__"
_TYPE_BASE = 1_000_000
# Functions with syntax of their own (AS, FROM, IN, FOR, USING between arguments), which sqlglot must read itself.
_OWN_SYNTAX = frozenset({
    "cast", "try_cast", "extract", "interval", "exists", "in", "any", "all", "some", "substring", "trim", "position",
    "overlay", "convert", "char", "materialized",
})  # fmt: skip
# What may follow the star of a SELECT list in DuckDB.
_STAR_WORDS = frozenset({"exclude", "replace", "rename"})
_BEFORE_STAR = frozenset({TokenType.SELECT, TokenType.COMMA, TokenType.DOT, TokenType.DISTINCT})
_TYPE_TAILS = frozenset({"precision", "varying", "with", "without", "time", "zone"})
_LITERALS = frozenset({TokenType.STRING, TokenType.NUMBER, TokenType.IDENTIFIER})
_STACK_LOCK = threading.Lock()
_OPERAND_ENDS = frozenset({
    TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET,
    TokenType.END, TokenType.ALIAS, TokenType.WITH, TokenType.DOT,
})  # fmt: skip
_PREFIXES = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_OPENERS = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})


class _SQLite(SQLite):
    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path


class _DuckDB(DuckDB):
    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path


class _MySQL(MySQL):
    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path


_DIALECTS: dict[DialectName, Dialect] = {
    "sqlite": _SQLite(),
    "duckdb": _DuckDB(),
    "postgresql": Postgres(),
    "mysql": _MySQL(),
}


class UnreadableSqlError(ValueError):
    """The text is no SQL of this dialect; the message names the place."""


class TooLargeError(UnreadableSqlError):
    """The text is longer or nested deeper than is ever parsed."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """`statements` of `text`, with the `tokens` as they were read (positions are those of `text`)."""

    text: str
    statements: tuple[exp.Expr, ...]
    tokens: tuple[Token, ...]


def sqlglot_dialect(dialect: DialectName) -> Dialect:
    """sqlglot's dialect object for ours; its parser keeps JSON paths as they were written."""
    return _DIALECTS[dialect]


def parse(sql: str, dialect: DialectName) -> Parsed:
    """Read `sql` faithfully. Raises UnreadableSqlError, or TooLargeError for what is too long or too deep."""
    if "\0" in sql:
        raise UnreadableSqlError("the text holds a NUL character")
    reader = _DIALECTS[dialect]
    try:
        tokens = reader.tokenize(sql)
    except TokenError as error:
        raise UnreadableSqlError(f"the text cannot be read as SQL: {error}") from None
    _check_size(tokens)
    shield = _Shield(sql, tokens, dialect)
    try:
        statements = _on_enough_stack(len(tokens), lambda: reader.parser().parse(shield.tokens, sql))
    except ParseError as error:
        raise UnreadableSqlError(_where(error)) from None
    except (SqlglotError, RecursionError) as error:
        raise UnreadableSqlError(f"the text cannot be read as SQL: {error}") from None
    except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError):
        # sqlglot's parser breaks in these ways over some texts that no database takes, such as `SELECT 1 ->`.
        raise UnreadableSqlError("the text cannot be read as SQL") from None
    kept = tuple(_restore(statement, shield) for statement in statements if statement is not None)
    return Parsed(sql, kept, tuple(tokens))


def function_name(node: exp.Expr) -> str:
    """The lower-case name of a function call as it was written, or "" when `node` is none."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _check_size(tokens: Sequence[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise TooLargeError(f"the text has {len(tokens):,} words and signs; at most {MAX_TOKENS:,} are read")
    depth = prefixes = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
        prefixes = prefixes + 1 if kind in _PREFIXES else 0
        if depth > MAX_NESTING or prefixes > MAX_NESTING:
            raise TooLargeError(f"the text is nested more than {MAX_NESTING} levels deep")


class _Shield:
    """Puts names, types and intervals out of sqlglot's reach: `tokens` to parse, and what leads back to them."""

    def __init__(self, sql: str, source: Sequence[Token], dialect: DialectName) -> None:
        self.tokens: list[Token] = []
        self.types: list[str] = []
        self.intervals: dict[str, str] = {}
        self._dialect = dialect
        self._own_syntax = _OWN_SYNTAX | ({"group_concat"} if dialect == "mysql" else set())
        self._functions = FUNCTIONS[dialect] | AGGREGATES[dialect] | WINDOWS
        self._in_cast: list[bool] = []
        position = 0
        while position < len(source):
            token = source[position]
            if (end := self._type_end(source, position)) > position:
                self._replace_type(source[position:end])
            elif (end := numeral_end(sql, source, position, dialect)) > position:
                self.tokens.append(retyped(token, TokenType.NUMBER, sql[token.start : source[end - 1].end + 1]))
            else:
                self._keep(source, position)
                end = position + 1
            position = end

    def _keep(self, source: Sequence[Token], position: int) -> None:
        token = source[position]
        if token.token_type == TokenType.L_PAREN:
            self._in_cast.append(bool(self.tokens) and self.tokens[-1].text.lower() in ("cast", "try_cast"))
        elif token.token_type == TokenType.R_PAREN and self._in_cast:
            self._in_cast.pop()
        following = source[position + 1] if position + 1 < len(source) else None
        if following is not None and following.token_type == TokenType.L_PAREN and self._is_call(token):
            token = retyped(token, TokenType.VAR, _SHIELD + token.text)
        elif is_interval(self.tokens, token, self._dialect):
            text, token = token.text, shielded_interval(token, len(self.intervals), following, self._dialect)
            self.intervals[token.text] = text
        self.tokens.append(token)

    def _is_call(self, token: Token) -> bool:
        """Whether `token`, which stands before a parenthesis, names a function (and is no operator or keyword)."""
        name = token.text.lower()
        if name in _STAR_WORDS and _is_star(self.tokens):
            return False
        if name in self._own_syntax or (self.tokens and self.tokens[-1].token_type in _OPERAND_ENDS):
            return False
        return token.token_type == TokenType.VAR or (token.token_type not in _LITERALS and name in self._functions)

    def _type_end(self, source: Sequence[Token], position: int) -> int:
        """Where the type that starts at `position` ends; `position` itself when none starts there."""
        before = self.tokens[-1].token_type if self.tokens else None
        if before == TokenType.ALIAS and self._in_cast and self._in_cast[-1]:
            return _closing(source, position)
        return _type_words_end(source, position) if before == TokenType.DCOLON else position

    def _replace_type(self, words: Sequence[Token]) -> None:
        """Write `DECIMAL(number)`: a type that every dialect reads, and that leads back to the one written."""
        self.types.append(" ".join(word.text for word in words))
        number = str(_TYPE_BASE + len(self.types) - 1)
        kinds = (TokenType.DECIMAL, TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN)
        for kind, text in zip(kinds, ("DECIMAL", "(", number, ")"), strict=True):
            self.tokens.append(retyped(words[0], kind, text))


def _is_star(before: Sequence[Token]) -> bool:
    """Whether the last token is a star that stands for columns, and no sign of multiplication."""
    if not before or before[-1].token_type != TokenType.STAR:
        return False
    return len(before) > 1 and before[-2].token_type in _BEFORE_STAR


def _closing(source: Sequence[Token], position: int) -> int:
    depth = 0
    for index in range(position, len(source)):
        kind = source[index].token_type
        if kind == TokenType.R_PAREN and depth == 0:
            return index
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
    return position


def _type_words_end(source: Sequence[Token], position: int) -> int:
    """The end of a type after `::`: words that types are made of, with `(…)` and `[]`."""
    end = position
    while end < len(source):
        kind, text = source[end].token_type, source[end].text.lower()
        if text in TYPE_WORDS and (end == position or text in _TYPE_TAILS):
            end += 1
        elif end > position and kind == TokenType.L_PAREN:
            end = _closing(source, end + 1) + 1
        elif end > position and kind == TokenType.L_BRACKET and _is_array_suffix(source, end):
            end += 2
        else:
            break
    return end


def _is_array_suffix(source: Sequence[Token], position: int) -> bool:
    return position + 1 < len(source) and source[position + 1].token_type == TokenType.R_BRACKET


def _restore(statement: exp.Expr, shield: _Shield) -> exp.Expr:
    for node in statement.walk():
        if isinstance(node, exp.Anonymous | exp.Identifier) and str(node.this).startswith(_SHIELD):
            node.set("this", node.this[len(_SHIELD) :])
        elif isinstance(node, exp.DataType) and (number := _type_number(node)) is not None:
            node.set("this", exp.DataType.Type.USERDEFINED)
            node.set("kind", _spelled(shield.types[number]))
            node.set("expressions", None)
        elif isinstance(node, exp.Interval):
            restore_interval(node, shield.intervals)
    return statement


def _type_number(node: exp.DataType) -> int | None:
    if node.this != exp.DataType.Type.DECIMAL or len(node.expressions) != 1:
        return None
    text = node.expressions[0].name
    return int(text) - _TYPE_BASE if text.isdigit() and int(text) >= _TYPE_BASE else None


def _spelled(words: str) -> str:
    return words.replace(" (", "(").replace("( ", "(").replace(" )", ")").replace(" ,", ",").replace(" [ ]", "[]")


def _on_enough_stack(size: int, work: Callable[[], T]) -> T:
    """Run `work` here, or for a large text in a thread whose stack is large enough for any nesting."""
    if size <= _DEEP_TOKENS:
        return work()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="deep-parse") as pool:
        with _STACK_LOCK:
            before = threading.stack_size(_DEEP_STACK)
            try:
                parsed = pool.submit(work)
            finally:
                threading.stack_size(before)
        return parsed.result()


def _where(error: ParseError) -> str:
    if not error.errors:
        return "the text cannot be read as SQL"
    first = error.errors[0]
    what = "something is missing" if "Required keyword" in first["description"] else "it cannot be read"
    near = f" at {first['highlight']!r}" if first.get("highlight") else ""
    return f"{what}{near} (line {first['line']}, near character {first['col']})"
