"""The value that a parsed expression is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from connections.catalogue import SemanticType


class Typed(Protocol):
    """What an expression needs to know of a column. `type` is the SQL type's text, "" when it is not known."""

    @property
    def type(self) -> str: ...
    @property
    def semantic(self) -> SemanticType: ...
    @property
    def nullable(self) -> bool: ...


@dataclass(frozen=True)
class Expression:
    """An expression that passed the allow-list.

    `pieces` alternate between text that was written (words, literals and signs, comments left out) and the logical
    name of a column: text, name, text, name, …, text. Putting SQL for the names between the texts gives the expression
    back as it was meant, with nothing translated. `tree` is for reading only: its Column nodes hold logical names.
    `columns` are the names in order of first use. `volatile` values differ from call to call, so the expression must
    be evaluated exactly where it stands.
    """

    text: str
    pieces: tuple[str, ...] = field(repr=False)
    columns: tuple[str, ...]
    type: str
    semantic: SemanticType
    nullable: bool
    volatile: bool
    notes: tuple[str, ...]
    tree: exp.Expr = field(repr=False, compare=False)
    atomic: bool = False

    @property
    def is_quoted_text(self) -> bool:
        """Whether it is a text in quotes and nothing else."""
        return isinstance(self.tree, exp.Literal) and bool(self.tree.is_string)

    @property
    def subscripted(self) -> frozenset[str]:
        """The columns of which an element is taken: a database takes none of a call without parentheses around it."""
        followed = zip(self.pieces[1::2], self.pieces[2::2], strict=True)
        return frozenset(name for name, after in followed if after.lstrip().startswith("["))

    def write(self, columns: Mapping[str, str]) -> str:
        """The expression as SQL, with `columns` giving the SQL of each column. Raises KeyError on a missing one."""
        return "".join(columns[piece] if index % 2 else piece for index, piece in enumerate(self.pieces))
