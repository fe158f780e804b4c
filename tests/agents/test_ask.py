"""The command `ask`: one document whatever happens, plain words on a terminal, exit codes that scripts can trust."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from sqlalchemy.engine import make_url

from agents.llm.scripted import ScriptedServer
from tests.agents.runs import SHOP, call, calls, final

COUNT = calls(
    call("table_ref", "o", table="orders"),
    call("aggregate", "n", rel="o", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    call("execute", rel="n"),
    thought="Count the orders.",
)
SCRIPT = [COUNT, final("There are <execute_result_1> orders.")]


@pytest.fixture
def shop(new_database: Callable[[str, str], str]) -> str:
    return new_database("sqlite", SHOP)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    with ScriptedServer(SCRIPT) as server:
        monkeypatch.setenv("LLM_MODEL", "openai/scripted")
        monkeypatch.setenv("LLM_API_BASE", server.api_base)
        monkeypatch.setenv("LLM_API_KEY", "x")
        yield server


def ask(question: str, connection: str, **options: Any) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("ask", question, connection=connection, stdout=out, stderr=err, **{"strategy": "react", **options})
    assert isinstance(ended.value.code, int)
    return ended.value.code, out.getvalue(), err.getvalue()


def document(question: str, connection: str, **options: Any) -> tuple[int, dict[str, Any]]:
    status, out, _ = ask(question, connection, json=True, **options)
    return status, json.loads(out)


@pytest.mark.usefixtures("scripted")
def test_the_document_holds_what_the_specification_names(shop: str) -> None:
    status, told = document("How many orders?", shop)
    assert status == 0
    assert (told["status"], told["answer"]) == ("answered", "There are 4 orders.")
    assert told["table"]["columns"] == [{"name": "n", "type": told["table"]["columns"][0]["type"]}]
    assert told["table"]["rows"] == [[4]]
    assert told["sql"].startswith("SELECT")
    assert [one["op"] for one in told["program"]] == ["table_ref", "aggregate", "execute"]
    assert (told["turns"], told["calls"], told["error"]) == (2, 3, None)
    assert set(told["usage"]) == {"input", "cached", "output", "cost"}
    kinds = [event["kind"] for event in told["events"]]
    assert kinds[:2] == ["run_started", "schema_shown"]
    assert kinds[-3:] == ["final", "shaped", "run_finished"]


@pytest.mark.usefixtures("scripted")
def test_the_terminal_shows_the_turns_in_plain_words(shop: str) -> None:
    status, out, _ = ask("How many orders?", shop)
    assert status == 0
    for words in ("Turn 1", "Count the orders.", "orders", "There are 4 orders.", "SELECT", "2 turns, 3 calls"):
        assert words in out
    assert "<think>" not in out


def test_the_fallback_of_the_environment_answers_when_the_model_refuses_its_key(
    shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer([], after={"status": 401}) as main, ScriptedServer(SCRIPT) as spare:
        for name, server in (("LLM", main), ("LLM_FALLBACK", spare)):
            monkeypatch.setenv(f"{name}_MODEL", f"openai/{name.lower()}")
            monkeypatch.setenv(f"{name}_API_BASE", server.api_base)
            monkeypatch.setenv(f"{name}_API_KEY", "x")
        status, told = document("How many orders?", shop)
    assert (status, told["answer"]) == (0, "There are 4 orders.")
    assert (len(main.requests), len(spare.requests)) == (1, 2)
    (retry,) = [event for event in told["events"] if event["kind"] == "retry"]
    assert "openai/llm_fallback answers instead" in retry["reason"]
    assert {event["model"] for event in told["events"] if event["kind"] == "model_reply"} == {"openai/llm_fallback"}


def test_one_turn_and_one_call_are_said_as_one(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer([final("There are no salaries here.", unanswerable=True)]) as server:
        for name, value in {"MODEL": "openai/scripted", "API_BASE": server.api_base, "API_KEY": "x"}.items():
            monkeypatch.setenv(f"LLM_{name}", value)
        _, out, _ = ask("Which salaries?", shop)
    assert "\n1 turn, 0 calls, " in out


def test_evidence_reaches_the_model(shop: str, scripted: ScriptedServer) -> None:
    document("How many orders?", shop, evidence="An order is a row of orders.")
    assert "An order is a row of orders." in scripted.prompt(1)


BAD_QUESTIONS = [("", "empty"), ("   \n", "empty"), ("x" * 20_000, "20,000 characters")]


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(("question", "words"), BAD_QUESTIONS, ids=["empty", "blank", "too long"])
def test_a_question_that_cannot_be_asked(shop: str, question: str, words: str) -> None:
    status, told = document(question, shop)
    assert (status, told["status"], told["error"]["type"]) == (1, "failed", "QuestionError")
    assert words in told["error"]["message"]


BAD_ADDRESSES = [
    ("sqlite:////no/such/file.sqlite", "no/such/file.sqlite"),
    ("oracle://somewhere/else", "not a kind of database"),
    ("postgresql+psycopg://nobody:hunter2@127.0.0.1:1/none", "127.0.0.1"),
]


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(("url", "words"), BAD_ADDRESSES)
def test_a_database_that_cannot_be_reached(url: str, words: str) -> None:
    status, told = document("How many?", url)
    assert (status, told["status"], told["error"]["type"]) == (1, "failed", "ConnectionFailedError")
    assert words in told["error"]["message"]
    assert "hunter2" not in json.dumps(told)


@pytest.mark.usefixtures("scripted")
def test_a_login_that_the_database_refuses(new_database: Callable[[str, str], str]) -> None:
    address = make_url(new_database("postgresql", "")).set(username="no_such_role", password="hunter2")  # noqa: S106
    status, told = document("How many?", address.render_as_string(hide_password=False))
    assert (status, told["status"], told["error"]["type"]) == (1, "failed", "LoginRefusedError")
    assert "no_such_role" in told["error"]["message"]
    assert "hunter2" not in json.dumps(told)


@pytest.mark.usefixtures("scripted")
def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    path.write_text("These are notes, and no database at all. " * 50)
    status, told = document("How many?", f"sqlite:///{path}")
    assert (status, told["status"]) == (1, "failed")
    assert told["error"]["type"].endswith("Error")
    assert told["error"]["message"]


@pytest.mark.django_db
@pytest.mark.usefixtures("scripted")
def test_a_connection_that_is_not_stored() -> None:
    status, told = document("How many?", "sales")
    assert (status, told["error"]["type"]) == (1, "ConnectionFailedError")
    assert "no connection 'sales'" in told["error"]["message"]


def test_a_cloud_model_without_a_key(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LLM_API_BASE", "LLM_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_MODEL", "anthropic/claude-sonnet-4-6")
    status, told = document("How many?", shop)
    assert (status, told["error"]["type"]) == (1, "ModelAuthenticationError")
    assert "key" in told["error"]["message"]


def test_no_model_at_all_says_how_to_get_one(shop: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("LLM_MODEL", "LLM_API_BASE", "LLM_API_KEY", "LOCAL_MODEL_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOCAL_MODEL_CACHE", str(tmp_path))
    monkeypatch.setenv("LOCAL_MODEL_PORT", "1")
    status, told = document("How many?", shop)
    assert (status, told["error"]["type"]) == (1, "LocalModelError")
    assert "local_model fetch" in told["error"]["message"]


@pytest.mark.usefixtures("scripted")
def test_an_unusable_setting_is_named(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_TEMPERATURE", "hot")
    status, told = document("How many?", shop)
    assert (status, told["error"]["type"]) == (1, "ProfileError")
    assert "LLM_TEMPERATURE" in told["error"]["message"]


@pytest.mark.usefixtures("scripted")
def test_a_failed_run_on_a_terminal_says_why_on_standard_error(new_database: Callable[[str, str], str]) -> None:
    status, out, err = ask("", new_database("sqlite", SHOP))
    assert (status, out) == (1, "")
    assert "The question is empty" in err
