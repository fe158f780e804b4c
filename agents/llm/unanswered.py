"""Requests that brought no reply: one that was stopped, ran out of time or broke off is paid for all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.llm.messages import Usage
from agents.llm.replies import BrokenStreamError


class Unanswered:
    """What the request that is under way used so far, by `estimate` of the text that came. One call may make several
    requests, one after another; `take` may be called from another thread."""

    def __init__(self, estimate: Callable[[str], Usage]) -> None:
        self._estimate = estimate
        self._heard: list[str] | None = None

    @contextmanager
    def request(self, tell: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Around one request: what it tells goes to `tell`, too. What was refused, or never reached, used nothing."""
        heard: list[str] = []

        def noted(text: str) -> None:
            heard.append(text)
            tell(text)

        self._heard = heard
        try:
            yield noted
        except Exception as error:
            if not (heard or isinstance(error, BrokenStreamError) or "Timeout" in type(error).__name__):
                self._heard = None
            raise
        else:
            self._heard = None

    def take(self) -> Usage | None:
        """What was used for nothing, told once; None where all that was sent was answered or refused."""
        heard, self._heard = self._heard, None
        return None if heard is None else self._estimate("".join(heard))
