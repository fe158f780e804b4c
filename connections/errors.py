"""What can go wrong between us and a customer's database.

Every class is worded for the person or the model that reads it: what was tried, what happened, what to do.
None of them ever holds a password: drivers redact before they raise.
"""

from __future__ import annotations


class DatabaseError(Exception):
    """Root of this family; `str(error)` is safe to show to a person and to a model."""


class ConnectionFailedError(DatabaseError):
    """The database could not be reached or refused the login. The run stops; an administrator can mend it."""


class ConnectionLostError(ConnectionFailedError):
    """An open session broke off, before any row was read: a new one may succeed."""


class LoginRefusedError(ConnectionFailedError):
    """A server answered and refused the user, the password or the database."""


class TLSFailedError(ConnectionFailedError):
    """A server answered, but no encrypted connection came about where one is required (or where one is refused)."""


class ExecutionError(DatabaseError):
    """The database refused or aborted a statement; carries the database's own message."""


class QueryTimeoutError(DatabaseError):
    """The statement was ended because it ran into its time limit."""


class QueryCancelledError(DatabaseError):
    """The statement was ended because somebody cancelled the run."""


class StatementNotAllowedError(DatabaseError):
    """The guard refused the statement before the database saw it."""
