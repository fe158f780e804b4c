"""The stored rows of an answer as files, for those who may see it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from connections.models import AuditEntry, Connection
from tests.web import stories
from tests.web.stories import Cast


def received(response: Any) -> bytes:
    async def whole() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(whole)()


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet", "json"])
def test_the_owner_takes_the_rows_along(people: Cast, olga: Client, kind: str) -> None:
    run = stories.answered(people.olga, people.shop)
    response = olga.get(reverse("export", args=[run.pk, kind]))
    assert received(response)
    assert f'what-did-each-country-buy-this-year.{kind}"' in response.headers["Content-Disposition"]
    assert AuditEntry.objects.get(action="exported").detail["format"] == kind


def test_an_export_has_every_stored_row_and_says_when_it_is_cut(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    run.results.all().delete()
    rows = [[f"c{number}", "1.50", number] for number in range(5_001)]
    stories.keep_result(run, rows, truncated=True, row_count=9_000)
    response = olga.get(reverse("export", args=[run.pk, "csv"]))
    written = list(csv.reader(io.StringIO(received(response).decode("utf-8-sig"))))
    assert (len(written), written[-2]) == (5_003, ["c5000", "1.50", "5000"])
    assert written[-1] == ["Cut here: the first 5,001 of 9,000 rows."]
    assert "first-5001-of-9000-rows.csv" in response.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("fields", "name", "words"),
    [({"row_count": 10_001, "row_count_exact": False}, "-first-8-of-at-least-10001-rows.json",
      "Cut here: the first 8 of at least 10,001 rows."),
     ({"row_count": None}, "-first-8-rows.json", "Cut here: 8 rows, and there are more.")],
)  # fmt: skip
def test_a_cut_whose_whole_is_not_known_says_what_is(
    people: Cast, olga: Client, fields: dict[str, Any], name: str, words: str
) -> None:
    run = stories.answered(people.olga, people.shop)
    run.results.update(truncated=True, **fields)
    response = olga.get(reverse("export", args=[run.pk, "json"]))
    document = json.loads(received(response))
    assert name in response.headers["Content-Disposition"]
    assert (len(document["rows"]), document["truncated"], document["note"]) == (8, True, words)


def test_why_rows_are_missing_is_said_as_it_is(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    run.results.update(truncated=True, row_count=1_214)
    address = f"{reverse('run', args=[run.pk])}?tab=table"
    page = olga.get(address).content.decode()
    assert ("First 8 of 1,214 rows." in page, "a result keeps 64 MB at most" in page) == (True, True)
    Connection.objects.update(max_rows=8)
    assert "This connection keeps 8 rows a result." in olga.get(address).content.decode()


def test_expired_rows_and_unknown_formats_are_not_there(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    assert olga.get(reverse("export", args=[run.pk, "exe"])).status_code == 404
    run.results.update(file="gone.parquet")
    assert olga.get(reverse("export", args=[run.pk, "csv"])).status_code == 404
    assert "have expired" in olga.get(reverse("run", args=[run.pk])).content.decode()


def test_nobody_else_takes_them(people: Cast, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    assert tom.get(reverse("export", args=[run.pk, "csv"])).status_code == 404


def test_a_table_is_paged_and_sorted_on_the_server(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    run.results.all().delete()
    stories.keep_result(run, [[f"c{number:03}", f"{number}.5", number] for number in range(120)])
    address = reverse("run", args=[run.pk])
    second = olga.get(f"{address}?tab=table&page=2").content.decode()
    assert ">c050<" in second
    assert ">c049<" not in second
    largest = olga.get(f"{address}?tab=table&sort=-1").content.decode()
    assert largest.index(">c119<") < largest.index(">c118<")
    for odd in ("page=0", "page=999", "page=x", "sort=99", "sort=x", "tab=nonsense", "tab=steps&step=99"):
        assert olga.get(f"{address}?tab=table&{odd}").status_code == 200
