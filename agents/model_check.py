"""Ask a language model for one small reply, for real, and see whether it keeps to the protocol."""

from __future__ import annotations

from dataclasses import dataclass

from agents.errors import ModelAccessError, ModelCorrectableError
from agents.llm.messages import Message, ModelProfile, Usage
from agents.llm.parsing import read_reply, read_sql

PROTOCOL = (
    "Reply with exactly two things and nothing else: <think>one short sentence</think>, then this JSON array: "
    '[{"op": "table_ref", "args": {"table": "customers"}}]'
)
DRAFT = "Reply with one SQL statement and nothing else: count the rows of the table customers."


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """`ok` when the model answered and its answer can be used; `text` says what happened and what to do."""

    ok: bool
    text: str
    reply: str = ""
    seconds: float = 0.0
    usage: Usage = Usage()


def check_model(profile: ModelProfile) -> ModelCheck:
    from agents.llm.client import LiteLLMClient  # late: litellm takes seconds to import

    drafts = profile.size == "small"
    try:
        reply = LiteLLMClient(profile).complete([Message("user", DRAFT if drafts else PROTOCOL)], max_tokens=300)
    except ModelAccessError as error:
        return ModelCheck(ok=False, text=f"{error} {error.detail}".strip())
    try:
        if drafts:
            read_sql(reply.text)
        else:
            read_reply(reply.text, reasoning=reply.reasoning, finish_reason=reply.finish_reason,
                       operations=("table_ref",))  # fmt: skip
    except ModelCorrectableError as error:
        text = f"The model answers, but not as the protocol asks: {error} Choose another model, or size small."
        return ModelCheck(False, text, reply.text, reply.seconds, reply.usage)
    return ModelCheck(True, "The model answers and keeps to the protocol.", reply.text, reply.seconds, reply.usage)
