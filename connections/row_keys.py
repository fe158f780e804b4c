"""Keys of rows as people send them. A number that no column can hold is the key of no row: databases do not say so but
fail."""

from __future__ import annotations

from django.urls.converters import IntConverter

DIGITS = 18
"""Any number of so many fits into 64 bits."""


class KeyConverter(IntConverter):
    """`<key:team_id>` in a route."""

    regex = f"[0-9]{{1,{DIGITS}}}"
