"""Files that are written while they are sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse


def attachment(pieces: Iterator[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    """`pieces` as a file called `name`."""
    disposition = f'attachment; filename="{name}"'
    return StreamingHttpResponse(
        sent(pieces), content_type=content_type, headers={"Content-Disposition": disposition}
    )


async def sent(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces one by one; the next is made in a thread while the last is on its way."""
    following = sync_to_async(lambda: next(pieces, None))
    try:
        while (piece := await following()) is not None:
            yield piece
    finally:
        await sync_to_async(pieces.close)()  # type: ignore[attr-defined]
