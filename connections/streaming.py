"""Files that are written while they are sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse


class _Attachment(StreamingHttpResponse):
    """A file that is made while it is sent. `at_end` is called also where nobody began to read it: what a generator
    does at its end is not done by one that never began."""

    at_end: Callable[[], None]

    def close(self) -> None:
        super().close()
        self.at_end()


def attachment(
    pieces: Iterator[bytes], name: str, content_type: str, at_end: Callable[[], None] = lambda: None
) -> StreamingHttpResponse:
    """`pieces` as a file called `name`; `at_end` may be called more than once."""
    disposition = f'attachment; filename="{name}"'
    response = _Attachment(sent(pieces), content_type=content_type, headers={"Content-Disposition": disposition})
    response.at_end = at_end
    return response


async def sent(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces one by one; the next is made in a thread while the last is on its way."""
    following = sync_to_async(lambda: next(pieces, None))
    try:
        while (piece := await following()) is not None:
            yield piece
    finally:
        await sync_to_async(pieces.close)()  # type: ignore[attr-defined]
