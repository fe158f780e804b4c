"""From the text of an expression to an `Expression`, or to the error that says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from agents.dsl.date_buckets import bucket_hint
from agents.dsl.expressions.expression import Expression, Typed
from agents.dsl.expressions.infer import infer
from agents.dsl.names import listed, nearest_hint, quoted, resolve_column
from agents.errors import (
    ExpressionNotAllowedError,
    ExpressionSyntaxError,
    LimitExceededError,
    TypeMismatchError,
    UnknownColumnError,
)
from connections.allowed import AGGREGATES, EXPRESSION_NODES, FUNCTIONS, UNIT_FIRST, VOLATILE, WINDOWS
from connections.catalogue import DialectName
from connections.errors import StatementNotAllowedError
from connections.guard import Parsed, TooLargeError, UnreadableSqlError, check_type, function_name, parse

C = TypeVar("C", bound=Typed)

MAX_CHARACTERS = 100_000
MAX_WORDS = 20_000  # well below what the guard reads, as a statement holds several expressions
_LEAD = "SELECT "
_NUMBERS = ("integer", "decimal", "float")
_ATOMS = (exp.Column, exp.Literal, exp.Anonymous, exp.Cast, exp.Case, exp.Null, exp.Boolean, exp.Paren)


def parse_predicate(
    text: object, scope: Mapping[str, C], dialect: DialectName, *, argument: str = "predicate"
) -> Expression:
    """`parse_scalar` for a condition: also raises TypeMismatchError when its value is no truth value."""
    expression = parse_scalar(text, scope, dialect, argument=argument)
    truths = ("boolean", "unknown", *_NUMBERS) if dialect in ("sqlite", "mysql") else ("boolean", "unknown")
    if expression.semantic not in truths:
        raise TypeMismatchError(
            f"{argument} must be a condition that is true or false, but {_short(expression.text)} is of type "
            f"{expression.semantic}. Compare it with something, for example {_short(expression.text)} = …"
        )
    return expression


def parse_scalar(text: object, scope: Mapping[str, C], dialect: DialectName, *, argument: str = "expr") -> Expression:
    """Parse `text` in `dialect` over the columns of `scope`.

    Raises ExpressionSyntaxError, ExpressionNotAllowedError, UnknownColumnError, TypeMismatchError, and
    LimitExceededError for what is too long or nested too deep.
    """
    if not isinstance(text, str) or not text.strip():
        raise ExpressionSyntaxError(f"{argument} must be a SQL expression as text, not {text!r}.")
    if len(text) > MAX_CHARACTERS:
        raise LimitExceededError(f"{argument} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read.")
    parsed = _read(text, dialect, argument)
    if len(parsed.tokens) > MAX_WORDS:
        raise LimitExceededError(
            f"{argument} has {len(parsed.tokens):,} words and signs; at most {MAX_WORDS:,} are read."
        )
    tree = _single(parsed, argument)
    _check_nodes(tree, dialect, argument)
    found = dict(_columns(tree, scope, argument))
    renamed = {start: name for start, (name, _note) in found.items()}
    semantic, sql_type = infer(tree, scope, dialect)
    names = tuple(dict.fromkeys(name for _start, name in sorted(renamed.items())))
    return Expression(
        text=text.strip(),
        pieces=_pieces(parsed, renamed),
        columns=names,
        type=sql_type,
        semantic=semantic,
        nullable=scope[names[0]].nullable if isinstance(tree, exp.Column) else not isinstance(tree, exp.Literal),
        volatile=any(function_name(node) in VOLATILE for node in tree.find_all(exp.Anonymous)),
        notes=tuple(dict.fromkeys(note for _name, note in found.values() if note)),
        tree=tree,
        atomic=isinstance(tree, _ATOMS),
    )


def _read(text: str, dialect: DialectName, argument: str) -> Parsed:
    try:
        return parse(_LEAD + text, dialect)
    except TooLargeError as error:
        raise LimitExceededError(f"{argument} is too large: {error}.") from None
    except UnreadableSqlError as error:
        raise ExpressionSyntaxError(
            f"{argument} is no {dialect} expression: {_short(text)}: {str(error).split(' (line')[0]}."
        ) from None


def _single(parsed: Parsed, argument: str) -> exp.Expr:
    """The one expression of `SELECT <text>`; anything more (a second one, a clause, a statement) is refused."""
    statement = parsed.statements[0] if len(parsed.statements) == 1 else None
    if isinstance(statement, exp.Select) and len(statement.expressions) == 1:
        extra = [key for key, value in statement.args.items() if value and key not in ("expressions", "kind")]
        if not extra and not statement.args.get("kind"):
            expression: exp.Expr = statement.expressions[0]
            return expression
    raise ExpressionNotAllowedError(
        f"{argument} must be one scalar expression: no second expression, clause or statement may follow in "
        f"{_short(parsed.text[len(_LEAD) :])}."
    )


def _check_nodes(tree: exp.Expr, dialect: DialectName, argument: str) -> None:
    functions = FUNCTIONS[dialect]
    for node in tree.walk():
        name = type(node).__name__
        if isinstance(node, exp.Query | exp.Exists):
            raise ExpressionNotAllowedError(
                f"{argument} holds a sub-query, which is not allowed in an expression. Build the other relation with "
                "operations of its own and join it."
            )
        if isinstance(node, exp.Window):
            raise ExpressionNotAllowedError(f"{argument} holds a window call; use window_column for it.")
        if name not in EXPRESSION_NODES:
            raise ExpressionNotAllowedError(f"{argument} holds {_described(node)}, which is not allowed.")
        if isinstance(node, exp.Anonymous):
            _check_function(node, functions, dialect, argument)
        elif isinstance(node, exp.DataType):
            try:
                check_type(node)
            except StatementNotAllowedError as error:
                raise ExpressionNotAllowedError(f"{argument}: {error}") from None


def _check_function(node: exp.Anonymous, functions: frozenset[str], dialect: DialectName, argument: str) -> None:
    name = function_name(node)
    if not isinstance(node.this, str) or isinstance(node.parent, exp.Dot):
        raise ExpressionNotAllowedError(f"{argument}: a quoted or qualified function name is not allowed: {name}.")
    if name in functions and not (name in ("min", "max") and len(node.expressions) < 2):
        return
    if name in AGGREGATES[dialect]:
        raise ExpressionNotAllowedError(f"{argument} holds the aggregate {name}; use aggregate (or window_column).")
    if name in WINDOWS:
        raise ExpressionNotAllowedError(f"{argument} holds the window function {name}; use window_column.")
    raise ExpressionNotAllowedError(
        f"{argument}: the function {name} is not among those allowed in {dialect}."
        f"{bucket_hint(name, dialect) or nearest_hint(name, functions)}"
    )


def _columns(tree: exp.Expr, scope: Mapping[str, C], argument: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """(position in the parsed text, (logical name, note)) of each column; renames the tree's nodes on the way."""
    for node in list(tree.find_all(exp.Column)):
        if _is_unit(node):
            continue
        if node.table:
            raise UnknownColumnError(_qualified_message(node, scope, argument))
        name, note = resolve_column(node.name, scope)
        yield node.this.meta["start"], (name, note)
        node.this.set("this", name)
        node.this.set("quoted", True)


def _is_unit(node: exp.Column) -> bool:
    """MONTH in TIMESTAMPDIFF(MONTH, …) reads like a column and is none."""
    call = node.parent
    return isinstance(call, exp.Anonymous) and function_name(call) in UNIT_FIRST and call.expressions[0] is node


def _qualified_message(node: exp.Column, scope: Mapping[str, C], argument: str) -> str:
    written = ".".join(part.name for part in node.parts)
    likely = next((name for name in (f"{node.table}_{node.name}", written, node.name) if name in scope), "")
    hint = f" Write {quoted(likely)}." if likely else f"{nearest_hint(node.name, scope)} Available: {listed(scope)}."
    return f"{argument}: {written} names a table, but a relation's columns have plain names.{hint}"


def _pieces(parsed: Parsed, columns: Mapping[int, str]) -> tuple[str, ...]:
    """Text, name, text, …: what was written, token by token, with one blank where there was space or a comment."""
    pieces = [""]
    previous: Token | None = None
    for token in parsed.tokens[1:]:
        if previous is not None and token.start > previous.end + 1:
            pieces[-1] += " "
        if token.start in columns:
            pieces += [columns[token.start], ""]
        else:
            pieces[-1] += parsed.text[token.start : token.end + 1]
        previous = token
    return tuple(pieces)


def _described(node: exp.Expr) -> str:
    if isinstance(node, exp.Placeholder | exp.Parameter):
        return "a placeholder"
    if isinstance(node, exp.Star):
        return "a star"
    if isinstance(node, exp.Alias):
        return f"an alias ({quoted(node.alias)})" if node.alias else "something after the expression"
    return type(node).__name__


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else flat[:77] + "…"
