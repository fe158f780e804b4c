"""What a spreadsheet must not run: a text that looks like a formula gets an apostrophe (OWASP, "CSV Injection")."""

from __future__ import annotations

import re

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


def neutral(text: str) -> str:
    """`text` as a spreadsheet must not run it; numbers, negative ones too, are never touched."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not NUMBER.match(text) else text
