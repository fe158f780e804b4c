"""Files that hold what only whoever runs this machine may read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO


def private_file(path: Path) -> TextIO:
    """A new text file in the place of what was there, which nobody else may read from its first byte on."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")
