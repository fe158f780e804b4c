from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sqlglot import exp

from agents.engine.dialects.base import AggregateCall, Dialect
from connections.catalogue import DialectName


class DuckDB(Dialect):
    name: ClassVar[DialectName] = "duckdb"
    name_limit = 255
    text_type = "VARCHAR"
    joins_not_exists = True

    def aggregate(self, call: AggregateCall) -> exp.Expr:
        """MEDIAN of decimals keeps their digits and cuts the half between two of them: 1.125 comes out as 1.12. One
        digit more holds it."""
        if call.fn == "median" and call.semantic == "decimal" and call.column is not None:
            wider = exp.Mul(this=call.column, expression=exp.Literal.number("1.0"))
            call = replace(call, column=wider)
        return super().aggregate(call)
