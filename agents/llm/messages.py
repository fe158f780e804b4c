"""What goes to a language model and what comes back: frozen values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or of a sum of calls. `input` includes `cached`. `cost` in US dollars, None when unknown."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        known = [usage.cost for usage in (self, other) if usage.cost is not None]
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            exact_sum(known) if known else None,
        )


def exact_sum(dollars: Iterable[float]) -> float:
    """The sum as one adds on paper: 0.1 and 0.2 are 0.3."""
    return float(sum(Decimal(repr(each)) for each in dollars))


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model named `model`. `finish_reason` is "length" when it was cut at the token limit."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    usage: Usage = Usage()
    seconds: float = 0.0
    first_token_seconds: float = 0.0
    model: str = ""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """How to reach one model. `key` never shows in `repr`.

    Prices are US dollars per million tokens; None means litellm's own. `max_concurrent` requests of one process are
    under way at a time; further ones wait. `constrained` names the parameter by which the server keeps replies to a
    JSON schema; "" where it cannot. `samples` of its drafts vote, in the strategies that draft SQL.
    """

    name: str
    model: str
    api_base: str = ""
    key: str = field(default="", repr=False)
    temperature: float | None = None
    max_output_tokens: int = 4096
    context_tokens: int = 128_000
    size: Literal["capable", "small"] = "capable"
    price_input: float | None = None
    price_cached: float | None = None
    price_output: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    timeout_seconds: float = 120.0
    max_concurrent: int = 32
    constrained: Literal["", "json_schema", "guided_json"] = ""
    samples: int = 1

    @property
    def place(self) -> tuple[str, str]:
        """What its requests share a limit with: the same model at the same address."""
        return self.model, self.api_base
