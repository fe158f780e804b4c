"""Filling prompt files: every `{{name}}` gets exactly one value, and every value has its place.

A line that holds nothing but placeholders disappears when all of them are empty, so that optional parts leave no hole.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_OPTIONAL_LINE = re.compile(r"^(?:\{\{\w+\}\}[ \t]*)+$")


class PromptError(LookupError):
    """A prompt file, or a value for it, is missing or surplus: a mistake in the program."""


def render(name: str, **values: str) -> str:
    """The text of `name`.md with `values` in their places. Raises PromptError unless the names match exactly."""
    wanted = variables(name)
    if missing := sorted(wanted - values.keys()):
        raise PromptError(f"prompt {name} needs a value for {', '.join(missing)}")
    if surplus := sorted(values.keys() - wanted):
        raise PromptError(f"prompt {name} has no place for {', '.join(surplus)}")
    lines = [_filled(line, values) for line in _text(name).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line is not None)).strip()


def variables(name: str) -> frozenset[str]:
    """The names of the values that prompt `name` needs."""
    return frozenset(_PLACEHOLDER.findall(_text(name)))


def _filled(line: str, values: dict[str, str]) -> str | None:
    if _OPTIONAL_LINE.match(line) and not any(values[name] for name in _PLACEHOLDER.findall(line)):
        return None
    return _PLACEHOLDER.sub(lambda place: values[place.group(1)], line)


@cache
def _text(name: str) -> str:
    file = files(__package__) / f"{name}.md"
    if not name.isidentifier() or not file.is_file():
        raise PromptError(f"there is no prompt {name!r}")
    return file.read_text(encoding="utf-8")
