"""The ReAct loop: think, act, observe, until a final signal or the budget ends. Read this first.

A reply of the model holds a thought and then either a batch of calls or the final signal. Calls run in order; the first
failure skips the rest; the model is told what happened and which handles live, and thinks again. Whatever costs or
shows goes through the journal (traces/journal.py), so the same code that answers a question also continues one whose
worker died: the recorded part is played back, and the engine is only brought to the state that it had.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agents import prompts
from agents.batch import Batch, Call, Performer
from agents.contracts import Workbench
from agents.conversation import Conversation
from agents.errors import MalformedReplyError, RepeatedBatchError, UnknownResultError, UnreadableRepliesError
from agents.llm.parsing import Parsed, read_reply
from agents.traces.events import CallResult, Calls, Final, ModelReply, Observation

UNREADABLE_IN_A_ROW = 3
SAME_BATCH_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Prepared:
    """The calls to run for those that a model wrote, and the SQL that they stand for ("" where there is none).

    `notes` say what was read differently, `doubts` where the SQL itself leaves open what it means.
    """

    calls: Sequence[Call]
    sql: str = ""
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class Actions(Performer, Protocol):
    """What the model may do, by name, and how it is done."""

    @property
    def names(self) -> Collection[str]: ...

    def reply_schema(self) -> Mapping[str, Any] | None:
        """What the next reply must fit, for a model whose server can see to that; None where nothing is asked."""

    def prepare(self, calls: Sequence[Call]) -> Prepared:
        """Turn the calls of a reply into those that are run; must not reach the database."""


class ReActLoop:
    """One run of the loop over a conversation that has been opened. `run` may be called once."""

    def __init__(self, bench: Workbench, conversation: Conversation, actions: Actions) -> None:
        self._bench, self._conversation, self._actions = bench, conversation, actions
        self._unreadable = 0
        self._batch, self._meaning, self._repeats = "", "", 0
        self._whole = False  # whether all calls of that batch succeeded
        self._unfounded = False

    def run(self) -> Final:
        """The final signal that the model sent. Raises the RunStoppedError that ended the run without one."""
        while True:
            turn = self._bench.budget.start_turn()
            reply = self._conversation.ask(turn, schema=self._actions.reply_schema())
            outcome = self._react(turn, reply)
            if isinstance(outcome, Final):
                return outcome
            self._conversation.tell(outcome.text)

    def _react(self, turn: int, reply: ModelReply) -> Final | Observation:
        try:
            parsed = read_reply(
                reply.text,
                reasoning=reply.reasoning,
                finish_reason=reply.finish_reason,
                operations=self._actions.names,
            )
        except MalformedReplyError as error:
            return self._unread(turn, error)
        self._unreadable = 0
        return self._act(turn, parsed) if parsed.calls else self._finish(turn, parsed)

    def _unread(self, turn: int, error: MalformedReplyError) -> Observation:
        self._unreadable += 1
        if self._unreadable == UNREADABLE_IN_A_ROW:
            raise UnreadableRepliesError(
                f"The model's replies could not be read {UNREADABLE_IN_A_ROW} times in a row.", f"The last one: {error}"
            )
        number, most = str(self._unreadable), str(UNREADABLE_IN_A_ROW)
        told = f"{type(error).__name__}: {error}"
        return self._tell(turn, prompts.render("react_unreadable", error=told, number=number, most=most))

    def _act(self, turn: int, parsed: Parsed) -> Observation:
        if self._seen_before(parsed.calls):
            return self._tell(turn, prompts.render("react_repeated"))
        journal, limit = self._bench.journal, self._bench.budget.limits.calls_per_turn
        prepared = self._actions.prepare(parsed.calls[:limit])
        notes = (*parsed.notes, *prepared.notes, *prepared.doubts)
        journal.emit(
            Calls(turn=turn, thought=parsed.thought, calls=tuple(prepared.calls), notes=notes, sql=prepared.sql)
        )
        batch = Batch(self._bench, self._actions, turn)
        results = batch.run(prepared.calls, parsed.calls[limit:])
        self._whole = all(one.state == "ok" for one in results)
        return batch.observe(results, notes, self._reminder(results) + self._warning())

    def _reminder(self, results: Sequence[CallResult]) -> str:
        """That a result may be the answer: small models go on and on."""
        made = [one.result for one in results if one.result is not None]
        if not made or self._bench.model.profile.size != "small":
            return ""
        return "\n\n" + prompts.render("react_result", number=str(made[-1]))

    def _seen_before(self, calls: Sequence[Call]) -> bool:
        batch, meaning = json.dumps(calls, sort_keys=True), _meaning(calls)
        again = batch == self._batch or (self._whole and meaning == self._meaning)
        self._repeats = self._repeats + 1 if again else 1
        self._batch, self._meaning = batch, meaning
        if self._repeats == SAME_BATCH_IN_A_ROW:
            raise RepeatedBatchError(f"The model sent the same batch of calls {SAME_BATCH_IN_A_ROW} times in a row.")
        return self._repeats > 1

    def _finish(self, turn: int, parsed: Parsed) -> Final | Observation:
        final = parsed.final
        assert final is not None  # a reply that was read holds calls or a final signal
        known = [result.number for result in self._bench.engine.results]
        there = f"Results so far: {', '.join(map(str, known))}." if known else "Nothing was executed so far."
        if missing := [number for number in final.cites if number not in known]:
            what = f"there is no <execute_result_{missing[0]}>. {there} Cite one that exists, or execute first."
            return self._tell(turn, f"{UnknownResultError.__name__}: {what}")
        if final.outcome == "answered" and not known and not self._unfounded:
            self._unfounded = True
            return self._tell(
                turn,
                f"{there} An answer rests on a result: execute and cite it. If the question is ambiguous or the data "
                "hold no answer, send the final signal that says so. Sent once more, this text stands as your answer.",
            )
        return self._bench.journal.emit(
            Final(
                turn=turn,
                text=final.text,
                outcome=final.outcome,
                cites=final.cites,
                options=final.options,
                notes=parsed.notes,
            )
        )

    def _tell(self, turn: int, text: str) -> Observation:
        return self._bench.journal.emit(Observation(turn=turn, text=text + self._warning()))

    def _warning(self) -> str:
        """What ends an observation that is read on the last turn but one."""
        return "\n\n" + prompts.render("react_last_turn") if self._bench.budget.turns_left == 2 else ""


def _meaning(calls: Sequence[Call]) -> str:
    """The batch without the handles that it gives: in a batch that succeeded they change nothing, but for two cases. A
    table may be opened twice, to be joined with itself, and what takes the name of a relation that it read would read
    another one next time.
    """
    if all(call.get("op") == "table_ref" for call in calls):
        return json.dumps(calls, sort_keys=True)
    told: list[Any] = []
    places: dict[str, str] = {}
    read: set[str] = set()
    for place, call in enumerate(calls):
        args, out = call.get("args"), call.get("out")
        if isinstance(args, Mapping):
            read |= {value for value in args.values() if isinstance(value, str) and value not in places}
            args = {name: places.get(value, value) if isinstance(value, str) else value for name, value in args.items()}
        told.append({**call, "args": args, "out": "" if isinstance(out, str) else out})
        if isinstance(out, str):
            places[out] = f"what call {place} gives"
    return json.dumps(calls if read & places.keys() else told, sort_keys=True)
