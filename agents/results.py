"""Results kept with their run: the rows in a Parquet file, a row in the database that tells of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.answers import store
from agents.engine.outcomes import Result
from agents.models import StoredResult
from agents.traces.recorder import Lease
from connections.statements import Insert
from connections.storable import storable
from connections.values import to_cell

_insert_result = Insert(StoredResult)


def keep(lease: Lease, result: Result) -> Callable[[], object]:
    """Write the rows now; the returned function writes the row about them, to be called in a transaction.

    The file is named for the lease, too: a worker that lost the run cannot touch the file of the one that has it.
    """
    file = f"{lease.run_id}/{result.number}-{lease.token.rpartition(':')[2]}.parquet"
    rows = [[to_cell(value) for value in row] for row in result.rows]
    store.write(settings.RESULTS_DIR / file, rows, len(result.columns))
    row = StoredResult(
        run_id=lease.run_id,
        number=result.number,
        columns=[
            {"name": storable(column.name), "type": column.type, "semantic": column.semantic}
            for column in result.columns
        ],
        file=file,
        rows_stored=len(rows),
        row_count=result.row_count,
        row_count_exact=result.row_count_exact,
        truncated=result.truncated,
        sql=storable(result.sql),
        handle=storable(result.handle)[:255],
        ms=result.ms,
        expires_at=timezone.now() + timedelta(days=settings.RESULT_DAYS),
    )
    return lambda: _insert_result(row)
