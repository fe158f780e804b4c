"""The JSON API with real tokens: ask, follow, fetch, rerun, and no more than the token's person may."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from django.utils import timezone

from agents.models import Cap, Run
from connections import tokens
from connections.models import ApiToken, AuditEntry, User
from tests.server.conftest import Cast, make_cast, make_run
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


def test_a_run_is_followed_by_events_from_any_position_on(own_url: str) -> None:
    cast = make_cast()
    run = stories.answered(cast.ada, cast.shop)
    headers = bearer(cast.ada)

    async def read(**more: str) -> str:
        answer = await AsyncClient().get(f"{API}/runs/{run.pk}/events", headers={**headers, **more})
        assert answer["Content-Type"] == "text/event-stream", answer.content
        return b"".join([piece async for piece in answer.streaming_content]).decode()  # type: ignore[attr-defined]

    whole = async_to_sync(read)()
    kinds = [line[7:] for line in whole.splitlines() if line.startswith("event: ")]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
    rest = async_to_sync(read)(**{"Last-Event-ID": str(len(kinds) - 1)})
    assert rest.startswith(f"id: {len(kinds)}\nevent: run_finished\n")


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
