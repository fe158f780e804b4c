"""Scalar expressions: parsed in the connection's dialect, allow-listed, typed, and sent on as they were written."""

from agents.dsl.expressions.expression import Expression, Typed
from agents.dsl.expressions.parse import parse_predicate, parse_scalar

__all__ = ["Expression", "Typed", "parse_predicate", "parse_scalar"]
