"""Copies of SQLite files that may be changed, so that the original never is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from connections.errors import ConnectionFailedError


def changed_copy(url: str, target: Path, statements: Sequence[str]) -> str:
    """The URL of a copy of the SQLite file at `url`, after `statements`. A copy that is there already is kept.

    Raises ConnectionFailedError when `url` is no SQLite file or cannot be copied.
    """
    copy = f"sqlite:///{target.resolve()}"
    if target.exists():
        return copy
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    source = f"file:{quote(str(_file_of(url)))}?mode=ro"
    try:
        with closing(sqlite3.connect(source, uri=True)) as old, closing(sqlite3.connect(unfinished)) as new:
            old.backup(new)
            for statement in statements:
                new.execute(statement)
            new.commit()
    except sqlite3.Error as error:
        raise ConnectionFailedError(f"{url} cannot be copied: {error}.") from error
    unfinished.rename(target)
    return copy


def _file_of(url: str) -> Path:
    try:
        made = make_url(url)
    except ArgumentError:
        raise ConnectionFailedError("A database is named by a URL, such as sqlite:////folder/shop.sqlite.") from None
    if made.get_backend_name() != "sqlite" or not made.database:
        raise ConnectionFailedError(f"Only SQLite files can be copied, not a database of {made.get_backend_name()}.")
    return Path(made.database)
