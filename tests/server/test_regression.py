"""What verified answers are good for: asking them again with another model, and training data."""

from __future__ import annotations

import json
import sqlite3
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.answers.training import chat_of
from agents.llm.scripted import ScriptedServer
from agents.models import RegressionQuestion, Run, RunEvent, Status, Verification
from agents.traces import events
from connections.models import Connection
from tests.server.conftest import Cast, make_run
from tests.server.five_turns import SHOP

GERMANS = "SELECT COUNT(*) FROM customers WHERE country = 'DE'"
ALL = "SELECT COUNT(*) FROM customers"


@pytest.fixture
def shop(cast: Cast, settings: Any) -> Connection:
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as database:
        database.executescript(SHOP)
    database.close()
    return cast.shop


def verified(connection: Connection, text: str, sql: str) -> None:
    RegressionQuestion.objects.create(connection=connection, text=text, gold_sql=sql)


def evaluate(out: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, reply: str = GERMANS) -> tuple[str, str]:
    """What the command said, and what the model was told."""
    said = StringIO()
    with ScriptedServer([], after=reply) as server:
        for name, value in {"MODEL": "openai/scripted", "API_BASE": server.api_base, "API_KEY": "x"}.items():
            monkeypatch.setenv(f"LLM_{name}", value)
        call_command("evaluate", "--out", str(out), *arguments, stdout=said, stderr=StringIO())
        told = "\n".join(server.prompt(number) for number in range(1, len(server.requests) + 1))
    return said.getvalue(), told


def test_verified_questions_are_asked_again_and_what_changed_is_told(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(shop, "How many customers are German?", GERMANS)
    verified(shop, "How many customers are there?", ALL)
    verified(shop, "Not yet answered?", "")
    said, told = evaluate(tmp_path / "out", monkeypatch, "--verified", "Shop", "--strategy", "zero-shot")
    assert "Shop: 2 questions" in said
    assert "What changed\nzero-shot, openai/scripted: 1 of 2 as verified\n" in said
    assert "How many customers are there?  (another result)" in said
    assert "German" not in said.split("What changed")[1]
    assert "Not yet answered?" not in told
    assert (tmp_path / "out" / "report.md").exists()


def test_what_failed_is_told_with_its_reason(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(shop, "How many customers are German?", GERMANS)
    arguments = ("--verified", "Shop", "--strategy", "zero-shot")
    said, _ = evaluate(tmp_path / "out", monkeypatch, *arguments, reply="DROP TABLE customers")
    assert "How many customers are German?  (failed: " in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--verified", "Nowhere"], "There is no connection 'Nowhere'; there are: Shop."),
     (["--verified", "Shop"], "holds no verified question; 1 wait for a verified answer"),
     (["--verified", "Shop", "--records", "x.jsonl"], "not allowed with argument"),
     ([], "one of the arguments --records --verified is required")],
)  # fmt: skip
def test_what_cannot_be_asked_again_is_refused_in_words(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    verified(shop, "Not yet answered?", "")
    with pytest.raises(CommandError, match=words):
        evaluate(tmp_path / "out", monkeypatch, *arguments)


def test_values_stay_from_the_model_where_the_connection_says_so(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(shop, "How many customers are German?", GERMANS)
    with_names = "SELECT name FROM customers WHERE country = 'Germany'"
    for sends, heard in ((True, True), (False, False)):
        Connection.objects.update(send_values=sends)
        out = tmp_path / str(sends)
        _, told = evaluate(out, monkeypatch, "--verified", "Shop", "--strategy", "lift", reply=with_names)
        assert ("'DE'" in told) is heard
    with pytest.raises(CommandError, match="leave --judge out"):
        evaluate(tmp_path / "out", monkeypatch, "--verified", "Shop", "--judge", "local")


# --- Training data ---------------------------------------------------------------------------------------------------


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
