"""Expressions as SQL text: logical column names are quoted only where a bare word would not do."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from agents.dsl.expressions.null_tests import null_tested
from agents.engine.lift.query import Node
from connections.catalogue import DialectName
from connections.guard import sqlglot_dialect


def text_of(node: Node, dialect: DialectName) -> str:
    """`node`, whose columns are logical names, as the operations read it."""

    def plain(part: Node) -> Node:
        if isinstance(part, exp.Identifier):
            return exp.to_identifier(part.name, quoted=not _is_plain(part.name, dialect))
        if isinstance(part, exp.Not) and (tested := null_tested(part.this)) is not None:
            return exp.Is(this=tested.transform(plain), expression=exp.Not(this=exp.Null()))
        if dialect == "mysql" and isinstance(part, exp.RegexpLike):  # MariaDB has no function of that name
            sides = (text_of(side, dialect) for side in (part.this, part.expression))
            return exp.Var(this=" REGEXP ".join(sides))
        if dialect == "postgresql" and isinstance(part, exp.Interval) and isinstance(part.unit, exp.Var):
            return exp.Var(this=f"INTERVAL {part.this.sql(dialect=sqlglot_dialect(dialect))} {part.unit.name}")
        return part

    return node.transform(plain).sql(dialect=sqlglot_dialect(dialect), comments=False, normalize_functions=False)


@lru_cache(maxsize=4096)
def _is_plain(name: str, dialect: DialectName) -> bool:
    """Whether `name` may stand without quotes: a word in small letters that SQL has no use for."""
    if not (name.isascii() and name.replace("_", "a").isalnum() and name.islower()) or name[0].isdigit():
        return False
    return name.upper() not in _keywords(dialect)


@lru_cache(maxsize=8)
def _keywords(dialect: DialectName) -> frozenset[str]:
    reader = sqlglot_dialect(dialect)
    reserved = reader.generator_class.RESERVED_KEYWORDS
    words = (*reader.tokenizer_class.KEYWORDS, *reader.parser_class.FUNCTIONS, *reserved)
    return frozenset(word.upper() for word in words)
