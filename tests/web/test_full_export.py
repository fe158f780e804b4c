"""All rows of an answer, read again from the database: exact, within a limit, and only for those who may ask."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents import full_export
from agents.answers import exports
from agents.answers.cells import Column
from agents.library import sharing
from agents.models import Run
from connections.errors import QueryTimeoutError
from connections.models import AuditEntry, QueryLogEntry
from connections.pool import close_shared_pools
from tests.web import stories
from tests.web.stories import Cast
from tests.web.test_exporting import received

ROWS = 12_345


@pytest.fixture
def run(people: Cast, settings: Settings, tmp_path: Path) -> Iterator[Run]:
    """An answer of which two rows were stored, of many."""
    settings.DATABASES_DIR = tmp_path
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("CREATE TABLE orders (country TEXT, sales NUMERIC, orders INTEGER)")
        rows = ((f"=c{n}", n + 0.5, n) for n in range(ROWS))
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    made = stories.ask(people.olga, people.shop, "Everything")
    stories.keep_result(made, [["=c0", "0.5", 0], ["=c1", "1.5", 1]], truncated=True, row_count=ROWS)
    sql = 'SELECT "country", "sales", "orders" FROM "orders" ORDER BY "orders"'
    people.shop.snapshot.delete()  # read afresh: the file holds other columns than the story
    yield stories.finish(made, answer="All.", answer_result=1, sql=sql)
    close_shared_pools()


def test_all_rows_are_read_again_and_exact(run: Run, olga: Client) -> None:
    page = olga.get(reverse("run", args=[run.pk])).content.decode()
    assert reverse("export_all", args=[run.pk, "csv"]) in page
    body = received(olga.get(reverse("export_all", args=[run.pk, "csv"]))).decode("utf-8-sig")
    written = list(csv.reader(io.StringIO(body)))
    assert len(written) == ROWS + 1
    assert written[1:3] == [["'=c0", "0.5", "0"], ["'=c1", "1.5", "1"]]
    assert written[-1] == [f"'=c{ROWS - 1}", f"{ROWS - 1}.5", str(ROWS - 1)]
    assert QueryLogEntry.objects.get(purpose="export").rows == ROWS
    assert AuditEntry.objects.get(action="exported").detail["format"] == "csv"


@pytest.mark.parametrize("kind", ["json", "parquet", "xlsx"])
def test_the_other_formats_hold_as_much(run: Run, olga: Client, kind: str) -> None:
    body = received(olga.get(reverse("export_all", args=[run.pk, kind])))
    if kind == "json":
        assert len(json.loads(body)["rows"]) == ROWS
    elif kind == "parquet":
        table = pq.read_table(io.BytesIO(body))
        assert table.num_rows == ROWS
        assert table.column("orders").to_pylist()[-1] == ROWS - 1
    else:
        assert body.startswith(b"PK")


def test_the_limit_is_said_in_the_name(run: Run, olga: Client, settings: Settings) -> None:
    settings.EXPORT_ROWS = 2_500
    response = olga.get(reverse("export_all", args=[run.pk, "csv"]))
    assert "first-2500-of-12345-rows" in response.headers["Content-Disposition"]
    lines = received(response).split(b"\r\n")
    assert (len(lines), lines[-2]) == (2_503, b'"Cut here: the first 2,500 of 12,345 rows."')


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "xlsx"])
def test_a_cut_that_nobody_foresaw_is_said_in_the_file(run: Run, olga: Client, settings: Settings, kind: str) -> None:
    settings.EXPORT_ROWS = 2_500
    run.results.update(row_count=3, row_count_exact=False)
    body = received(olga.get(reverse("export_all", args=[run.pk, kind])))
    words = "Cut here: 2,500 rows, and there are more."
    if kind == "csv":
        assert list(csv.reader(io.StringIO(body.decode("utf-8-sig"))))[2_501:] == [[words]]
    elif kind == "json":
        document = json.loads(body)
        assert (len(document["rows"]), document["truncated"], document["note"]) == (2_500, True, words)
    elif kind == "parquet":
        file = pq.ParquetFile(io.BytesIO(body))
        told = file.schema_arrow.metadata
        assert (file.metadata.num_rows, told[b"truncated"], told[b"note"]) == (2_500, b"true", words.encode())
    else:
        sheet = zipfile.ZipFile(io.BytesIO(body)).read("xl/worksheets/sheet1.xml").decode()
        assert (sheet.count("<row "), words in sheet) == (2_502, True)


def test_a_file_that_holds_all_rows_tells_of_no_cut(run: Run, olga: Client) -> None:
    bodies = {kind: received(olga.get(reverse("export_all", args=[run.pk, kind]))) for kind in ("csv", "json")}
    assert b"Cut here" not in b"".join(bodies.values())
    assert json.loads(bodies["json"])["truncated"] is False


def test_all_rows_are_offered_only_where_all_will_be_there(run: Run, olga: Client, settings: Settings) -> None:
    def offered() -> tuple[bool, bool]:
        page = olga.get(f"{reverse('run', args=[run.pk])}?tab=table").content.decode()
        words = ("Read again now, at most", "Export up to"), ("All rows, read again now", "Export all rows")
        found = [all(one in page for one in some) for some in words]
        return found[0], found[1]

    assert offered() == (False, True)
    run.results.update(row_count_exact=False)
    assert offered() == (True, False)
    run.results.update(row_count_exact=True)
    settings.EXPORT_ROWS = ROWS - 1
    assert offered() == (True, False)


def test_a_reader_who_goes_away_ends_the_statement(run: Run, olga: Client) -> None:
    response = olga.get(reverse("export_all", args=[run.pk, "csv"]))
    response.close()
    assert QueryLogEntry.objects.get(purpose="export").error, "the statement has ended, and nobody waits for it"
    assert received(olga.get(reverse("export_all", args=[run.pk, "csv"])))


def test_an_export_that_is_broken_off_is_in_the_query_log(run: Run, people: Cast) -> None:
    rows = full_export.all_rows(people.olga, run)
    next(rows)
    rows.close()
    entry = QueryLogEntry.objects.get(purpose="export")
    assert entry.error
    assert 0 < entry.rows < ROWS


@pytest.mark.timeout(30)
def test_a_statement_that_ends_while_the_reader_is_slow_tells_its_end(
    run: Run, people: Cast, settings: Settings
) -> None:
    settings.EXPORT_SECONDS = 1
    rows = full_export.all_rows(people.olga, run)
    next(rows)
    time.sleep(1.5)  # the time is over, which is seen when the next piece has been taken
    list(itertools.islice(rows, 1_500))
    time.sleep(full_export.PATIENCE * 3)
    with pytest.raises(QueryTimeoutError):
        list(rows)
    assert "seconds" in QueryLogEntry.objects.get(purpose="export").error
    assert not [one for one in threading.enumerate() if one.name == "full-export"]


def test_so_many_exports_of_one_person_are_read_at_once_and_no_more(
    run: Run, people: Cast, olga: Client, tom: Client
) -> None:
    sharing.share(user=people.olga, run=run, people=[people.tom])
    address = reverse("export_all", args=[run.pk, "csv"])
    begun = [olga.get(address) for _ in range(full_export.AT_ONCE)]
    assert {answer.status_code for answer in begun} == {200}
    refused = olga.get(address)
    assert refused.status_code == 429
    assert "2 full exports of yours are being read already" in refused.content.decode()
    others = tom.get(address)
    assert others.status_code == 200, "of another person"
    assert received(begun[0])
    again = olga.get(address)
    assert again.status_code == 200
    for answer in (again, others, begun[1]):
        answer.close()


def test_a_missing_database_is_said_in_words(run: Run, olga: Client, tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").unlink()
    close_shared_pools()
    response = olga.get(reverse("export_all", args=[run.pk, "csv"]))
    assert response.status_code == 422
    assert "could not be read again" in response.content.decode()


def test_whoever_sees_it_and_may_ask_is_offered_all_rows(run: Run, people: Cast, olga: Client, tom: Client) -> None:
    sharing.share(user=people.olga, run=run, people=[people.tom])
    address, page = reverse("export_all", args=[run.pk, "csv"]), reverse("run", args=[run.pk])
    htmx = {"HX-Request": "true"}
    assert all(address in tom.get(page, headers=headers).content.decode() for headers in ({}, htmx))
    assert received(tom.get(address)).count(b"\r\n") == ROWS + 1
    people.tom.memberships.update(role="viewer")
    assert not any(address in tom.get(page, headers=headers).content.decode() for headers in ({}, htmx))


def test_who_may_not_ask_reads_nothing_again(run: Run, people: Cast, olga: Client, tom: Client) -> None:
    assert tom.get(reverse("export_all", args=[run.pk, "csv"])).status_code == 404
    people.olga.memberships.update(role="viewer")
    assert olga.get(reverse("export_all", args=[run.pk, "csv"])).status_code == 404
    assert reverse("export_all", args=[run.pk, "csv"]) not in olga.get(reverse("run", args=[run.pk])).content.decode()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, None, 2**63], ["1", None, str(2**63)]),
        ([1, 2.5], [1.0, 2.5]),
        ([2**60, 2.5], [str(2**60), "2.5"]),
        ([2**60, 1], [2**60, 1]),
        ([1.5, None], [1.5, None]),
        ([True, False], [True, False]),
        (["a\ud800b", "x"], ["a?b", "x"]),
        ([{"hex": "00ff"}, [1, "ü"]], ["00ff", '[1, "ü"]']),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_a_parquet_column_has_the_kind_that_holds_all_its_cells(cells: list[Any], expected: list[Any]) -> None:
    file = b"".join(exports.write("parquet", [Column(0, "c")], [[cell] for cell in cells]))
    assert pq.read_table(io.BytesIO(file)).column("c").to_pylist() == expected
