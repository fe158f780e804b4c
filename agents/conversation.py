"""An append-only talk with the model. Its calls go through the journal: what was answered once is never asked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from agents.contracts import Workbench
from agents.errors import ModelRefusedError
from agents.llm.messages import Message, Reply, Role, Usage
from agents.traces.events import ModelCallStarted, ModelReply, Retry, ThoughtDelta


class Conversation:
    """Messages are only ever added, so the prefix stays byte-identical and provider caches hit.

    `name` tells the conversations of one run apart in its trace, `branch` the parallel line of work it belongs to.
    """

    def __init__(
        self,
        bench: Workbench,
        opening: Sequence[Message],
        *,
        purpose: str,
        name: str,
        branch: str = "",
        temperature: float | None = None,
    ) -> None:
        self._bench, self._purpose, self._name, self._branch = bench, purpose, name, branch
        self._temperature = temperature
        self._messages: list[Message] = list(opening)
        self._told = 0  # messages that the trace holds already
        self._schema_declined = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """All that was said so far, as it was sent; another conversation may go on from here."""
        return tuple(self._messages)

    def tell(self, text: str) -> None:
        """Add what the model is told next."""
        self._messages.append(Message("user", text))

    def transcript(self, characters: int = 6_000) -> str:
        """What the model said so far, the last of it where it is long."""
        said = "\n\n".join(message.content for message in self._messages if message.role == "assistant")
        return said[-characters:]

    def ask(
        self,
        turn: int,
        sample: Callable[[Sequence[Message]], Reply] | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """The model's next reply, counted against the budget; from `sample` where replies are drawn several at a time,
        and kept to `schema` where there is one.

        Raises BudgetExhaustedError where none may be asked for, and what `ModelClient.complete` raises.
        """
        journal = self._bench.journal
        started = journal.once(ModelCallStarted, lambda: self._started(turn), branch=self._branch)
        self._messages[self._told :] = [_message(said) for said in started.appended]  # as sent, on a resumed run too
        ask = sample or (lambda messages: self._complete(messages, turn, schema))
        self._bench.engine.access.door.rest()
        reply = journal.once(ModelReply, lambda: self._replied(turn, ask(self._messages)), branch=self._branch)
        self._messages.append(Message("assistant", reply.text.strip() or "(no text)"))  # providers refuse empty ones
        self._told = len(self._messages)
        self._bench.budget.spend(usage_of(reply))
        return reply

    def _started(self, turn: int) -> ModelCallStarted:
        self._bench.budget.admit()
        return ModelCallStarted(
            turn=turn,
            purpose=self._purpose,
            conversation=self._name,
            appended=tuple({"role": m.role, "content": m.content} for m in self._messages[self._told :]),
            prompt_hash=hashlib.sha256(self._messages[0].content.encode()).hexdigest()[:16],
        )

    def _complete(self, messages: Sequence[Message], turn: int, schema: Mapping[str, Any] | None) -> Reply:
        asking = Asking(self._bench, turn, self._branch)

        def written(text: str) -> None:
            self._bench.budget.check_seconds()
            self._bench.journal.live(ThoughtDelta(turn=turn, branch=self._branch, text=text))

        ask = partial(
            self._bench.model.complete, messages, on_delta=written, temperature=self._temperature, **asking.heard
        )
        try:
            return ask(schema=None if self._schema_declined else schema)
        except ModelRefusedError:
            if schema is None or self._schema_declined:
                raise
            self._schema_declined = True  # not every server that keeps replies to a schema takes every schema
            asking.retry(1, 0.0, "the request was declined, and is made without the schema for its reply")
            return ask()

    def _replied(self, turn: int, reply: Reply) -> ModelReply:
        return ModelReply(
            turn=turn,
            purpose=self._purpose,
            conversation=self._name,
            text=reply.text,
            reasoning=reply.reasoning,
            finish_reason=reply.finish_reason,
            input=reply.usage.input,
            cached=reply.usage.cached,
            output=reply.usage.output,
            cost=reply.usage.cost,
            seconds=reply.seconds,
            first_token_seconds=reply.first_token_seconds,
            model=reply.model,
        )


class Asking:
    """What goes on while a model is asked: requests that bring no reply are told and paid for, and the time passes."""

    def __init__(self, bench: Workbench, turn: int, branch: str = "") -> None:
        self._bench, self._turn, self._branch = bench, turn, branch
        self._lost = Usage()

    @property
    def heard(self) -> Mapping[str, Any]:
        """What the client takes for it. Raises BudgetExhaustedError, through it, when the run's time is up."""
        return {"on_retry": self.retry, "on_lost": self._lose, "meanwhile": self._bench.budget.check_seconds}

    def retry(self, attempt: int, wait: float, reason: str) -> None:
        lost, self._lost = self._lost, Usage()
        self._bench.journal.emit(
            Retry(
                turn=self._turn,
                branch=self._branch,
                attempt=attempt,
                wait=wait,
                reason=reason,
                input=lost.input,
                output=lost.output,
                cost=lost.cost,
            )
        )

    def _lose(self, usage: Usage) -> None:
        self._bench.budget.spend(usage)
        self._lost += usage


def _message(said: Mapping[str, str]) -> Message:
    return Message(cast(Role, said["role"]), said["content"])


def usage_of(reply: ModelReply) -> Usage:
    return Usage(reply.input, reply.cached, reply.output, reply.cost)
