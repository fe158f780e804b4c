"""Conditions that the engine itself puts on a column: it is NULL, equals a value, contains a text."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from sqlglot import exp

from agents.dsl.expressions import Expression
from agents.dsl.operations.filter_expr import FilterExpr
from agents.dsl.relation import Relation, RelColumn
from agents.dsl.type_rules import NUMERIC
from agents.engine.dialects import Dialect

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_INFINITE, _BELOW = ("Infinity", "inf", "Inf"), ("-Infinity", "-inf", "-Inf")
_NOT_FINITE = {
    "nan": ("NaN", "nan"), "infinity": _INFINITE, "inf": _INFINITE, "-infinity": _BELOW, "-inf": _BELOW,
}  # fmt: skip

Value = str | int | float | bool | None


def filtered(source: Relation, condition: Expression) -> Relation:
    """The rows of `source` for which `condition` is true."""
    return Relation(
        FilterExpr(source.handle, condition.text), source.handle, (source,), source.columns, (condition,), source.unique
    )


def is_null(column: str, *, negated: bool = False) -> Expression:
    return _condition(column, "", " IS NOT NULL" if negated else " IS NULL")


def equals(column: RelColumn, value: Value, dialect: Dialect) -> Expression:
    """`column = value`; a value that is none of the column's type is looked for as it is spelled."""
    if value is None:
        return is_null(column.name)
    typed, loose = _typed(column, value, dialect), not dialect.enforces_types and column.semantic not in NUMERIC
    if typed is not None and not loose:
        return typed
    spelled = _any_spelling(column, value, dialect)
    return spelled if typed is None else any_of([typed, spelled])  # 'true' may be stored beside 1


def _typed(column: RelColumn, value: Value, dialect: Dialect) -> Expression | None:
    """`column = value` as a number or a truth value, if the column may hold such and the value is one."""
    if column.semantic == "boolean":
        truth = _TRUTHS.get(str(value).lower())
        return None if truth is None else _condition(column.name, "", f" = {dialect.text(dialect.literal(truth))}")
    if column.semantic in NUMERIC or (column.semantic == "unknown" and not dialect.enforces_types):
        number = _number(value)
        return None if number is None else _condition(column.name, "", f" = {number}")
    return None


def _any_spelling(column: RelColumn, value: Value, dialect: Dialect) -> Expression:
    """The column, as text, is `value`; of what is no finite number, in the words of any database."""
    text, (before, after) = _text(value), _as_text(column, dialect)
    spellings = _NOT_FINITE.get(text.lower(), (text,)) if column.semantic in NUMERIC else (text,)
    literals = [dialect.text(dialect.literal(spelling)) for spelling in dict.fromkeys((text, *spellings))]
    conditions = [_condition(column.name, before, f"{after} = {literal}") for literal in literals]
    return any_of(conditions) if len(conditions) > 1 else conditions[0]


def contains(column: RelColumn, text: str, dialect: Dialect) -> Expression:
    """`text` occurs in the column, as it is spelled (no wildcards), in any letter case."""
    before, after = _as_text(column, dialect)
    tests = [("LOWER(", text.lower())]
    if not text.isascii():  # SQLite's LOWER knows ASCII only, so other spellings are tried as well.
        tests += [("(", spelling) for spelling in sorted({text, text.lower(), text.upper(), text.title()})]
    conditions = []
    for function, spelling in tests:
        literal = dialect.text(dialect.literal(spelling))
        conditions.append(
            _condition(column.name, f"{dialect.position}({function}{before}", f"{after}), {literal}) > 0")
        )
    return any_of(conditions)


def any_of(conditions: list[Expression]) -> Expression:
    """At least one of `conditions`, all over the same column, holds."""
    return _joined(conditions, "(", " OR ", ")")


def how_many_of(conditions: list[Expression]) -> Expression:
    """The number of those of `conditions`, all over the same column, that hold."""
    return _joined(conditions, "(CASE WHEN ", " THEN 1 ELSE 0 END + CASE WHEN ", " THEN 1 ELSE 0 END)")


def _joined(conditions: list[Expression], before: str, between: str, after: str) -> Expression:
    pieces: list[str] = [""]
    for index, condition in enumerate(conditions):
        first, *rest = condition.pieces
        pieces[-1] += (between if index else before) + first
        pieces += rest
    pieces[-1] += after
    return _expression(conditions[0].columns[0], tuple(pieces))


def as_text(column: RelColumn, dialect: Dialect) -> Expression:
    """The column as text."""
    before, after = _as_text(column, dialect)
    return _expression(column.name, (before, column.name, after))


def _as_text(column: RelColumn, dialect: Dialect) -> tuple[str, str]:
    return ("", "") if column.semantic == "text" else ("CAST(", f" AS {dialect.text_type})")


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number(value: Value) -> str | None:
    """`value` as SQL writes a number, if it is one."""
    try:
        number = Decimal(int(value)) if isinstance(value, bool) else Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return format(number, "f") if number.is_finite() and abs(number.adjusted()) < 40 else None


def _condition(column: str, before: str, after: str) -> Expression:
    return _expression(column, (before, column, after))


def _expression(column: str, pieces: tuple[str, ...]) -> Expression:
    return Expression(
        text="".join(pieces),
        pieces=pieces,
        columns=(column,),
        type="",
        semantic="unknown",
        nullable=True,
        volatile=False,
        notes=(),
        tree=exp.Paren(),
        atomic=False,
    )
