"""Every error of the agents on one page, sorted by what the catcher does.

- `ModelCorrectableError`: the model (or the person who wrote the program) can mend it; it becomes an observation.
- `RunStoppedError`: the run ends, with the reason; nothing is retried.
- `ModelAccessError`: the language model could not be asked; the message says who can mend what.
"""

from __future__ import annotations

from connections.errors import (
    ConnectionFailedError,
    DatabaseError,
    ExecutionError,
    QueryCancelledError,
    QueryTimeoutError,
    StatementNotAllowedError,
)

__all__ = [
    "BudgetExhaustedError", "CannotLiftError", "CapReachedError", "ConnectionFailedError", "ContextTooLongError",
    "CORRECTABLE", "DatabaseError", "DuplicateColumnError", "ExecutionError", "ExpressionNotAllowedError",
    "ExpressionSyntaxError", "InvalidArgumentError", "LimitExceededError", "MalformedReplyError", "ModelAccessError",
    "ModelAuthenticationError", "ModelCorrectableError", "ModelRateLimitedError", "ModelRefusedError",
    "ModelUnavailableError", "NO_MORE_REPLIES", "NoWorkingDraftError", "ProgramFailedError", "QueryCancelledError",
    "QueryTimeoutError", "RepeatedBatchError", "RunCancelledError", "RunDivergedError", "RunLostError",
    "RunStoppedError", "StatementNotAllowedError", "TypeMismatchError", "UnknownColumnError",
    "UnknownOperationError", "UnknownRelationError", "UnknownResultError", "UnknownTableError",
    "UnreadableRepliesError", "UnsupportedInDialectError",
]  # fmt: skip


class ModelCorrectableError(Exception):
    """Root of what a better call would avoid. `str(error)`: what was wrong, what exists, what would be right."""


class MalformedReplyError(ModelCorrectableError):
    """The reply holds neither calls nor a final signal that can be read."""


class UnknownOperationError(ModelCorrectableError): ...


class InvalidArgumentError(ModelCorrectableError): ...


class UnknownRelationError(ModelCorrectableError): ...


class UnknownTableError(ModelCorrectableError): ...


class UnknownColumnError(ModelCorrectableError): ...


class DuplicateColumnError(ModelCorrectableError): ...


class ExpressionSyntaxError(ModelCorrectableError): ...


class ExpressionNotAllowedError(ModelCorrectableError): ...


class TypeMismatchError(ModelCorrectableError): ...


class UnsupportedInDialectError(ModelCorrectableError): ...


class LimitExceededError(ModelCorrectableError): ...


class UnknownResultError(ModelCorrectableError): ...


class CannotLiftError(ModelCorrectableError):
    """The SQL holds a construct that the 15 operations cannot express; names the construct and its place."""


# What a batch turns into a failed call instead of letting it end the run.
CORRECTABLE = (ModelCorrectableError, ExecutionError, QueryTimeoutError, StatementNotAllowedError)


class RunStoppedError(Exception):
    """Root of what ends a run as `failed` (or `cancelled`); `str(error)` is the reason that people read, `detail` what
    only helps whoever can mend it."""

    def __init__(self, message: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class BudgetExhaustedError(RunStoppedError):
    """Turns, calls, tokens, money or seconds are used up."""


class CapReachedError(BudgetExhaustedError):
    """A person's, a team's, a model's or the instance's cap was lowered or used up while the run was at work."""


class UnreadableRepliesError(RunStoppedError):
    """Three replies in a row could not be read."""


class RepeatedBatchError(RunStoppedError):
    """The model sent the same batch a third time."""


class NoWorkingDraftError(RunStoppedError):
    """No SQL that the model drafted could be run, after all repairs."""


class ProgramFailedError(RunStoppedError):
    """A step of a saved program could not be run."""


class RunCancelledError(RunStoppedError):
    """Somebody pressed stop."""


class RunLostError(RunStoppedError):
    """Another worker owns the run now; this one must write nothing more."""


class RunDivergedError(RunStoppedError):
    """A resumed run came to another place than the one that was saved."""


class ModelAccessError(RunStoppedError):
    """Root of failures to reach or use the language model. `str(error)` is for whoever asked; `detail` holds the
    provider's own words and the address."""


class ModelAuthenticationError(ModelAccessError):
    """The key is missing, wrong or not entitled; never retried."""


class ModelRateLimitedError(ModelAccessError):
    """Still refused after the retries were used up."""


class ModelUnavailableError(ModelAccessError):
    """Not reachable, timed out, or answered 5xx until the retries were used up."""


class ContextTooLongError(ModelAccessError):
    """The prompt does not fit the model's context; never retried as it is."""


class ModelRefusedError(ModelAccessError):
    """The provider declined for another reason (unknown model, content filter, bad request)."""


# No further reply can be had; what was found until then may still be an answer.
NO_MORE_REPLIES = (BudgetExhaustedError, ModelAccessError)
