"""`ask` and `evaluate --verified` on stored connections: they are asked as their runs are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.llm.profiles import is_local
from agents.llm.scripted import ScriptedServer
from agents.management.stored import model_chain
from agents.models import RegressionQuestion
from connections.address import fields_of
from connections.models import CatalogueNote, Connection, QueryLogEntry
from connections.network import NetworkPolicy
from tests.server.conftest import make_cast
from tests.server.five_turns import SHOP, calls, op

pytestmark = pytest.mark.parametrize("own_url", ["sqlite"], indirect=True)

GERMANS = "SELECT COUNT(*) FROM customers WHERE country = 'DE'"
ALL = "SELECT COUNT(*) FROM customers"
LIST = [calls("All of them.", op("table_ref", "c", table="customers"), op("execute", rel="c")),
        '{"final": "Here: <execute_result_1>."}']  # fmt: skip
WAREHOUSE = """
CREATE SCHEMA sales; CREATE SCHEMA payroll;
CREATE TABLE sales.customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE payroll.salaries (id INTEGER PRIMARY KEY, amount INTEGER);
INSERT INTO sales.customers VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
"""
NAMES = "SELECT name FROM sales.customers"


@pytest.fixture
def shop(own_url: str, settings: Any) -> Connection:
    settings.DATABASES_DIR.mkdir()
    with sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite") as database:
        database.executescript(SHOP)
    database.close()
    return make_cast().shop


@pytest.fixture
def warehouse(own_url: str, new_database: Callable[[str, str], str]) -> Connection:
    fields = fields_of(new_database("postgresql", WAREHOUSE))
    del fields["password"]  # the tests' server wants none
    return Connection.objects.create(
        name="Warehouse", schemas=["sales"], max_rows=2, notes="A customer is a firm.", **fields
    )


def scripted(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    for name, value in {"MODEL": "openai/scripted", "API_BASE": server.api_base, "API_KEY": "x"}.items():
        monkeypatch.setenv(f"LLM_{name}", value)


def told(server: ScriptedServer) -> str:
    """All that the model was told."""
    return "\n".join(server.prompt(number) for number in range(1, len(server.requests) + 1))


# --- ask -------------------------------------------------------------------------------------------------------------


def ask(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], str]:
    """The document, and what the model was told."""
    said = StringIO()
    with ScriptedServer(LIST) as server:
        scripted(monkeypatch, server)
        with pytest.raises(SystemExit):
            call_command("ask", "Who?", "--connection", "Shop", "--strategy", "react", "--json", stdout=said)
        return json.loads(said.getvalue()), told(server)


@pytest.mark.parametrize("sends", [True, False])
def test_a_question_in_the_terminal_sends_values_only_where_the_connection_does(
    shop: Connection, monkeypatch: pytest.MonkeyPatch, sends: bool
) -> None:
    Connection.objects.update(send_values=sends)
    document, heard = ask(monkeypatch)
    assert document["table"]["rows"][0] == [1, "Ann", "DE"], "whoever asks sees the rows"
    assert ("Ann" in heard) is sends
    entry = QueryLogEntry.objects.get(purpose="execute")
    assert (entry.connection, entry.rows) == (shop, 3)


def test_a_connection_that_is_switched_off_is_asked_by_no_command(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(shop, "How many customers are German?", GERMANS)
    Connection.objects.update(is_active=False)
    document, heard = ask(monkeypatch)
    assert (document["error"]["type"], heard) == ("ConnectionFailedError", "")
    assert "Shop is switched off. Tick “May be asked”" in document["error"]["message"]
    with pytest.raises(CommandError, match="Shop is switched off"):
        evaluate(tmp_path / "out", monkeypatch, "--verified", "Shop")
    assert not QueryLogEntry.objects.exists()


# --- evaluate --verified ---------------------------------------------------------------------------------------------


def verified(connection: Connection, text: str, sql: str) -> None:
    RegressionQuestion.objects.create(connection=connection, text=text, gold_sql=sql)


def evaluate(out: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, reply: str = GERMANS) -> tuple[str, str]:
    """What the command said, and what the model was told."""
    said = StringIO()
    with ScriptedServer([], after=reply) as server:
        scripted(monkeypatch, server)
        call_command("evaluate", "--out", str(out), *arguments, stdout=said, stderr=StringIO())
        return said.getvalue(), told(server)


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


def test_records_of_a_regression_set_say_whether_a_model_may_see_values(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified(shop, "How many customers are German?", GERMANS)
    Connection.objects.update(send_values=False)
    file = tmp_path / "set.jsonl"
    call_command("regression_set", "Shop", "--out", str(file), stdout=StringIO())
    arguments = ("--records", str(file), "--strategy", "lift")
    with_names = "SELECT name FROM customers WHERE country = 'Germany'"
    _, heard = evaluate(tmp_path / "out", monkeypatch, *arguments, reply=with_names)
    assert "'DE'" not in heard
    with pytest.raises(CommandError, match="leave --judge out"):
        evaluate(tmp_path / "out", monkeypatch, *arguments, "--judge", "local")


def test_verified_questions_are_asked_with_the_connections_schemas_limits_and_notes_and_logged(
    warehouse: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    CatalogueNote.objects.create(connection=warehouse, table="customers", text="Only those who pay.")
    verified(warehouse, "Who are the customers?", NAMES)
    out = tmp_path / "out"
    _, heard = evaluate(out, monkeypatch, "--verified", "Warehouse", "--strategy", "zero-shot", reply=NAMES)
    assert "A customer is a firm." in heard
    assert "Only those who pay." in heard
    assert "salaries" not in heard
    (trace,) = (json.loads(path.read_text()) for path in out.glob("traces/*/*.json"))
    assert (len(trace["table"]["rows"]), trace["table"]["truncated"]) == (2, True)
    logged = QueryLogEntry.objects.filter(connection=warehouse).values_list("purpose", flat=True)
    assert {"execute", "gold"} <= set(logged)


def test_verified_questions_are_asked_on_copies_with_decoys_under_the_connections_limits_and_notes(
    shop: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Connection.objects.update(max_rows=2, notes="A customer is a firm.")
    verified(shop, "Who are the customers?", "SELECT name FROM customers")
    arguments = ("--verified", "Shop", "--strategy", "zero-shot", "--decoys", "L1")
    _, heard = evaluate(tmp_path / "out", monkeypatch, *arguments, reply="SELECT name FROM customers")
    assert "customers_details" in heard
    assert "A customer is a firm." in heard
    (trace,) = (json.loads(path.read_text()) for path in (tmp_path / "out").glob("traces/*/*.json"))
    assert len(trace["table"]["rows"]) == 2


def test_verified_questions_are_asked_over_the_connections_tls_and_networks_alone(
    warehouse: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    verified(warehouse, "Who are the customers?", NAMES)
    arguments = ("--verified", "Warehouse", "--strategy", "zero-shot")
    Connection.objects.filter(pk=warehouse.pk).update(tls="verify-full")
    with pytest.raises(CommandError, match="(?i)tls|certificate|encrypt"):
        evaluate(tmp_path / "out", monkeypatch, *arguments, reply=NAMES)
    Connection.objects.filter(pk=warehouse.pk).update(tls="prefer")
    settings.DATABASE_NETWORKS = NetworkPolicy.from_text("203.0.113.0/24")
    with pytest.raises(CommandError, match="in a network that connections may not reach"):
        evaluate(tmp_path / "out", monkeypatch, *arguments, reply=NAMES)


def test_a_litellm_id_is_asked_at_the_environments_address_whatever_model_it_names(own_url: str) -> None:
    place = {"LLM_API_BASE": "http://127.0.0.1:1/v1", "LLM_TEMPERATURE": "0"}
    for env in (place, {**place, "LLM_MODEL": "openai/other"}):
        (named,) = model_chain("openai/named", env)
        assert (named.name, named.model, named.api_base, named.temperature) == (
            "openai/named", "openai/named", "http://127.0.0.1:1/v1", 0.0,
        )  # fmt: skip
    assert is_local(model_chain("local", {**place, "LOCAL_MODEL_PORT": "9000"})[0])


def test_the_environments_prices_are_those_of_its_own_model(own_url: str) -> None:
    prices = {"LLM_PRICE_INPUT": "0.25", "LLM_PRICE_OUTPUT": "2"}
    mini = {**prices, "LLM_MODEL": "openai/gpt-5-mini"}
    found = [
        model_chain(name, env)[0].price_input
        for name, env in (("openai/gpt-5-mini", mini), ("openai/gpt-5", mini), ("openai/gpt-5", prices))
    ]
    assert found == [0.25, None, 0.25]
