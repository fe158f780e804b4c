"""Reading the arguments of a call into the typed fields of an operation.

Each field carries a `Kind`, which says what it expects and reads a JSON value losslessly: "10" becomes 10 and one name
becomes a list of one, but nothing is rounded, guessed or made up, and null is never an empty list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, TypeVar

from agents.dsl.names import listed, nearest_hint
from agents.errors import InvalidArgumentError

T = TypeVar("T")


class UnfitError(ValueError):
    """A value that is not of the kind; `str(error)` is "" or says what inside it is wrong."""


@dataclass(frozen=True)
class Kind:
    """`expects` completes "must be …"; `read` returns the typed value or raises UnfitError.

    `options` are all values of a choice, `item` the kind of a list's items, `fields` the dataclass of an object, and
    `names` says what a name must be a name of ("new": it is given here).
    """

    expects: str
    read: Callable[[Any], Any]
    is_handle: bool = False
    options: tuple[str, ...] = ()
    item: Kind | None = None
    fields: type[Any] | None = None
    names: Literal["", "table", "column", "new"] = ""


def argument(kind: Kind, default: Any = MISSING) -> Any:
    """A dataclass field that is read from the call's arguments."""
    if default is MISSING:
        return field(metadata={"kind": kind})
    return field(default=default, metadata={"kind": kind})


def read_arguments(cls: type[T], args: Any, where: str, signature: str) -> T:
    """An instance of the dataclass `cls` read from the JSON object `args`. Raises InvalidArgumentError."""
    if not isinstance(args, Mapping):
        raise InvalidArgumentError(f"The arguments of {where} must be an object, not {_shown(args)}. {signature}")
    known = {name_in_call(item): item for item in fields(cls)}  # type: ignore[arg-type]
    for name in args:
        if name not in known:
            hint = nearest_hint(str(name), known)
            raise InvalidArgumentError(f"{where} has no argument {name!r}.{hint} It takes {listed(known)}. {signature}")
    values = {}
    for name, item in known.items():
        if name in args:
            values[item.name] = _read(item, name, args[name], where, signature)
        elif item.default is MISSING:
            raise InvalidArgumentError(f"{where} needs the argument {name!r}. {signature}")
    return cls(**values)


def name_in_call(item: Field[Any]) -> str:
    """Field names that are Python keywords carry a trailing underscore: `as_` is `as` in a call."""
    return item.name.rstrip("_")


def _read(item: Field[Any], name: str, value: Any, where: str, signature: str) -> Any:
    kind: Kind = item.metadata["kind"]
    if value is None and item.default is None:
        return None
    try:
        return kind.read(value)
    except UnfitError as error:
        inside = f" ({error})" if str(error) else ""
        raise InvalidArgumentError(
            f"The argument {name!r} of {where} must be {kind.expects}, not {_shown(value)}{inside}. {signature}"
        ) from None


def _shown(value: Any) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


# ---- Kinds ----------------------------------------------------------------------------------------------------------


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnfitError
    return value


def _read_name(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise UnfitError
    return value


def _read_integer(value: Any) -> int:
    if isinstance(value, str):
        digits = value.strip()
        if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 20:
            return int(digits)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise UnfitError


def _read_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise UnfitError


def _read_scalar(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float) and not math.isfinite(value):
        raise UnfitError
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise UnfitError


HANDLE = Kind("the handle of a relation", _read_name, is_handle=True)
NAME = Kind("a name", _read_name, names="column")
NEW_NAME = Kind("a name", _read_name, names="new")
TABLE_NAME = Kind("a name", _read_name, names="table")
TEXT = Kind("a text", _read_text)
EXPRESSION = Kind("an expression as text", _read_text)
BOOLEAN = Kind("true or false", _read_boolean)
SCALAR = Kind("a text, a number, true, false or null", _read_scalar)


def integer(low: int, high: int = 2**63 - 1) -> Kind:
    """A whole number from `low` to `high`."""

    def read(value: Any) -> int:
        number = _read_integer(value)
        if not low <= number <= high:
            raise UnfitError
        return number

    upper = f" to {high:,}" if high < 2**63 - 1 else " up"
    return Kind(f"a whole number from {low}{upper}", read)


def choice(*options: str) -> Kind:
    """One of `options`, in any letter case."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value.strip().lower() not in options:
            raise UnfitError
        return value.strip().lower()

    return Kind("one of " + ", ".join(options), read, options=options)


def list_of(kind: Kind, *, at_least: int = 0) -> Kind:
    """A list of `kind`; a single value stands for a list of one."""

    def read(value: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list | tuple) else [value]
        if value is None or len(items) < at_least:
            raise UnfitError
        return tuple(kind.read(item) for item in items)

    count = "" if not at_least else f" with at least {at_least}"
    return Kind(f"a list{count}, each {kind.expects}", read, item=kind)


def record(cls: type[Any], described: str) -> Kind:
    """An object whose keys are the fields of the dataclass `cls`."""

    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise UnfitError
        try:
            return read_arguments(cls, value, "each item", "")
        except InvalidArgumentError as error:
            raise UnfitError(str(error).strip()) from None

    return Kind(described, read, fields=cls)
