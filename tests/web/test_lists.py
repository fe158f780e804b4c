"""Lists: questions with search and filters, deleting, connections and their catalogue, settings."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from agents.answers.suggestions import suggest, words
from agents.library import collecting, feedback, sharing
from agents.models import Status, Thread
from connections import snapshots
from connections.browsing import PAGE, Listing, Wanted, browse
from connections.catalogue import Catalogue, Column, Table
from connections.models import User
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


@pytest.mark.parametrize("query", [
    "page=999", "page=x", "status=nonsense", "connection=x", "connection=99999", "person=x", "team=0", "cost=much",
    "show=nothing", "q=%27+OR+1%3D1+--", "q=%22%2A%22", "q=%3A%26+%21", "page=999999999999999999999",
    "person=99999999999999999999", "connection=99999999999999999999", "team=99999999999999999999", "person=-1",
])  # fmt: skip
def test_odd_filters_do_no_harm(people: Cast, olga: Client, query: str) -> None:
    stories.answered(people.olga, people.shop)
    assert olga.get(f"{reverse('history')}?{query}").status_code == 200


def test_deleting_takes_ones_own_threads_only(people: Cast, olga: Client, tom: Client) -> None:
    own = stories.answered(people.olga, people.shop).question.thread
    toms = stories.answered(people.tom, people.shop).question.thread
    runs = [str(thread.questions.get().runs.get().pk) for thread in (own, toms)]
    olga.post(reverse("history"), {"action": "delete", "run": [*runs, "nonsense"]})
    assert set(Thread.objects.values_list("pk", flat=True)) == {toms.pk}


def test_what_was_deleted_and_what_stayed_is_said(people: Cast, olga: Client) -> None:
    runs = [stories.answered(people.olga, people.shop), stories.answered(people.olga, people.shop)]
    runs.append(stories.ask(people.olga, people.shop))
    given = {"action": "delete", "run": [str(run.pk) for run in runs]}
    page = olga.post(reverse("history"), given, follow=True).content.decode()
    assert "Deleted 2 questions, each with its thread." in page
    assert "1 question stays, because a run is at work." in page


def test_the_list_tells_which_of_ones_own_others_have(people: Cast, olga: Client, manager: User) -> None:
    private, verified, shared, revoked = (stories.answered(people.olga, people.shop) for _ in range(4))
    feedback.judge(user=people.olga, run=verified, good=True)
    feedback.verify(user=manager, run=verified)
    stories.finish(stories.follow(verified, "Only for Germany"), answer="So it is.")
    for run in (shared, revoked):
        sharing.share(user=people.olga, run=run, people=[people.tom])
    sharing.revoke(user=people.olga, share=revoked.shares.get())
    collected = stories.answered(people.olga, people.shop)
    place = collecting.create_collection(user=people.olga, team=people.team, name="Reports")
    collecting.save(user=people.olga, run=collected, collection=place, title="Sales")
    page = olga.get(reverse("history")).content.decode()
    rows = {key: "data-others" in row for key, row in re.findall(r'<tr id="question-([^"]+)">(.*?)</tr>', page)}
    expected = {private: False, verified: True, shared: True, revoked: False, collected: True}
    assert {run: rows[str(run.question_id)] for run in expected} == expected
    follow_up = verified.question.thread.questions.get(position=2)
    assert rows[str(follow_up.pk)] is True, "the whole thread goes"
    assert "They lose it, too." in page


@pytest.mark.parametrize("page", ["home", "history", "run", "trace"])
def test_a_page_needs_few_queries(
    people: Cast, olga: Client, page: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(3):
        run = stories.answered(people.olga, people.shop)
    arguments = [run.pk] if page in ("run", "trace") else []
    with django_assert_max_num_queries(12):
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


def test_five_thousand_tables_are_paged_and_searched_by_table_and_column(people: Cast) -> None:
    stored = snapshots.keep(people.shop, BIG)

    def found(**wanted: str) -> Listing:
        return browse(stored, {}, Wanted(**wanted))

    assert (found().matching, len(found().tables), found().pages) == (5_000, PAGE, 100)
    by_name = found(search="TABLE_0042")
    assert [table.qualified for table in by_name.tables] == ["erp.table_0042"]
    by_column = found(search="amount_42")
    assert by_column.column_matches == by_column.matching == 111
    chosen = found(page="7", table="erp.table_0001").detail
    assert chosen is not None
    assert chosen.table == BIG.tables[1]
    assert found(search="nothing like it").detail is None
    assert found(schema="erp").matching == 5_000
    assert found(schema="elsewhere").matching == 0


def test_a_name_is_found_before_a_column_and_signs_of_a_pattern_mean_themselves(people: Cast) -> None:
    tables = (Table("a", columns=(Column("zip_code", "text"),)), Table("zip_codes"), Table("percent%"))
    stored = snapshots.keep(people.shop, Catalogue("sqlite", tables))
    found = browse(stored, {}, Wanted(search="zip_c"))
    assert [table.qualified for table in found.tables] == ["zip_codes", "a"]
    assert [table.qualified for table in browse(stored, {}, Wanted(search="%")).tables] == ["percent%"]


def test_a_table_of_fifteen_hundred_columns_is_paged_and_searched(people: Cast, olga: Client) -> None:
    columns = tuple(Column(f"measure_{number:04d}", "numeric") for number in range(1_500))
    snapshots.keep(people.shop, Catalogue("sqlite", (Table("widest", columns=columns),)))
    address = reverse("schema", args=[people.shop.pk])

    def shown(query: str) -> list[str]:
        return re.findall(r"measure_\d{4}", olga.get(f"{address}?{query}").content.decode())

    assert (len(shown("")), len(shown("columns=15")), shown("columns=15")[-1]) == (100, 100, "measure_1499")
    assert shown("c=_0777") == ["measure_0777"]
    assert "No column matches" in olga.get(f"{address}?c=nothing").content.decode()


def test_the_catalogue_shows_keys_and_notes(people: Cast, olga: Client) -> None:
    people.shop.catalogue_notes.create(table="orders", column="total", text="Euro, with VAT")
    page = olga.get(f"{reverse('schema', args=[people.shop.pk])}?table=orders").content.decode()
    assert "Refers to customers.id" in page
    assert "Euro, with VAT" in page


@pytest.mark.parametrize(("number", "words"), [(5, []), (7, ["2 further warnings"]), (300, ["and more"])])
def test_every_warning_of_a_catalogue_is_there_or_said_to_be_missing(
    people: Cast, olga: Client, number: int, words: list[str]
) -> None:
    warnings = tuple(f"table_{place:03} cannot be read" for place in range(number))
    snapshots.keep(people.shop, Catalogue("sqlite", stories.SHOP.tables, warnings=warnings))
    page = olga.get(reverse("schema", args=[people.shop.pk])).content.decode()
    assert page.count("cannot be read") == min(number, 205)
    assert ("further warning" in page, [one for one in words if one not in page]) == (number > 5, [])


def test_changed_tables_that_are_not_named_are_said_to_be_more(people: Cast, olga: Client) -> None:
    for kind in ("text", "integer"):
        columns = tuple(Column(f"c{place}", kind) for place in range(30))
        tables = tuple(Table(f"table_{place:03}", columns=columns) for place in range(120))
        snapshots.keep(people.shop, Catalogue("sqlite", tables))
    page = olga.get(reverse("schema", args=[people.shop.pk])).content.decode()
    assert "120 tables changed" in page
    assert "The first 100 changed tables stand here." in page
    assert page.count("and 10 more</dd>") == 100


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


def test_what_is_shared_with_one_is_found_in_the_list(people: Cast, olga: Client, tom: Client) -> None:
    run = stories.answered(people.olga, people.shop, "Sales by country")
    later = stories.answered(people.tom, people.shop, "Tom's own")
    olga.post(reverse("history"), {"action": "share", "run": [str(run.pk), str(later.pk)], "audience": "tom"})
    page = tom.get(f"{reverse('history')}?show=shared").content.decode()
    assert ("Sales by country</a>" in page, "own</a>" in page) == (True, False)
    assert f'value="{run.pk}"' not in page, "nobody deletes what is another's"
    both = tom.get(reverse("history")).content.decode()
    assert ("Sales by country</a>" in both, "own</a>" in both) == (True, True)
    assert not later.shares.exists()


def test_sharing_several_names_what_is_wrong(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    page = olga.post(reverse("history"), {"action": "share", "run": [str(run.pk)], "audience": "nobody"}, follow=True)
    assert "Nobody in your teams is called nobody" in page.content.decode()
    assert not run.shares.exists()


def test_a_filter_is_kept_under_a_name_and_is_ones_own(people: Cast, olga: Client, tom: Client) -> None:
    stories.answered(people.olga, people.shop)
    olga.post(f"{reverse('save_filter')}?status=answered&q=&page=2", {"name": "Done ones"})
    page = olga.get(reverse("history")).content.decode()
    assert f'href="{reverse("history")}?status=answered"' in page
    kept = people.olga.saved_filters.get()
    assert tom.post(reverse("delete_filter", args=[kept.pk])).status_code == 404
    olga.post(reverse("delete_filter", args=[kept.pk]))
    assert not people.olga.saved_filters.exists()
