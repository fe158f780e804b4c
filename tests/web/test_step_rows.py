"""The rows at a step are read without a model, by people who may ask the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from agents.models import Run
from connections.pool import close_shared_pools
from tests.web import stories
from tests.web.stories import Cast


@pytest.fixture
def run(people: Cast, settings: Settings, tmp_path: Path) -> Iterator[Run]:
    settings.DATABASES_DIR = tmp_path
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ordered_at DATE, total NUMERIC(12, 2),"
            " status TEXT);"
            "INSERT INTO customers VALUES (1, 'Ann', 'Germany'), (2, 'Bob', NULL);"
            "INSERT INTO orders VALUES (1, 1, '2026-01-05', 12.5, 'done'), (2, 2, '2025-01-05', 7, 'done');"
        )
    yield stories.answered(people.olga, people.shop)
    close_shared_pools()  # the next test's connection has the same number, and another file


@pytest.mark.parametrize(("step", "rows"), [(1, 2), (2, 1), (4, 1), (5, 1), (7, 1)])
def test_the_rows_at_each_step(run: Run, olga: Client, step: int, rows: int) -> None:
    page = olga.get(reverse("step_rows", args=[run.pk, step])).content.decode()
    assert page.count("<tr>") - 1 == rows
    assert f"{rows} of {rows} row" in page


def test_a_missing_file_is_said_in_words(run: Run, olga: Client, tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").unlink()
    assert "cannot be read" in olga.get(reverse("step_rows", args=[run.pk, 1])).content.decode()


def test_who_lost_the_right_to_ask_reads_no_more_rows(run: Run, people: Cast, olga: Client) -> None:
    people.olga.memberships.update(role="viewer")
    page = olga.get(reverse("step_rows", args=[run.pk, 1])).content.decode()
    assert "may not ask" in page
    assert "2026-01-05" not in page


def test_a_step_that_is_not_there_and_another_persons_run_are_404(run: Run, olga: Client, tom: Client) -> None:
    assert olga.get(reverse("step_rows", args=[run.pk, 99])).status_code == 404
    assert olga.get(reverse("step_rows", args=[run.pk, 0])).status_code == 404
    assert tom.get(reverse("step_rows", args=[run.pk, 1])).status_code == 404
