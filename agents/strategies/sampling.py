"""Several replies to one prompt, drawn in as few requests as the provider allows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agents.contracts import Workbench
from agents.conversation import Asking
from agents.llm.messages import Message, Reply
from agents.strategies.drafting import DraftLine

SAMPLING_TEMPERATURE = 0.8
"""For drafts that are to differ; where one line of drafts goes alone or first, it keeps the profile's own."""


class Samples:
    """Drafts on one prompt, drawn when the first is needed: those that a resumed run has saved are not drawn again."""

    def __init__(self, bench: Workbench, count: int, turn: int) -> None:
        self._bench, self._left, self._turn = bench, count, turn
        self._drawn: deque[Reply] = deque()

    def draft(self, line: DraftLine) -> None:
        line.draft(self._turn, self._next)
        self._left -= 1

    def _next(self, messages: Sequence[Message]) -> Reply:
        if not self._drawn:
            self._drawn.extend(
                self._bench.model.samples(
                    messages,
                    self._left,
                    temperature=SAMPLING_TEMPERATURE,
                    **Asking(self._bench, self._turn).heard,
                )
            )
        return self._drawn.popleft()
