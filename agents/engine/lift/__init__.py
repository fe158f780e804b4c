"""SQL to operations: `lift` turns one SELECT into a program that returns the same rows.

The pipeline: read the text, resolve its names (binding), plan its clauses (planner), write the calls (program).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.engine.lift.binding import Binder
from agents.engine.lift.planner import Planner
from agents.engine.lift.program import Program
from agents.engine.lift.query import Constants
from agents.errors import CannotLiftError, ExpressionSyntaxError, LimitExceededError
from connections.catalogue import Catalogue, DialectName
from connections.guard import TooLargeError, UnreadableSqlError, one_select, parse

__all__ = ["LiftedProgram", "lift"]

MAX_CHARACTERS = 100_000
SECONDS = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """Calls as the language takes them; the last one executes. `warnings` say where the SQL itself is ambiguous.

    `ordered`: the SQL has an ORDER BY. `sorted_by` are then the positions of its keys in the result, None where a key
    is not in the result.
    """

    program: list[Mapping[str, Any]]
    warnings: tuple[str, ...] = ()
    ordered: bool = False
    sorted_by: tuple[int, ...] | None = None


def lift(sql: str, catalogue: Catalogue, dialect: DialectName, *, strict: bool = False) -> LiftedProgram:
    """The program for one SELECT. `strict` refuses SQL whose meaning only the database's leniency decides.

    Raises CannotLiftError (construct and place), UnknownTableError, UnknownColumnError, ExpressionSyntaxError,
    StatementNotAllowedError or LimitExceededError.
    """
    if len(sql) > MAX_CHARACTERS:
        raise LimitExceededError(f"The SQL has {len(sql):,} characters; at most {MAX_CHARACTERS:,} can be lifted.")
    deadline = time.monotonic() + SECONDS
    try:
        root = one_select(parse(sql, dialect))
        bound = Binder(catalogue, dialect, sql, strict=strict).statement(root)
        planner = Planner(bound, Program(catalogue, dialect), text=sql, strict=strict, deadline=deadline)
        planner.statement(bound.query)
    except TooLargeError as error:
        raise LimitExceededError(f"The SQL cannot be lifted: {error}.") from None
    except UnreadableSqlError as error:
        raise ExpressionSyntaxError(f"The SQL cannot be read: {error}.") from None
    except RecursionError:
        raise LimitExceededError("The SQL is nested too deeply to be lifted.") from None
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError, StopIteration) as error:
        log.exception("Lifting broke over %d characters of SQL", len(sql))
        raise CannotLiftError(
            f"Cannot lift this SQL: it holds what lifting has no rule for ({type(error).__name__}). "
            "Check that the database takes it, or write it in another way."
        ) from error
    keys = [] if isinstance(bound.query, Constants) else [key.key for key in bound.query.tail.order]
    shown = tuple(key for key in keys if isinstance(key, int))
    positions = shown if len(shown) == len(keys) else None
    return LiftedProgram(list(planner.program.calls), tuple(planner.warnings), bool(keys), positions)


