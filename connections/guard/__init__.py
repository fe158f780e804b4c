"""The guard between SQL and a customer's database: `check` refuses all but one allow-listed SELECT."""

from connections.guard.checks import check, check_tree, check_type, one_select
from connections.guard.parsing import (
    Parsed,
    TooLargeError,
    UnreadableSqlError,
    function_name,
    parse,
    sqlglot_dialect,
)

__all__ = [
    "Parsed", "TooLargeError", "UnreadableSqlError", "check", "check_tree", "check_type", "function_name",
    "one_select", "parse", "sqlglot_dialect",
]  # fmt: skip
