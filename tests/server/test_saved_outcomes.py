"""The value that a saved question tells in notices, mails and lists: never another than its table shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import settings

from agents.answers import store
from agents.library.saved_outcomes import outcome_of
from agents.models import Status, StoredResult
from tests.server.conftest import Cast, make_run

YEAR, REVENUE = ("year", "INTEGER", "integer"), ("revenue", "NUMERIC(12, 2)", "decimal")
NAME, POSTCODE, N = ("name", "TEXT", "text"), ("postcode", "CHAR(5)", "text"), ("n", "BIGINT", "integer")
UNTYPED, RATE, DAY = ("n", "", "unknown"), ("rate", "DOUBLE", "float"), ("day", "DATE", "date")
FLAG = ("open", "BOOLEAN", "boolean")


@pytest.mark.parametrize(
    ("columns", "row", "told", "number"),
    [([REVENUE], ["12345678901.50"], "12,345,678,901.50", 12345678901.5),
     ([REVENUE], ["1234567890.56"], "1,234,567,890.56", 1234567890.56),
     ([REVENUE], ["1234567890.57"], "1,234,567,890.57", 1234567890.57),
     ([YEAR, REVENUE], [2026, "1234567.5"], "1 row", 1.0), ([YEAR], [2026], "2026", 2026.0),
     ([POSTCODE, N], ["01234", 17], "17", 17.0), ([POSTCODE], ["01234"], "1 row", 1.0),
     ([NAME, DAY, FLAG, N], ["2", "2026-01-01", True, 12345], "12,345", 12345.0),
     ([N], ["-9007199254740993"], "\u22129,007,199,254,740,993", -9007199254740992.0), ([RATE], [1e-7], "1e-07", 1e-7),
     ([N], ["9" * 65], ",".join(["99", *["999"] * 14, "…"]), 1e65), ([N], [None], "1 row", 1.0),
     ([N], ["several"], "1 row", 1.0), ([RATE], ["NaN"], "1 row", 1.0), ([UNTYPED], [7], "7", 7.0),
     ([UNTYPED], ["7"], "1 row", 1.0), ([UNTYPED], [True], "1 row", 1.0)],
)  # fmt: skip
def test_a_single_number_is_told_as_its_table_shows_it_and_nothing_else_as_a_number(
    cast: Cast, columns: Sequence[tuple[str, str, str]], row: list[Any], told: str, number: float
) -> None:
    run = make_run(cast, status=Status.ANSWERED, answer_result=1)
    store.write(settings.RESULTS_DIR / "one.parquet", [row], len(columns))
    kept = StoredResult.objects.create(
        run=run, number=1, file="one.parquet", rows_stored=1, row_count=1, sql="SELECT 1",
        columns=[dict(zip(("name", "type", "semantic"), column, strict=True)) for column in columns],
    )  # fmt: skip
    found = outcome_of(run)
    assert (found.value, found.number) == (told, number)
    assert len(found.value) <= 60
    StoredResult.objects.filter(pk=kept.pk).update(truncated=True, row_count=9)
    assert outcome_of(run).value == "9 rows", "the first row of a cut result is not the only one"
