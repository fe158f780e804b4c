"""The catalogue of operations: the paper's fifteen in its order, then extensions."""

from __future__ import annotations

from collections.abc import Mapping

from agents.dsl.operations.aggregate import Aggregate
from agents.dsl.operations.base import Operation, ProbeOperation, RelationOperation
from agents.dsl.operations.derive_column import DeriveColumn
from agents.dsl.operations.distinct import Distinct
from agents.dsl.operations.execute import Execute
from agents.dsl.operations.filter_expr import FilterExpr
from agents.dsl.operations.join_table import JoinTable
from agents.dsl.operations.limit import Limit
from agents.dsl.operations.materialize import Materialize
from agents.dsl.operations.order_by import OrderBy
from agents.dsl.operations.probe_values import ProbeValues
from agents.dsl.operations.select_columns import SelectColumns
from agents.dsl.operations.set_operation import SetOperation
from agents.dsl.operations.sim_value_in import SimValueIn
from agents.dsl.operations.table_ref import TableRef
from agents.dsl.operations.value_exists import ValueExists
from agents.dsl.operations.window_column import WindowColumn

__all__ = ["OPERATIONS", "Operation", "ProbeOperation", "RelationOperation", "offered"]

OPERATIONS: tuple[type[Operation], ...] = (
    TableRef, SelectColumns, Distinct, FilterExpr, JoinTable, Aggregate, DeriveColumn, WindowColumn, OrderBy, Limit,
    Materialize, Execute, ProbeValues, ValueExists, SimValueIn, SetOperation,
)  # fmt: skip


def offered(*, paper_mode: bool = False) -> Mapping[str, type[Operation]]:
    """The operations by name; `paper_mode` leaves the extensions out."""
    return {operation.name: operation for operation in OPERATIONS if not (paper_mode and operation.extension)}
