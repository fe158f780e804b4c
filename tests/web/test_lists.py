"""Lists: questions with search and filters, deleting, connections and their catalogue, settings."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from agents.answers.suggestions import suggest, words
from agents.models import Status, Thread
from connections.browsing import PAGE, browse
from connections.catalogue import Catalogue, Column, Table
from tests.web import stories
from tests.web.stories import Cast


def test_search_and_filters_find_questions_and_answers(people: Cast, olga: Client) -> None:
    stories.answered(people.olga, people.shop, "Sales by country")
    failed = stories.ask(people.olga, people.shop, "Lifetime of customers")
    stories.finish(failed, Status.FAILED, error="Used up.")

    def found(query: str) -> tuple[bool, bool]:
        page = olga.get(f"{reverse('history')}?{query}").content.decode().split('id="question-list"')[1]
        return ">Sales by country<" in page, ">Lifetime of customers<" in page

    assert found("") == (True, True)
    assert found("q=country") == (True, False)
    assert found("q=germany") == (True, False)
    assert found("status=failed") == (False, True)
    assert found(f"connection={people.shop.pk}&q=lifetime") == (False, True)
    assert found("q=switzerland") == (False, False)


@pytest.mark.parametrize("query", ["page=999", "page=x", "status=nonsense", "connection=x", "connection=99999"])
def test_odd_filters_do_no_harm(people: Cast, olga: Client, query: str) -> None:
    stories.answered(people.olga, people.shop)
    assert olga.get(f"{reverse('history')}?{query}").status_code == 200


def test_deleting_takes_ones_own_threads_only(people: Cast, olga: Client, tom: Client) -> None:
    own = stories.answered(people.olga, people.shop).question.thread
    toms = stories.answered(people.tom, people.shop).question.thread
    olga.post(reverse("history"), {"thread": [str(own.pk), str(toms.pk), "nonsense"]})
    assert set(Thread.objects.values_list("pk", flat=True)) == {toms.pk}


@pytest.mark.parametrize("page", ["home", "history", "run", "trace"])
def test_a_page_needs_few_queries(
    people: Cast, olga: Client, page: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(3):
        run = stories.answered(people.olga, people.shop)
    arguments = [run.pk] if page in ("run", "trace") else []
    with django_assert_max_num_queries(18):
        assert olga.get(reverse(page, args=arguments)).status_code == 200


def wide(number: int) -> Table:
    columns = (Column("id", "bigint", "integer"), Column(f"amount_{number}", "numeric", "decimal"))
    return Table(f"table_{number:04d}", "erp", columns=columns)


def test_a_long_thread_needs_no_more_than_one_query_more_for_each_question(
    people: Cast, olga: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    run = stories.answered(people.olga, people.shop)
    for number in range(6):
        later = stories.follow(run, f"Only for part {number}")
        stories.keep_result(later)
        stories.finish(later, answer="So it is.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    with django_assert_max_num_queries(18 + 6):
        page = olga.get(reverse("run", args=[run.pk]) + "?tab=sql").content.decode()
    assert len(re.findall(r'tab-sql"[^>]*aria-selected="true"', page)) == 1


BIG = Catalogue("postgresql", tuple(wide(number) for number in range(5_000)))


def test_five_thousand_tables_are_paged_and_searched_by_table_and_column() -> None:
    everything = browse(BIG)
    assert (everything.matching, len(everything.tables), everything.pages) == (5_000, PAGE, 100)
    by_name = browse(BIG, search="table_0042")
    assert [found.table.name for found in by_name.tables] == ["table_0042"]
    by_column = browse(BIG, search="amount_42")
    assert by_column.column_matches == by_column.matching == 111
    assert browse(BIG, page="7", table="erp.table_0001").chosen == BIG.tables[1]
    assert browse(BIG, search="nothing like it").chosen is None


def test_the_catalogue_shows_keys_and_notes(people: Cast, olga: Client) -> None:
    people.shop.catalogue_notes.create(table="orders", column="total", text="Euro, with VAT")
    page = olga.get(f"{reverse('schema', args=[people.shop.pk])}?table=orders").content.decode()
    assert "Refers to customers.id" in page
    assert "Euro, with VAT" in page


def test_questions_are_suggested_from_the_catalogue() -> None:
    found = suggest(stories.SHOP)
    assert found[0] == "Which customers have the most orders?"
    assert len(found) == len(set(found)) <= 6
    assert (words("order_lines"), words("OrderLines")) == ("order lines", "order lines")


def test_the_theme_goes_round_and_leads_back(people: Cast, olga: Client) -> None:
    response = olga.post(reverse("theme"), {"theme": "dark", "next": "/questions/"})
    assert response.headers["Location"] == "/questions/"
    assert 'data-theme="dark"' in olga.get(reverse("home")).content.decode()
    assert olga.post(reverse("theme"), {"theme": "system", "next": "https://evil.example/"}).headers["Location"] == "/"
    assert "data-theme" not in olga.get(reverse("home")).content.decode()


def test_settings_refuse_an_unknown_time_zone(people: Cast, olga: Client) -> None:
    response = olga.post(reverse("settings"), {"theme": "", "time_zone": "Mars/Olympus", "shortcuts": "on"})
    assert response.status_code == 422
    assert olga.post(reverse("settings"), {"theme": "", "time_zone": "Europe/Berlin"}).status_code == 302
    people.olga.refresh_from_db()
    assert (people.olga.time_zone, people.olga.shortcuts) == ("Europe/Berlin", False)


def test_times_are_the_readers_own(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    type(run.question).objects.filter(pk=run.question.pk).update(created_at="2026-03-29T22:30:00Z")
    people.olga.time_zone = "Asia/Tokyo"
    people.olga.save()
    assert "30 Mar 2026, 07:30" in olga.get(reverse("run", args=[run.pk])).content.decode()
    people.olga.time_zone = "Nowhere/Atall"
    people.olga.save()
    assert "29 Mar 2026, 22:30" in olga.get(reverse("run", args=[run.pk])).content.decode()
