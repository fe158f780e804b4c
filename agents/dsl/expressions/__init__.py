"""Scalar expressions: parsed in the connection's dialect, allow-listed, typed, and sent on as they were written."""

from agents.dsl.expressions.expression import Expression, Typed
from agents.dsl.expressions.literals import Literal, literals, text_literal
from agents.dsl.expressions.parse import parse_predicate, parse_scalar

__all__ = ["Expression", "Literal", "Typed", "literals", "parse_predicate", "parse_scalar", "text_literal"]
