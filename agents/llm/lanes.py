"""Connections to model servers, kept in several small pools.

A pool of httpx asks each of its connections, twice for every request, whether the server has hung up; among a hundred
connections that costs more processor time than the request itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import httpx

LANES = 16
# Of a lane. How many requests may be made at once is said by the profiles (network.gate).
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


@dataclass(eq=False)
class _Lane:
    pool: httpx.AsyncBaseTransport
    busy: int = 0


class Lanes(httpx.AsyncBaseTransport):
    """Sends each request through the least busy pool, the first of those: few requests keep to few connections."""

    def __init__(self, pool: Callable[[], httpx.AsyncBaseTransport], count: int = LANES) -> None:
        self._lanes = [_Lane(pool()) for _ in range(count)]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        lane = min(self._lanes, key=lambda lane: lane.busy)
        lane.busy += 1
        try:
            response = await lane.pool.handle_async_request(request)
        except BaseException:
            lane.busy -= 1
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Counted(response.stream, lane)
        return response

    async def aclose(self) -> None:
        for lane in self._lanes:
            await lane.pool.aclose()


class _Counted(httpx.AsyncByteStream):
    """A body; its lane is busy until it is closed."""

    def __init__(self, body: httpx.AsyncByteStream, lane: _Lane) -> None:
        self._body, self._lane, self._open = body, lane, True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        try:
            await self._body.aclose()
        finally:
            self._lane.busy -= self._open
            self._open = False
