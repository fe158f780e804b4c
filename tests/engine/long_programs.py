"""Programs near the limits, over the tiny shop of `data.py`."""

from __future__ import annotations

from typing import Any

Call = dict[str, Any]


def call(op: str, out: str, **args: Any) -> Call:
    return {"op": op, "args": args, "out": out}


def sixty_operations_with_eight_joins() -> list[Call]:
    """Filters, windows, aggregates and joins of them, so that little merges."""
    calls = [call("table_ref", "o", table="orders"), call("table_ref", "c", table="customers")]
    calls.append(call("join_table", "j0", left="o", right="c", how="left", on=[["customer", "id"]]))
    last = "j0"
    for i in range(1, 8):
        calls += [
            call("derive_column", f"d{i}", rel=last, name=f"x{i}", expr=f"COALESCE(total, 0) + {i}"),
            call("filter_expr", f"f{i}", rel=f"d{i}", predicate=f"x{i} > {i} AND status <> 'void'"),
            call("window_column", f"w{i}", rel=f"f{i}", name=f"r{i}", fn="rank", order_by=[[f"x{i}", "desc"]]),
            call("filter_expr", f"g{i}", rel=f"w{i}", predicate=f"r{i} < 100"),
            call("aggregate", f"a{i}", rel=f"g{i}", group_by=["status"], aggs=[
                {"fn": "max", "column": f"x{i}", "as": f"m{i}"}, {"fn": "sum", "column": f"r{i}", "as": f"s{i}"},
            ]),
            call("select_columns", f"p{i}", rel=f"a{i}", columns=["status", f"m{i}", f"s{i}"]),
            call("join_table", f"k{i}", left=f"g{i}", right=f"p{i}", how="inner", on=[["status", "status"]]),
            call("order_by", f"q{i}", rel=f"k{i}", keys=[[f"m{i}", "desc"], ["id", "asc"]]),
        ]  # fmt: skip
        last = f"q{i}"
    calls.append(call("limit", "z", rel=last, n=10))
    return calls
