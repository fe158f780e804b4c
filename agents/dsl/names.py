"""Looking names up, and telling people which ones exist.

Look-up is exact first, then a unique match in another letter case (with a note); nothing is ever guessed further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from rapidfuzz import fuzz, process

from agents.errors import InvalidArgumentError, ModelCorrectableError, UnknownColumnError

T = TypeVar("T")

_LISTED = 60  # names listed in an error before it says how many more there are


def resolve_column(name: str, available: Mapping[str, T]) -> tuple[str, str]:
    """The column of `available` that `name` means, and a note ("" when it was exact). Raises UnknownColumnError."""
    return resolve(name, available, "column", UnknownColumnError)


def resolve(
    name: str, available: Mapping[str, T], what: str, error: Callable[[str], ModelCorrectableError]
) -> tuple[str, str]:
    """The key of `available` that `name` means, and a note ("" when it was exact). Raises what `error` makes."""
    if name in available:
        return name, ""
    folded = name.casefold()
    same = [candidate for candidate in available if candidate.casefold() == folded]
    if len(same) == 1:
        return same[0], f"read {quoted(name)} as {quoted(same[0])}"
    if same:
        raise error(f"The {what} {quoted(name)} may mean {listed(same)}; write one of them exactly.")
    raise error(f"There is no {what} {quoted(name)}.{nearest_hint(name, available)} Available: {listed(available)}.")


def nearest(name: str, names: Iterable[str], n: int = 3) -> list[str]:
    """Up to `n` of `names` that are spelled most like `name`, the nearest first."""
    choices = list(names)
    found = process.extract(name, choices, scorer=_likeness, processor=str.casefold, limit=n, score_cutoff=60)
    return [choice for choice, _score, _index in found]


def _likeness(left: str, right: str, **_options: object) -> float:
    """0 to 100: spelled alike, or one a whole word of the other (`name` in `customer_name`)."""
    short, long = sorted((left, right), key=len)
    words = long.replace("_", " ").replace(".", " ").split()
    return max(fuzz.ratio(left, right), 85.0 if short in words else 0.0)


def nearest_hint(name: str, names: Iterable[str]) -> str:
    """` Did you mean …?`, or "" when nothing is near."""
    near = nearest(name, names)
    return f" Did you mean {' or '.join(quoted(choice) for choice in near)}?" if near else ""


def listed(names: Iterable[str]) -> str:
    """Names for people, quoted, the first sixty of them."""
    every = [quoted(name) for name in names]
    shown = ", ".join(every[:_LISTED])
    return shown + (f" and {len(every) - _LISTED} more" if len(every) > _LISTED else "") if every else "none"


def quoted(name: str) -> str:
    """A name as people read it: as it is, or in double quotes where blanks or signs would blur its ends."""
    plain = name.replace("_", "a").isalnum()
    return name if plain else '"' + name.replace('"', '""') + '"'


def check_name(name: str, what: str, limit: int) -> str:
    """`name` itself, if a database can bear it. `limit` is in bytes of UTF-8. Raises InvalidArgumentError."""
    if not name or "\0" in name:
        raise InvalidArgumentError(f"{what} must be a name without NUL characters, not {name!r}.")
    size = len(name.encode())
    if size > limit:
        raise InvalidArgumentError(f"{what} {quoted(name[:40] + '…')} has {size} bytes; at most {limit} are allowed.")
    return name
