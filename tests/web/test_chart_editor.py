"""The chart as a person wants it: colour, and rows put together; and what one may ask next."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from agents.answers.cells import Column
from agents.answers.chart_choice import Choice, Wish, fit, wished
from agents.answers.chart_rows import arranged
from agents.answers.charts import draw, label
from agents.answers.follow_ups import follow_ups
from agents.models import Run
from connections.models import Connection
from tests.web import stories
from tests.web.stories import Cast
from tests.web.test_charts import columns

HEADS = columns(("month", "date"), ("country", "text"), ("sales", "decimal"))
ROWS: list[list[Any]] = [
    ["2026-01-01", "DE", "0.10"], ["2026-01-01", "FR", "0.20"], ["2026-02-01", "DE", "0.30"],
    ["2026-01-01", "DE", "0.20"], ["2026-02-01", None, None],
]  # fmt: skip


def table(choice: Choice) -> tuple[list[str], list[list[Any]]]:
    made = arranged(choice, HEADS, ROWS)
    return [column.name for column in made.columns], [list(row) for row in made.rows]


@pytest.mark.parametrize(
    ("aggregation", "january", "february"),
    [("sum", "0.5", "0.3"), ("avg", "0.1666666666666666666666666667", "0.3"), ("count", 3, 1), ("min", "0.1", "0.3"),
     ("max", "0.2", "0.3")],
)  # fmt: skip
def test_rows_of_one_place_are_put_together_exactly(aggregation: str, january: Any, february: Any) -> None:
    names, rows = table(Choice("line", 0, (2,), None, aggregation))
    assert names == ["month", "sales"]
    assert rows == [["2026-01-01", january], ["2026-02-01", february]]


def test_a_column_of_names_gives_the_colours() -> None:
    names, rows = table(Choice("line", 0, (2,), 1))
    assert names == ["month", "DE", "FR", "NULL"]
    assert rows == [["2026-01-01", "0.3", "0.2", None], ["2026-02-01", "0.3", None, None]]


def test_more_colours_than_one_can_tell_apart_are_cut_and_said() -> None:
    rows = [["2026-01-01", f"c{n}", 1] for n in range(9)]
    chart = draw(Choice("line", 0, (2,), 1), HEADS, rows)
    assert chart.series == tuple(f"c{n}" for n in range(6))
    assert chart.notice == ("First 6 of 9 colours.", "More could not be told apart.")


def test_points_take_their_colour_from_names() -> None:
    heads = columns(("price", "decimal"), ("sold", "integer"), ("kind", "text"))
    rows = [[str(n), n, "ab"[n % 2]] for n in range(6)]
    figure = draw(Choice("scatter", 0, (1,), 2), heads, rows).figure
    assert [(trace["name"], list(trace["x"])) for trace in figure["data"]] == [("a", [0, 2, 4]), ("b", [1, 3, 5])]


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (Wish(kind="line", colour=1), Choice("line", 0, (2,), 1)),
        (Wish(kind="bar", x=1, aggregation="sum"), Choice("bar", 1, (2,), None, "sum")),
        (Wish(kind="bar", x=1, colour=1), Choice("bar", 1, (2,))),
        (Wish(kind="line", colour=99, aggregation="explode"), Choice("line", 0, (2,))),
        (Wish(kind="histogram", colour=1, aggregation="sum"), Choice("bar", 1, (2,), None, "sum")),
    ],
)
def test_a_wish_that_cannot_be_had_is_passed_over(wish: Wish, expected: Choice) -> None:
    assert wished(fit(HEADS, ROWS), wish) == expected


@pytest.mark.parametrize("text", ["%{x}", "<b>x</b>", "a%{y}b", "&amp;"])
def test_a_label_holds_nothing_that_plotly_would_read(text: str) -> None:
    assert "%{" not in label(text)
    assert "<" not in label(text)


def test_the_editor_offers_what_the_table_has(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop)
    heads = [{"name": column.name, "type": column.type, "semantic": column.semantic} for column in HEADS]
    stories.keep_result(run, ROWS, heads)
    stories.finish(run, answer="Look.", answer_result=1)
    page = olga.get(reverse("run", args=[run.pk]) + "?tab=chart&kind=line&colour=1&agg=sum").content.decode()
    assert '<option value="1" selected>country</option>' in page
    assert '<option value="sum" selected>Sum</option>' in page
    figure = json.loads(page.split('id="chart-figure" type="application/json">')[1].split("</script>")[0])
    assert [trace["name"] for trace in figure["data"]] == ["DE", "FR", "NULL"]


def test_the_chart_of_rows_that_have_expired_says_so(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    (settings.RESULTS_DIR / run.results.get().file).unlink()
    page = olga.get(reverse("run", args=[run.pk]) + "?tab=chart").content.decode()
    assert ("The stored rows have expired." in page, "No chart." in page) == (True, False)


@pytest.mark.parametrize(
    ("heads", "rows", "expected"),
    [
        (columns(("country", "text"), ("sales", "decimal")), [["DE", "2"], ["FR", "1"]],
         ("Only DE, by month", "As a share of all sales", "The same by month")),
        (columns(("month", "date"), ("net_sales", "decimal")), [["2026-01-01", "2"], ["2026-02-01", "1"]],
         ("Compared with the year before", "The running total of net sales")),
        (columns(("n", "integer")), [[5]], ("The same by month", "Compared with the year before")),
        (columns(("name", "text")), [["a"], ["b"]], ()),
        (columns(("n", "integer")), [], ()),
        (columns(("t", "text"), ("n", "integer")), [["x" * 10_000, 2], [None, 1]],
         ("As a share of all n", "The same by month")),
    ],
)  # fmt: skip
def test_what_one_may_ask_next(heads: list[Column], rows: list[list[Any]], expected: tuple[str, ...]) -> None:
    assert follow_ups(heads, rows, values=True) == expected


def test_a_follow_up_is_one_press_away_and_only_for_those_who_may_ask(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    address = reverse("run", args=[run.pk])
    assert 'value="Only Germany, by month"' in olga.get(address).content.decode()
    people.olga.memberships.update(role="viewer")
    assert "Only Germany" not in olga.get(address).content.decode()


def test_a_follow_up_holds_no_cell_where_models_get_none(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    Connection.objects.update(send_values=False)
    offered = re.findall(r'name="suggestion" value="([^"]*)"', olga.get(reverse("run", args=[run.pk])).content.decode())
    assert offered == ["As a share of all sales", "The same by month"]


def chart_page(olga: Client, run: Run) -> str:
    return olga.get(f"{reverse('run', args=[run.pk])}?tab=chart").content.decode()


def drawn(people: Cast, rows: list[list[Any]], **fields: Any) -> Run:
    run = stories.ask(people.olga, people.shop, "What was sold on each day?")
    heads = [{"name": "day", "type": "DATE", "semantic": "date"}, {"name": "n", "type": "INT", "semantic": "integer"}]
    stories.keep_result(run, rows, heads, **fields)
    return stories.finish(run, answer="A lot.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)


def days(number: int) -> list[list[Any]]:
    return [[str(date(2020, 1, 1) + timedelta(days=place)), place] for place in range(number)]


def test_the_table_of_a_chart_holds_what_is_drawn_or_says_how_much(people: Cast, olga: Client) -> None:
    year = chart_page(olga, drawn(people, days(365)))
    assert ('<td class="id">365</td>' in year, "of the drawing" in year) == (True, False)
    longer = chart_page(olga, drawn(people, days(1_500)))
    assert ('<td class="id">1,000</td>' in longer, '<td class="id">1,001</td>' in longer) == (True, False)
    assert "First 1,000 of 1,500 rows of the drawing." in longer


def test_a_histogram_lists_all_that_it_is_made_of(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop, "How are the sales spread?")
    rows = [[f"{number}.5"] for number in range(40)]
    stories.keep_result(run, rows, [{"name": "sales", "type": "NUMERIC", "semantic": "decimal"}])
    stories.finish(run, answer="So.", answer_result=1, sql=stories.SQL, program=stories.PROGRAM)
    assert '<td class="id">40</td>' in chart_page(olga, run)


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "First 10,000 of 12,000 rows."), ({"truncated": True, "row_count": 2_000_000}, "First 10,000 of 2,000,000"),
     ({"truncated": True, "row_count": 12_001, "row_count_exact": False}, "First 10,000 of at least 12,001 rows.")],
)  # fmt: skip
def test_a_chart_of_a_cut_result_tells_of_all_rows(
    people: Cast, olga: Client, fields: dict[str, Any], words: str
) -> None:
    assert words in chart_page(olga, drawn(people, days(12_000), **fields))
