"""Texts from models and customers' databases, made such that our own database takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def storable(value: Any) -> Any:
    """`value` (text or JSON) with U+FFFD for what PostgreSQL refuses: the NUL character and half a surrogate pair."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value
