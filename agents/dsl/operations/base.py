"""What every operation shares: reading itself from a call, and saying what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from agents.dsl.arguments import Kind, name_in_call, read_arguments
from agents.dsl.relation import Relation, Scope

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Operation:
    """A call whose arguments have been read but not yet looked up. Its fields are the arguments.

    `extension` operations are not among the paper's fifteen. The docstring is what the model is told, with `example`:
    the arguments of one call, as JSON.
    """

    name: ClassVar[str] = ""
    extension: ClassVar[bool] = False
    example: ClassVar[str] = ""

    @classmethod
    def read(cls, args: Any) -> Self:
        """Raises InvalidArgumentError, which names the argument and the signature."""
        return read_arguments(cls, args, cls.name, f"Signature: {cls.signature()}.")

    @classmethod
    def signature(cls) -> str:
        """`limit(rel, n, offset?)`: the arguments in order, optional ones with a question mark."""
        told = [name_in_call(item) + ("" if item.default is MISSING else "?") for item in fields(cls)]
        return f"{cls.name}({', '.join(told)})"

    def handles(self) -> tuple[str, ...]:
        """The handles of the relations it takes, in the order of its arguments."""
        return tuple(getattr(self, item.name) for item in fields(self) if _kind(item).is_handle)

    def arguments(self) -> Mapping[str, Any]:
        """The fields by their names in a call, as they were read."""
        return {name_in_call(item): getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class Need:
    """What is asked of a relation: some of its columns, and whether its order matters to the asker."""

    columns: frozenset[str]
    ordered: bool = False


@dataclass(frozen=True)
class RelationOperation(Operation):
    """An operation that makes a relation out of others."""

    resets_depth: ClassVar[bool] = False

    def derive(self, inputs: tuple[Relation, ...], scope: Scope) -> Relation:
        """The relation that it makes, with every name resolved. Raises a ModelCorrectableError."""
        raise NotImplementedError

    def needs(self, relation: Relation, asked: Need) -> tuple[Need, ...]:
        """What it needs of each input of `relation` to give what is `asked` of `relation`."""
        raise NotImplementedError

    def identity(self, relation: Relation) -> object:
        """What else, besides its fields and inputs, tells this relation from another."""
        return ()


@dataclass(frozen=True)
class ProbeOperation(Operation):
    """An operation that looks into a column and returns an observation, no relation."""


def _kind(item: Any) -> Kind:
    kind: Kind = item.metadata["kind"]
    return kind
