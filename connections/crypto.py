"""Encryption of stored secrets. The first key of FERNET_KEYS encrypts; all of them decrypt."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class Secret(str):
    """A text that `repr` does not show: reports of exceptions list the variables of every frame."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret()" if self else "''"


def encrypt(text: str) -> bytes:
    """The sealed form of `text`; b"" for ""."""
    return _box().encrypt(text.encode()) if text else b""


def decrypt(sealed: bytes | memoryview) -> Secret:
    return Secret(_with_known_key(_box().decrypt, sealed).decode() if sealed else "")


def rotate(sealed: bytes | memoryview) -> bytes:
    """The same secret sealed with the newest key."""
    return _with_known_key(_box().rotate, sealed) if sealed else b""


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FERNET_KEYS])


def _with_known_key(act: Callable[[bytes], bytes], sealed: bytes | memoryview) -> bytes:
    try:
        return act(bytes(sealed))
    except InvalidToken as error:
        raise ImproperlyConfigured(
            "A stored secret was encrypted with a key that is not in FERNET_KEYS; "
            "add that key, or enter the secret again."
        ) from error
