"""The stored rows of an answer as a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from agents.answers import exports
from agents.views.objects import person, run_to_see
from agents.views.results import ShownResult, shown_result
from connections import audit

# Rows read from the stored result at once.
BATCH = 2_000


@login_required
@require_safe
def export(request: HttpRequest, run_id: UUID, format: str) -> HttpResponseBase:
    run = run_to_see(request, run_id)
    result = shown_result(run)
    if result is None or result.expired or format not in exports.CONTENT_TYPES:
        raise Http404("This answer has no stored rows, or not in that format.")
    audit.record("exported", actor=person(request), target=run.question, detail={"format": format, "run": str(run.pk)})
    cut = f"-first-{result.rows_stored}-rows" if result.truncated else ""
    name = f"{slugify(run.question.text)[:60] or 'result'}{cut}.{format}"
    return StreamingHttpResponse(
        _sent(exports.write(format, result.columns, _rows(result))),
        content_type=exports.CONTENT_TYPES[format],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _sent(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces one by one; the next is made in a thread while the last is on its way."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def _rows(result: ShownResult) -> Iterator[Sequence[Any]]:
    for offset in range(0, result.rows_stored, BATCH):
        yield from result.rows(offset, BATCH)
