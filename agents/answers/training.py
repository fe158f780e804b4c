"""A run as training data: the talk with the model that led to the answer, in the chat format of fine-tuning."""

from __future__ import annotations

from collections.abc import Sequence

from agents.traces import events

Chat = list[dict[str, str]]


def chat_of(saved: Sequence[events.Event]) -> Chat:
    """The messages, as {"role", "content"}, of the line of work whose result is the answer, up to its last reply; none
    where no model was asked."""
    branch = _branch_of_the_answer(saved)
    messages: Chat = []
    for event in saved:
        if event.branch != branch or getattr(event, "purpose", "") != "agent":
            continue
        if isinstance(event, events.ModelCallStarted):
            messages += [dict(message) for message in event.appended]
        elif isinstance(event, events.ModelReply):
            messages.append({"role": "assistant", "content": _spoken(event)})
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    return messages


def _branch_of_the_answer(saved: Sequence[events.Event]) -> str:
    shaped = next((event for event in reversed(saved) if isinstance(event, events.Shaped)), None)
    numbers = [] if shaped is None else [shaped.result] if shaped.result else list(shaped.sources)
    made = (event for event in saved if isinstance(event, events.CallResult) and event.result in numbers[-1:])
    return next((event.branch for event in made), "")


def _spoken(reply: events.ModelReply) -> str:
    """What a provider sent as reasoning apart stands where the protocol has it: before the reply."""
    apart = reply.reasoning and "<think>" not in reply.text
    return f"<think>{reply.reasoning}</think>{reply.text}" if apart else reply.text
