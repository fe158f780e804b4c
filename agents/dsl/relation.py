"""A relation: an immutable value that knows which columns it has, and what it was built from.

Relations form a DAG. Nothing here knows SQL: `agents.engine.compiler` turns a relation into a statement.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agents.dsl.names import check_name, resolve_column
from agents.errors import DuplicateColumnError, LimitExceededError, UnsupportedInDialectError
from connections.catalogue import Catalogue, DialectName, SemanticType, Table

if TYPE_CHECKING:
    from agents.dsl.expressions import Expression
    from agents.dsl.operations.base import RelationOperation

_COLUMN_LIMIT = 1_000  # PostgreSQL stops at 1,664 result columns, SQLite at 2,000


@dataclass(frozen=True, slots=True)
class Origin:
    """The base column that a column of a relation comes from unchanged."""

    table: Table
    column: str


@dataclass(frozen=True, slots=True)
class RelColumn:
    """A column of a relation. `type` is the SQL type as the database spells it, "" where it is not known."""

    name: str
    type: str = ""
    semantic: SemanticType = "unknown"
    nullable: bool = True
    origin: Origin | None = None

    @property
    def shown_type(self) -> str:
        return self.type or (self.semantic if self.semantic != "unknown" else "")


@dataclass(frozen=True, eq=False)
class Relation:
    """What an operation made of its inputs.

    `columns` is ordered. `expressions` are the parsed expressions of the operation, in the order of its arguments.
    `unique` lists sets of columns of which no two rows share all values. `ordered` is whether its rows have an order.
    `depth` counts the operations on the longest way up to a table or a materialised relation, `notes` tell what a
    reader of the call should know. Relations are compared by identity; equal graphs have equal fingerprints.
    """

    operation: RelationOperation
    handle: str
    inputs: tuple[Relation, ...]
    columns: Mapping[str, RelColumn]
    expressions: tuple[Expression, ...] = ()
    unique: tuple[frozenset[str], ...] = ()
    ordered: bool = False
    notes: tuple[str, ...] = ()
    depth: int = field(init=False)
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        deepest = max((relation.depth for relation in self.inputs), default=0)
        object.__setattr__(self, "depth", 0 if self.operation.resets_depth else deepest + 1)
        told = repr((self.operation, self.handle, self.operation.identity(self)))
        above = "".join(relation.fingerprint for relation in self.inputs)
        object.__setattr__(self, "fingerprint", hashlib.sha256(f"{above}{told}".encode()).hexdigest()[:24])

    def is_twin_of(self, other: Relation) -> bool:
        """Whether the same operation on the same relations made both."""
        return self.operation == other.operation and self.inputs == other.inputs

    def is_unique(self, names: frozenset[str]) -> bool:
        """Whether at most one row can hold one combination of values in `names`, as far as is known."""
        return any(key <= names for key in self.unique)

    def semantic_of(self, name: str | None) -> SemanticType:
        """The type of what an aggregate reads; "unknown" of `*` and of nothing."""
        return self.columns[name].semantic if name and name in self.columns else "unknown"


@dataclass(frozen=True)
class Scope:
    """What an operation may look at besides its inputs, while it becomes a relation.

    `handle` is the name of the relation to be; `unsupported` maps features that the dialect lacks ("aggregate median")
    to the reason; `name_limit` is in bytes.
    """

    catalogue: Catalogue
    handle: str
    unsupported: Mapping[str, str] = field(default_factory=dict)
    name_limit: int = 63

    @property
    def dialect(self) -> DialectName:
        return self.catalogue.dialect

    def require(self, feature: str) -> None:
        """Raise UnsupportedInDialectError when the dialect lacks `feature`."""
        if feature in self.unsupported:
            raise UnsupportedInDialectError(f"{self.dialect} has no {feature}: {self.unsupported[feature]}")

    def new_name(self, name: str, what: str) -> str:
        """`name` if it may name a new column. Raises InvalidArgumentError."""
        return check_name(name, what, self.name_limit)

    def generated_name(self, name: str) -> str:
        """`name`, shortened with a hash where it is longer than the dialect allows."""
        return shortened(name, self.name_limit)


class Columns:
    """Looks columns of one relation up, and remembers the notes that the look-ups gave."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.notes: list[str] = []

    def __getitem__(self, name: str) -> RelColumn:
        """Raises UnknownColumnError."""
        actual, note = resolve_column(name, self.relation.columns)
        if note and note not in self.notes:
            self.notes.append(note)
        return self.relation.columns[actual]


def collected(columns: list[RelColumn], signature: str) -> dict[str, RelColumn]:
    """An ordered mapping of `columns` by name. Raises DuplicateColumnError or LimitExceededError."""
    found: dict[str, RelColumn] = {}
    for column in columns:
        if column.name in found:
            raise DuplicateColumnError(
                f"Two columns of the result would be named {column.name!r}; names are unique. {signature}"
            )
        found[column.name] = column
    if len(found) > _COLUMN_LIMIT:
        raise LimitExceededError(
            f"The relation would have {len(found):,} columns; at most {_COLUMN_LIMIT:,} are allowed. "
            "Select the columns that are needed first."
        )
    return found


def shortened(name: str, limit: int) -> str:
    """`name` cut to `limit` bytes of UTF-8, its end replaced by a hash of the whole so that it stays unique."""
    encoded = name.encode()
    if len(encoded) <= limit:
        return name
    mark = "_" + hashlib.sha256(encoded).hexdigest()[:8]
    return encoded[: limit - len(mark)].decode(errors="ignore") + mark
