"""What a provider can do to a run, over HTTP: each fault ends as it should, is told to whom it concerns, and the next
run of the same worker goes well."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents import runner, selectors, services, tasks
from agents.llm.scripted import ScriptedServer, Turn
from agents.models import LanguageModel, Run, Status
from connections.models import User
from tests.server.conftest import Cast, make_cast
from tests.server.five_turns import FIVE_TURNS, SHOP

SECRET = "sk-proj-0123456789abcdef"  # noqa: S105
Fault = str | Turn
Ask = Callable[..., tuple[Run, ScriptedServer]]

TOO_LONG = Turn(status=400, code="context_length_exceeded", message="maximum context length is 8192 tokens")
RESET = Turn(content="half a thought " * 20, cut_after=3, reset=True)
STALL = Turn(content="half a thought " * 20, cut_after=3, stall=30)


pytestmark = pytest.mark.parametrize("own_url", ["sqlite"], indirect=True)


@pytest.fixture
def people(own_url: str) -> Cast:
    return make_cast()


@pytest.fixture
def ask(people: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """`ask(turns)`: a run that has been worked on, and the server that answered it."""
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)
    settings.DATABASES_DIR.mkdir()
    with closing(sqlite3.connect(settings.DATABASES_DIR / "shop.sqlite")) as shop:
        shop.executescript(SHOP)
    with ExitStack() as stack:

        def asked(turns: list[Fault], **fields: Any) -> tuple[Run, ScriptedServer]:
            server = stack.enter_context(ScriptedServer(turns))
            LanguageModel.objects.all().delete()
            model = LanguageModel(name="scripted", model="openai/scripted", api_base=server.api_base, is_default=True,
                                  timeout_seconds=1, **fields)  # fmt: skip
            services.save_language_model(actor=None, language_model=model, key=SECRET)
            run = services.ask(user=people.ada, connection=people.shop, text="Sales in Germany?", strategy="react")
            runner.run_one(run.pk)
            run.refresh_from_db()
            return run, server

        yield asked


def kinds(run: Run) -> list[str]:
    return [event.kind for event in selectors.events_of(run)]


def card(page: str) -> str:
    return page.split('<section class="failure"')[1].split("</section>")[0]


@pytest.mark.parametrize(
    ("fault", "retries", "turns"),
    [
        pytest.param(Turn(status=429, headers={"Retry-After": "1"}), 1, 5, id="429 with Retry-After"),
        pytest.param(Turn(status=500, message="oops"), 1, 5, id="500"),
        pytest.param(RESET, 1, 5, id="reset in mid-stream"),
        pytest.param(STALL, 1, 5, id="stream that stalls"),
        pytest.param("", 0, 6, id="empty reply"),
        pytest.param("word " * 8_192, 0, 6, id="40 KB of prose"),
        pytest.param(f"<think>{'hm ' * 13_000}</think>{FIVE_TURNS[0]}", 0, 6, id="40 KB before the calls"),
    ],
)
def test_what_passes_costs_a_retry_or_a_turn(ask: Ask, fault: Fault, retries: int, turns: int) -> None:
    run, server = ask([FIVE_TURNS[0], fault, *FIVE_TURNS[1:]])
    assert (run.status, run.error) == (Status.ANSWERED, "")
    assert kinds(run).count("retry") == retries
    assert run.turns == turns
    told = [len(message["content"]) for body in server.requests for message in body["messages"]
            if message["role"] == "user"]  # fmt: skip
    assert max(told) < 12_000, "a long reply is not sent back"


@pytest.mark.parametrize(
    ("faults", "error", "requests", "analyst", "admin"),
    [
        pytest.param([Turn(status=401, message=f"Incorrect API key provided: {SECRET}")], "ModelAuthenticationError", 2,
                     "refused its key", "Incorrect API key provided", id="401"),
        pytest.param([TOO_LONG], "ContextTooLongError", 2, "do not fit into its context", "8192 tokens", id="overflow"),
        pytest.param([STALL, STALL], "ModelUnavailableError", 3, "sent nothing for 1 seconds", "", id="stalls twice"),
        pytest.param([Turn(status=429, headers={"Retry-After": "3600"}, message="quota of org-7")],
                     "ModelRateLimitedError", 2, "asked too often", "quota of org-7", id="429 for an hour"),
        pytest.param([Turn(status=404, message="no model x at 10.1.2.3")], "ModelRefusedError", 2, "declined",
                     "10.1.2.3", id="404"),
        pytest.param(["", "", ""], "UnreadableRepliesError", 4, "could not be read", "", id="three empty replies"),
    ],
)  # fmt: skip
def test_what_does_not_pass_ends_the_run_and_is_told_to_whom_it_concerns(
    ask: Ask, people: Cast, client: Client, faults: list[Fault], error: str, requests: int, analyst: str, admin: str
) -> None:
    run, server = ask([FIVE_TURNS[0], *faults])
    assert (run.status, run.error_type, len(server.requests)) == (Status.FAILED, error, requests)
    assert kinds(run)[-1] == "run_failed"
    assert "call_result" in kinds(run), "what was found until then is kept"
    page = reverse("thread", args=[run.question.thread_id])
    client.force_login(people.ada)
    seen = client.get(page).content.decode()
    assert analyst in seen
    assert SECRET not in seen
    assert not admin or admin not in card(seen)
    User.objects.filter(pk=people.ada.pk).update(is_staff=True)
    assert admin in card(client.get(page).content.decode())
    again, _ = ask(list(FIVE_TURNS))
    assert again.status == Status.ANSWERED, "the worker lives"
