"""The JSON API says what it leaves out, and what is wrong, as its document promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client

from agents.models import Run, Status, StoredResult
from agents.traces import events
from connections import snapshots
from connections.catalogue import Catalogue, Table
from connections.models import User
from tests.server.conftest import Cast, make_cast
from tests.server.test_api import API, ask, bearer, followed, told
from tests.web import stories


@pytest.fixture
def ada(cast: Cast) -> Client:
    return Client(headers=bearer(cast.ada))


def long_answer(cast: Cast, **fields: Any) -> Run:
    """An answer of 1,200 stored rows."""
    run = stories.ask(cast.ada, cast.shop)
    rows = [[str(number)] for number in range(1_200)]
    stories.keep_result(run, rows, [{"name": "n", "type": "TEXT"}], **fields)
    return stories.finish(run, answer="These.", answer_result=1)


def test_rows_that_are_not_in_a_reply_are_told_of(ada: Client, cast: Cast) -> None:
    run = long_answer(cast)
    table = ada.get(f"{API}/runs/{run.pk}").json()["table"]
    counted = {name: table[name] for name in ("shown", "stored", "of", "count", "truncated", "expired")}
    assert counted == {
        "shown": 100, "stored": 1_200, "of": 1_200, "count": 1_200, "truncated": False, "expired": False,
    }  # fmt: skip
    assert table["note"] == "These are rows 1 to 100 of 1,200 that are stored; ask for others by offset."
    rest = ada.get(f"{API}/runs/{run.pk}/rows?offset=1000&limit=5000").json()
    assert (rest["rows"][0], rest["shown"], rest["offset"]) == (["1000"], 200, 1_000)
    assert "rows 1,001 to 1,200 of 1,200" in rest["note"]
    assert "None of the 1,200 stored rows" in ada.get(f"{API}/runs/{run.pk}/rows?offset=5000").json()["note"]


@pytest.mark.parametrize(
    ("count", "exact", "words"),
    [(2_000_000, True, "of 2,000,000 are"), (1_201, False, "of at least 1,201 are"), (None, False, "of more are")],
)
def test_an_answer_that_is_not_stored_whole_says_of_how_many(
    ada: Client, cast: Cast, count: int | None, exact: bool, words: str
) -> None:
    run = long_answer(cast, row_count=count, row_count_exact=exact, truncated=True)
    table = ada.get(f"{API}/runs/{run.pk}").json()["table"]
    assert (table["truncated"], table["of"]) == (True, count)
    assert f"The first 1,200 rows {words} stored" in table["note"]


def test_a_whole_answer_needs_no_note_and_an_expired_one_has_one(ada: Client, cast: Cast) -> None:
    run = stories.answered(cast.ada, cast.shop)
    found = ada.get(f"{API}/runs/{run.pk}").json()
    assert (found["table"]["note"], found["page"]) == ("", f"{site.SITE_URL}/runs/{run.pk}")
    (Path(site.RESULTS_DIR) / StoredResult.objects.get().file).unlink()
    table = ada.get(f"{API}/runs/{run.pk}").json()["table"]
    assert (table["expired"], table["rows"], table["stored"]) == (True, [], 8)
    assert "deleted for their age" in table["note"]


def test_tables_come_in_pages_with_their_number(ada: Client, cast: Cast) -> None:
    snapshots.keep(cast.shop, Catalogue("sqlite", tuple(Table(f"t{number:04}", columns=()) for number in range(250))))
    address = f"{API}/connections/{cast.shop.pk}/tables"
    pages = [ada.get(f"{address}?offset={offset}") for offset in (0, 200)]
    assert [len(page.json()) for page in pages] == [200, 50]
    assert {page.headers["X-Total-Count"] for page in pages} == {"250"}
    assert ada.get(f"{address}?search=T001").headers["X-Total-Count"] == "10"


def test_every_problem_is_a_sentence_that_the_document_names(ada: Client, cast: Cast) -> None:
    for given, words in (({"connection": cast.shop.pk}, "question: Field required."), ([], "connection: Field req")):
        refused = ada.post(f"{API}/runs", given, content_type="application/json")
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith(words)
    broken = ada.post(f"{API}/runs", "{", content_type="application/json")
    assert (broken.status_code, type(broken.json()["detail"])) == (400, str)
    assert "connection: " in ask(ada, cast, connection="Shop").json()["detail"]
    assert ada.get(f"{API}/connections/{cast.shop.pk}/tables?offset=x").json()["detail"].startswith("offset: ")
    document = json.loads(ada.get(f"{API}/openapi.json").content)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert {"200", "201"} & set(operation["responses"]), path
            assert "401" in operation["responses"], path
            if (path, method) == (f"{API}/runs", "post"):
                assert {"400", "404", "422", "429"} <= set(operation["responses"])


@pytest.mark.parametrize("is_staff", [False, True])
def test_a_providers_own_words_are_streamed_to_administrators_alone(own_url: str, is_staff: bool) -> None:
    cast = make_cast()
    User.objects.filter(pk=cast.ada.pk).update(is_staff=is_staff)
    run = stories.ask(cast.ada, cast.shop)
    error = {"type": "ModelAuthenticationError", "message": "Refused.", "detail": "bad key at http://10.0.0.7"}
    stories.save(run, [*stories.beginning(run), events.RunFailed(error=error)])
    stories.finish(run, Status.FAILED, error="Refused.", error_type="ModelAuthenticationError")
    end = told(followed(cast.ada, run))[-1]
    assert end["error"]["message"] == "Refused."
    assert ("detail" in end["error"]) is is_staff
