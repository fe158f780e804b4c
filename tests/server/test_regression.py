"""Verified answers as training data."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.answers.training import chat_of
from agents.models import Run, RunEvent, Status, Verification
from agents.traces import events
from connections.models import Connection
from tests.server.conftest import Cast, make_run


def asked(text: str, **given: Any) -> events.ModelCallStarted:
    messages = ({"role": "user", "content": text},)
    return events.ModelCallStarted(**{"purpose": "agent", "conversation": "agent", "appended": messages, **given})


def replied(text: str, **given: Any) -> events.ModelReply:
    return events.ModelReply(**{"purpose": "agent", "conversation": "agent", "text": text, **given})


def result(number: int, branch: str) -> events.CallResult:
    return events.CallResult(index=0, call={"op": "execute"}, state="ok", result=number, branch=branch)


SYSTEM = {"role": "system", "content": "You answer."}
TALKS: dict[str, tuple[list[events.Event], list[tuple[str, str]]]] = {
    "the messages between the replies, without the shaper's": (
        [asked("", appended=(SYSTEM, {"role": "user", "content": "How many?"})), replied("[]"), asked("3 rows."),
         replied('{"final": "3"}'), asked("Shape it.", purpose="shaper"), replied("3.", purpose="shaper")],
        [("system", "You answer."), ("user", "How many?"), ("assistant", "[]"), ("user", "3 rows."),
         ("assistant", '{"final": "3"}')],
    ),
    "reasoning that came apart stands before its reply": (
        [asked("How many?"), replied("[]", reasoning="Count."), asked("3"),
         replied("<think>So</think>3", reasoning="So")],
        [("user", "How many?"), ("assistant", "<think>Count.</think>[]"), ("user", "3"),
         ("assistant", "<think>So</think>3")],
    ),
    "the draft that was elected, not those beside it": (
        [asked("How many?", branch="a"), asked("How many?", branch="b"), replied("SELECT 1", branch="a"),
         result(1, "a"), replied("SELECT 2", branch="b"), result(2, "b"), events.Shaped(text="Two.", result=2)],
        [("user", "How many?"), ("assistant", "SELECT 2")],
    ),
    "a call that was not answered is left out": (
        [asked("How many?"), replied("[]"), asked("Go on.")], [("user", "How many?"), ("assistant", "[]")],
    ),
    "nothing where no model was asked": ([result(1, ""), events.Shaped(text="One.", result=1)], []),
}  # fmt: skip


@pytest.mark.parametrize("name", TALKS)
def test_a_chat_holds(name: str) -> None:
    saved, messages = TALKS[name]
    assert [(one["role"], one["content"]) for one in chat_of(saved)] == messages


def test_verified_answers_are_written_as_chats_for_their_owner_only(cast: Cast, tmp_path: Path) -> None:
    for text in ("Verified?", "Open?", "Program?"):
        run = make_run(cast, status=Status.ANSWERED)
        Run.objects.filter(pk=run.pk).update(answer=text)
        if text != "Open?":
            Verification.objects.create(run=run)
        said = () if text == "Program?" else (asked(text), replied("SELECT 1"))
        for position, event in enumerate(said, start=1):
            data = {name: value for name, value in events.to_json(event).items() if name not in ("kind", "position")}
            RunEvent.objects.create(run=run, position=position, kind=event.kind, at=timezone.now(), data=data)
    out, words = tmp_path / "chats.jsonl", StringIO()
    out.write_text("something older")
    out.chmod(0o644)
    call_command("export_traces", "--out", str(out), stdout=words)
    assert words.getvalue().strip() == f"1 verified answer written to {out}; 1 more asked no model."
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"messages": [{"role": "user", "content": "Verified?"}, {"role": "assistant", "content": "SELECT 1"}]}
    ]
    assert out.stat().st_mode & 0o77 == 0
    Connection.objects.create(name="Depot", kind="sqlite", database="depot.sqlite")
    call_command("export_traces", "--out", str(out), "--connection", "Depot", stdout=StringIO())
    assert out.read_text() == ""
    with pytest.raises(CommandError, match="there are: Depot, Shop"):
        call_command("export_traces", "--out", str(out), "--connection", "Nowhere")
