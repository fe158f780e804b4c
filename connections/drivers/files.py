"""Database files: inside one configured folder only, existing only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from connections.errors import ConnectionFailedError


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """`name` as the URL gives it; relative to `root` where there is one, which it must then not leave."""

    name: str
    root: Path | None = None

    def resolve(self) -> Path:
        """The real path, links followed. Raises ConnectionFailedError; never creates anything."""
        if not self.name or self.name == ":memory:":
            raise ConnectionFailedError("A database in memory holds nothing; name a file.")
        if "\0" in self.name:
            raise ConnectionFailedError("The name of the database file holds a NUL character.")
        path = (self.root / self.name if self.root else Path(self.name)).resolve()
        if self.root and not path.is_relative_to(self.root.resolve()):
            raise ConnectionFailedError(
                f"{self.name} is outside the folder for database files; only files inside it can be opened."
            )
        if path.is_dir():
            raise ConnectionFailedError(f"{self.name} is a folder, not a database file.")
        if not path.is_file():
            where = " in the folder for database files" if self.root else ""
            raise ConnectionFailedError(f"There is no database file {self.name}{where}. Check its name.")
        return path
