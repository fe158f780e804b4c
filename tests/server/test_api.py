"""The JSON API with real tokens: ask, follow, fetch, rerun, and no more than the token's person may."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from django.utils import timezone

from agents.models import Cap, LiveThought, Run, Share, Status
from agents.traces import events
from connections import tokens
from connections.models import ApiToken, AuditEntry, Connection, ConnectionGrant, Role, User
from tests.server.conftest import Cast, make_cast, make_run
from tests.server.test_stream import wait_until_nobody_looks
from tests.web import stories

API = "/api/v1"


def bearer(user: User) -> dict[str, str]:
    _, token = tokens.make(user=user, name="Notebook")
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def ada(cast: Cast) -> Client:
    return Client(headers=bearer(cast.ada))


def ask(client: Client, cast: Cast, **more: Any) -> Any:
    given = {"connection": cast.shop.pk, "question": "How many orders?", **more}
    return client.post(f"{API}/runs", given, content_type="application/json")


def test_a_question_is_asked_fetched_and_goes_on(ada: Client, cast: Cast) -> None:
    asked = ask(ada, cast)
    assert asked.status_code == 201
    assert asked.json()["status"] == "queued"
    fetched = ada.get(f"{API}/runs/{asked.json()['id']}").json()
    assert (fetched["question"], fetched["table"]) == ("How many orders?", None)
    follow_up = ask(ada, cast, question="And by month?", follows=asked.json()["id"])
    assert Run.objects.get(pk=follow_up.json()["id"]).question.position == 2
    assert AuditEntry.objects.filter(action="asked", actor=cast.ada).count() == 2


def test_the_answer_comes_with_its_rows_and_can_be_run_again(ada: Client, cast: Cast) -> None:
    run = stories.answered(cast.ada, cast.shop)
    found = ada.get(f"{API}/runs/{run.pk}").json()
    assert found["answer"].startswith("Germany bought most")
    assert found["table"]["rows"][0] == ["Germany", "66482.90", 3118]
    page = ada.get(f"{API}/runs/{run.pk}/rows?offset=6&limit=5").json()
    assert [row[0] for row in page["rows"]] == [None, "Norway"]
    again = ada.post(f"{API}/runs/{run.pk}/rerun")
    assert again.status_code == 201
    assert again.json()["program"] == found["program"]


def followed(user: User, run: Run, end: str = "", **headers: str) -> str:
    """What the stream sends to `user`, up to the message of the kind `end`, else whole."""
    headers = {**bearer(user), **headers}

    async def read() -> str:
        answer = await AsyncClient().get(f"{API}/runs/{run.pk}/events", headers=headers)
        assert answer["Content-Type"] == "text/event-stream", answer.content
        pieces = []
        async for piece in answer.streaming_content:  # type: ignore[attr-defined]
            pieces.append(piece.decode())
            if end and f"event: {end}\n" in pieces[-1]:
                break
        return "".join(pieces)

    try:
        return async_to_sync(read)()
    finally:
        wait_until_nobody_looks()  # the thread's connection belongs to this test's database


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: ")]


def test_a_run_is_followed_by_events_from_any_position_on(own_url: str) -> None:
    cast = make_cast()
    run = stories.answered(cast.ada, cast.shop)
    whole = followed(cast.ada, run)
    kinds = [line[7:] for line in whole.splitlines() if line.startswith("event: ")]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
    rest = followed(cast.ada, run, **{"Last-Event-ID": str(len(kinds) - 1)})
    assert rest.startswith(f"id: {len(kinds)}\nevent: run_finished\n")
    assert followed(cast.ada, run, **{"Last-Event-ID": "9" * 5_000}) == whole


def test_prompts_are_streamed_to_the_asker_and_to_people_who_see_the_connection_alone(own_url: str) -> None:
    cast = make_cast()
    run = stories.answered(cast.ada, cast.shop)
    for person in (cast.ben, cast.cleo):
        Share.objects.create(run=run, person=person)
    whole = told(followed(cast.ada, run))
    assert told(followed(cast.ben, run)) == whole
    shared = told(followed(cast.cleo, run))
    assert [set(event) for event in shared] == [set(event) for event in whole]
    emptied = {(before["kind"], name) for event, before in zip(shared, whole, strict=True)
               for name in before if event[name] != before[name]}  # fmt: skip
    assert emptied == {("schema_shown", "tables"), ("model_call_started", "appended"), ("model_reply", "text"),
                       ("observation", "text")}  # fmt: skip
    assert not any(event[name] for event in shared for kind, name in emptied if event["kind"] == kind)


def test_of_a_reply_that_is_being_written_a_share_shows_the_thought_alone(own_url: str) -> None:
    cast = make_cast()
    run = stories.ask(cast.ada, cast.shop)
    stories.save(run, [*stories.beginning(run), *stories.asked(1)])
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING)
    reply = 'I look at the orders.\n[{"op": "table_ref"'
    LiveThought.objects.create(run=run, turn=1, text=reply)
    Share.objects.create(run=run, person=cast.cleo)
    assert told(followed(cast.ada, run, end="thought"))[-1] == {"turn": 1, "text": reply}
    assert told(followed(cast.cleo, run, end="thought"))[-1] == {"turn": 1, "text": "I look at the orders."}


FAILED = {"type": "ModelError", "message": "No answer.", "detail": "At http://10.0.0.7"}


@pytest.mark.parametrize(
    ("event", "held"),
    [
        (events.SchemaShown(tables=("a",), folded=("b",), tokens=3), {"tables": (), "folded": ()}),
        (events.ModelReply(purpose="agent", conversation="main", text="a", reasoning="b", input=5),
         {"text": "", "reasoning": ""}),
        (events.RunFailed(error=FAILED, turns=2), {"error": {"type": "ModelError", "message": "No answer."}}),
        (events.Calls(thought="I look.", calls=({"op": "table_ref"},)), {}),
    ],
)  # fmt: skip
def test_what_is_held_back_is_emptied_and_the_rest_stays(event: events.Event, held: dict[str, Any]) -> None:
    assert events.without_prompts(event) == replace(event, **held)


def test_a_colleague_who_may_ask_reruns_a_shared_answer_as_a_question_of_their_own(cast: Cast) -> None:
    run = stories.answered(cast.ada, cast.shop)
    Share.objects.create(run=run, person=cast.ben)
    ben = Client(headers=bearer(cast.ben))
    assert ben.post(f"{API}/runs/{run.pk}/rerun").status_code == 404, "a viewer may not"
    cast.team.memberships.filter(user=cast.ben).update(role=Role.ANALYST)
    again = ben.post(f"{API}/runs/{run.pk}/rerun")
    assert (again.status_code, again.json()["program"]) == (201, stories.PROGRAM)
    assert Run.objects.get(pk=again.json()["id"]).question.thread.owner == cast.ben
    assert run.question.runs.count() == 1


def test_a_question_does_not_go_on_with_a_thread_of_another_connection(ada: Client, cast: Cast) -> None:
    depot = Connection.objects.create(name="Depot", kind="sqlite", database="depot.sqlite")
    ConnectionGrant.objects.create(team=cast.team, connection=depot)
    run = stories.answered(cast.ada, cast.shop)
    refused = ask(ada, cast, connection=depot.pk, follows=str(run.pk))
    assert refused.status_code == 422
    assert "goes on with a thread on Shop, and Depot is to be asked" in refused.json()["detail"]
    assert (Run.objects.count(), AuditEntry.objects.filter(action="asked").exists()) == (1, False)


def test_a_viewer_and_a_stranger_get_nothing_of_it(cast: Cast) -> None:
    run = stories.answered(cast.ada, cast.shop)
    for person in (cast.ben, cast.cleo):
        client = Client(headers=bearer(person))
        assert client.get(f"{API}/connections").json() == []
        assert client.get(f"{API}/connections/{cast.shop.pk}/tables").status_code == 404
        assert ask(client, cast).status_code == 404
        for path in ("", "/rows", "/events"):
            assert client.get(f"{API}/runs/{run.pk}{path}").status_code == 404, path
        for path in ("/rerun", "/cancel"):
            assert client.post(f"{API}/runs/{run.pk}{path}").status_code == 404, path
        assert ask(client, cast, follows=str(run.pk)).status_code == 404


@pytest.mark.parametrize("how", ["none", "wrong", "revoked", "expired", "switched off", "generated password"])
def test_a_token_that_does_not_count_opens_nothing(cast: Cast, how: str) -> None:
    headers = bearer(cast.ada)
    if how == "none":
        headers = {}
    elif how == "wrong":
        headers = {"Authorization": "Bearer rsw_guess"}
    elif how == "revoked":
        tokens.revoke(user=cast.ada, token_id=ApiToken.objects.get().pk)
    elif how == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "switched off":
        User.objects.update(is_active=False)
    else:
        User.objects.update(must_change_password=True)
    client = Client(headers=headers)
    assert client.get(f"{API}/connections").status_code == 401
    assert client.get(f"{API}/runs/{make_run(cast).pk}/events").status_code == 401


def test_a_login_in_the_browser_is_no_token(cast: Cast, client: Client) -> None:
    client.force_login(cast.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert ask(client, cast).status_code == 401


def test_limits_are_told_as_429_and_mistakes_as_422(ada: Client, cast: Cast, settings: Any) -> None:
    assert ask(ada, cast, question=" ").json() == {"detail": "Write a question first."}
    assert ask(ada, cast, question=" ").status_code == 422
    settings.QUESTIONS_PER_MINUTE = 1
    assert ask(ada, cast).status_code == 201
    assert ask(ada, cast).status_code == 429
    settings.QUESTIONS_PER_MINUTE = 100
    Cap.objects.create(scope="each", measure="questions", amount=1)
    refused = ask(ada, cast)
    assert refused.status_code == 429
    assert "Your cap of 1 question" in refused.json()["detail"]


def test_nothing_is_there_that_was_never_made(ada: Client) -> None:
    assert ada.get(f"{API}/runs/{uuid4()}").status_code == 404
    assert ada.get(f"{API}/runs/{uuid4()}/rows").status_code == 404


def test_a_token_is_shown_once_and_kept_as_a_hash(cast: Cast, client: Client) -> None:
    client.force_login(cast.ada, backend="django.contrib.auth.backends.ModelBackend")
    page = client.post("/settings/tokens/", {"name": "Notebook", "days": "90"}).content.decode()
    token = page.split('id="t-token" value="')[1].split('"')[0]
    assert tokens.user_of(token) == cast.ada
    assert token not in client.get("/settings/tokens/").content.decode()
    assert token not in str(list(ApiToken.objects.values())) + str(list(AuditEntry.objects.values()))


def test_the_page_and_the_document_name_every_operation(db: None, client: Client) -> None:
    document = json.loads(client.get(f"{API}/openapi.json").content)
    paths = set(document["paths"])
    assert len(paths) == 8
    page = client.get("/api/")
    assert all(path in page.content.decode() for path in paths)
    assert "<script" not in page.content.decode()
    assert "rsw_" in page.content.decode()
