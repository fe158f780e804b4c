"""Settings out of a file, for what is started by hand or by a supervisor. Tests and `settings.py` never read it."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from honcho import environ

from reactsql_web.environment import Environment

ROOT = Path(__file__).resolve().parent.parent


def read(values: MutableMapping[str, str] = os.environ) -> None:
    """Add to `values` what they lack of the file that ENV_FILE names. Raises ImproperlyConfigured."""
    name = Environment(values).text("ENV_FILE")
    if name.lower() == "off":
        return
    file = ROOT / name
    if not file.is_file():
        if values.get("ENV_FILE"):
            raise ImproperlyConfigured(f"ENV_FILE: there is no file {file}.")
        return
    try:
        found = environ.parse(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"{file} cannot be read: {error}") from error
    for variable, value in found.items():
        values.setdefault(variable, value)
