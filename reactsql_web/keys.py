"""Secrets that nobody set are made once and kept in the data folder, readable by their owner only."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

SECRET_FILE, FERNET_FILE = "secret.key", "fernet.keys"


def secret_key(given: str, folder: Path) -> str:
    return given or _kept(folder / SECRET_FILE, lambda: secrets.token_urlsafe(50))


def fernet_keys(given: list[str], folder: Path) -> list[str]:
    """Keys, newest first. The file holds one a line, so that `rotate_keys` can put a new one on top."""
    keys = given or _kept(folder / FERNET_FILE, lambda: Fernet.generate_key().decode()).split()
    for key in keys:
        try:
            Fernet(key)
        except ValueError as error:
            raise ImproperlyConfigured(
                "FERNET_KEYS: a key cannot be read; each must be 32 url-safe base64-encoded bytes, as "
                '`python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"` prints.'
            ) from error
    return keys


def _kept(path: Path, make: Callable[[], str]) -> str:
    """The text in `path`. Made at first use; of two processes that start together, the first wins for both."""
    if not path.exists():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_once(path, make())
        except OSError as error:
            raise ImproperlyConfigured(
                f"{path} cannot be written ({error.strerror}); make DATA_DIR writable, or set SECRET_KEY and "
                "FERNET_KEYS in the environment."
            ) from error
    return path.read_text().strip()


def _write_once(path: Path, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # mode 600
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
    try:
        os.link(temporary, path)  # atomic, and refuses to replace
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


def put_on_top(file: Path) -> list[str]:
    """Add a new key before the others in `file` and return all, newest first."""
    found = [Fernet.generate_key().decode(), *file.read_text().split()]
    _replace(file, found)
    return found


def keep_newest(file: Path) -> None:
    _replace(file, file.read_text().split()[:1])


def _replace(path: Path, lines: list[str]) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(temporary, path)
