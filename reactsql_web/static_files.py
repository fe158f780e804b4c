"""Static files as an ASGI server wants them: read piece by piece beside the event loop.

WhiteNoise hands out an open file, which Django would read whole into memory before it sends the first byte, and warns.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest
from whitenoise.middleware import WhiteNoiseMiddleware

PIECE = 256 * 1024


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise has no types
    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> FileResponse:
        response: FileResponse = WhiteNoiseMiddleware.serve(static_file, request)
        if isinstance(request, ASGIRequest):
            response.streaming_content = _pieces(response.file_to_stream)
        return response


async def _pieces(file: Any) -> AsyncIterator[bytes]:
    """`file` is None where only headers are sent."""
    while file is not None and (piece := await asyncio.to_thread(file.read, PIECE)):
        yield piece
