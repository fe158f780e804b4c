"""The model of a run that asks none: a saved program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.errors import ModelUnavailableError
from agents.llm.messages import Message, ModelProfile, Reply


class NoModel:
    """Refuses every request, so that a run without a model cannot spend anything by mistake."""

    profile = ModelProfile(name="no model", model="")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        on_delta: Callable[[str], None] | None = None,
        on_retry: Callable[[int, float, str], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        raise _refusal()

    def samples(
        self,
        messages: Sequence[Message],
        count: int,
        *,
        on_retry: Callable[[int, float, str], None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> tuple[Reply, ...]:
        raise _refusal()

    def cancel(self) -> None:
        """Nothing is ever under way."""


def _refusal() -> ModelUnavailableError:
    return ModelUnavailableError("This run asks no model.")
