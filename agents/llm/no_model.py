"""The model of a run that asks none: a saved program."""

from __future__ import annotations

from typing import Any

from agents.errors import ModelUnavailableError
from agents.llm.messages import ModelProfile, Reply


class NoModel:
    """Refuses every request, so that a run without a model cannot spend anything by mistake."""

    profile = ModelProfile(name="no model", model="")

    def complete(self, *messages: Any, **options: Any) -> Reply:
        raise _refusal()

    def samples(self, *messages: Any, **options: Any) -> tuple[Reply, ...]:
        raise _refusal()

    def cancel(self) -> None:
        """Nothing is ever under way."""


def _refusal() -> ModelUnavailableError:
    return ModelUnavailableError("This run asks no model.")
