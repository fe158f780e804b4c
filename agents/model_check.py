"""Ask a language model for two small replies, for real: whether it keeps to the protocol, and whether it reads all of a
long prompt. Some servers cut what does not fit their own context and say nothing."""

from __future__ import annotations

from dataclasses import dataclass

from agents.errors import MalformedReplyError, ModelAccessError, ModelCorrectableError
from agents.llm.messages import Message, ModelProfile, Reply, Usage
from agents.llm.parsing import read_reply, read_sql
from agents.llm.parsing.reply import refuse_cut

PROTOCOL = (
    "Reply with exactly two things and nothing else: <think>one short sentence</think>, then this JSON array: "
    '[{"op": "table_ref", "args": {"table": "customers"}}]'
)
DRAFT = "Reply with one SQL statement and nothing else: count the rows of the table customers."

WORD = "maroon-4821"
MOST_TOKENS, MOST_TOKENS_SMALL = 12_000, 4_000
"""Of the probe: as much as a schema takes, or what a small model reads in reasonable time."""

_FILLER = "The table of orders has one row for each order, with its customer and its total.\n"
_FILLER_TOKENS = 18  # at least what any tokenizer makes of it, less a few


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

    client = LiteLLMClient(profile)
    try:
        first = client.complete([Message("user", DRAFT if profile.size == "small" else PROTOCOL)])
        fault = _broken_protocol(profile, first)
        if fault:
            return ModelCheck(False, fault, first.text, first.seconds, first.usage)
        prompt, tokens = _long_prompt(profile)
        second = client.complete([Message("user", prompt)])
    except ModelAccessError as error:
        return ModelCheck(ok=False, text=f"{error} {error.detail}".strip())
    seconds, usage = first.seconds + second.seconds, first.usage + second.usage
    if fault := _cut_prompt(profile, second, tokens):
        return ModelCheck(False, fault, second.text, seconds, usage)
    text = f"The model answers, keeps to the protocol, and reads prompts of {tokens:,} tokens to their beginning."
    return ModelCheck(True, text, first.text, seconds, usage)


def _cut_reply(profile: ModelProfile, reply: Reply) -> str:
    """A run gives a reply the same room, so one that is cut here would be cut there."""
    try:
        refuse_cut(reply.finish_reason)
    except MalformedReplyError:
        return (
            f"The model answers, but its reply was cut off ({reply.finish_reason}) after {reply.usage.output:,} "
            f"tokens; it may have {profile.max_output_tokens:,}. Allow longer replies here, or let it think less, for "
            'example with {"reasoning_effort": "low"}.'
        )
    return ""


def _broken_protocol(profile: ModelProfile, reply: Reply) -> str:
    if cut := _cut_reply(profile, reply):
        return cut
    try:
        if profile.size == "small":
            read_sql(reply.text, finish_reason=reply.finish_reason)
        else:
            read_reply(reply.text, reasoning=reply.reasoning, finish_reason=reply.finish_reason,
                       operations=("table_ref",))  # fmt: skip
    except ModelCorrectableError as error:
        return f"The model answers, but not as the protocol asks: {error} Choose another model, or size small."
    return ""


def _long_prompt(profile: ModelProfile) -> tuple[str, int]:
    """A prompt whose first line is asked for at its end, and about how many tokens it has."""
    most = MOST_TOKENS_SMALL if profile.size == "small" else MOST_TOKENS
    tokens = max(500, min(most, (profile.context_tokens - profile.max_output_tokens) * 3 // 4))
    filler = _FILLER * (tokens // _FILLER_TOKENS)
    return (
        f"Remember this word: {WORD}.\n\n{filler}\nWhat was the word in the first line of this message? "
        "Reply with the word and nothing else."
    ), tokens


def _cut_prompt(profile: ModelProfile, reply: Reply, tokens: int) -> str:
    if WORD in reply.text.lower():
        return ""
    if cut := _cut_reply(profile, reply):
        return cut
    read = f"it counted {reply.usage.input:,}" if reply.usage.input else "it did not say how many it read"
    return (
        f"The model keeps to the protocol, but it did not see the beginning of a prompt of about {tokens:,} tokens "
        f"({read}). Its server seems to cut prompts without a word: give the server a context of "
        f"{profile.context_tokens:,} tokens (num_ctx for Ollama, --ctx-size for llama.cpp, --max-model-len for vLLM), "
        "or enter the true context size here."
    )
