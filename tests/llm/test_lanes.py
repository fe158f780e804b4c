"""Connections in lanes: spread while many requests are open, kept to few while there are few."""

from __future__ import annotations

import asyncio
import gc
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from agents.llm.client import _http_client
from agents.llm.lanes import Lanes
from agents.llm.scripted import ScriptedServer


class Seen(httpx.AsyncHTTPTransport):
    """A real pool that counts what goes through it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        return await super().handle_async_request(request)


def _lanes(count: int) -> tuple[Lanes, list[Seen]]:
    pools = [Seen() for _ in range(count)]
    left = iter(pools)
    return Lanes(lambda: next(left), count), pools


def test_open_requests_are_spread_and_later_ones_come_back_to_the_first_lane() -> None:
    lanes, pools = _lanes(3)

    async def ask() -> None:
        async with httpx.AsyncClient(transport=lanes) as client:
            request = client.build_request("POST", f"{server.api_base}/chat/completions", json={"messages": []})
            opened = [await client.send(request, stream=True) for _ in range(5)]
            assert [pool.asked for pool in pools] == [2, 2, 1]
            for response in opened:
                assert b"text" in await response.aread()
                await response.aclose()
                await response.aclose()  # closing twice counts once
            for _ in range(4):
                assert (await client.send(request)).status_code == 200
            assert [pool.asked for pool in pools] == [6, 2, 1]

    with ScriptedServer([{"content": "some text"}] * 9) as server:
        asyncio.run(ask())


def test_a_failed_request_leaves_its_lane_free() -> None:
    lanes, pools = _lanes(2)

    async def ask() -> None:
        async with httpx.AsyncClient(transport=lanes) as client:
            for _ in range(3):
                with pytest.raises(httpx.ConnectError):
                    await client.get("http://127.0.0.1:9/")

    asyncio.run(ask())
    gc.collect()
    assert [pool.asked for pool in pools] == [3, 0]


def test_no_cookie_of_one_key_goes_along_with_another() -> None:
    asked: list[str] = []

    class Baker(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Set-Cookie", "session=of-the-first-key")
            self.send_header("Content-Length", "0")
            self.end_headers()

    async def ask(address: str) -> None:
        client = _http_client()
        for _ in range(2):
            await client.get(address)
        await client.aclose()

    with HTTPServer(("127.0.0.1", 0), Baker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        asyncio.run(ask(f"http://127.0.0.1:{server.server_port}/"))
        server.shutdown()
    assert asked == ["", ""]
