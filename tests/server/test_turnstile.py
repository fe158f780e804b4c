"""However many requests come at once, only so many reach the database together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from connections.turnstile import AT_ONCE
from reactsql_web.middleware import in_turn


def page(name: str = "home") -> HttpRequest:
    return RequestFactory().get(reverse(name))


def test_requests_take_turns_and_all_are_answered() -> None:
    inside = most = 0

    async def answer(request: Any) -> HttpResponse:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        return HttpResponse("done")

    async def storm() -> list[Any]:
        served = in_turn(answer)
        return await asyncio.gather(*(served(page()) for _ in range(300)))

    for _ in range(2):  # every event loop has a turnstile of its own
        assert len(asyncio.run(storm())) == 300
    assert most == AT_ONCE


def test_a_request_that_fails_gives_its_turn_back() -> None:
    async def fail(request: Any) -> HttpResponse:
        raise KeyError("broken")

    async def storm() -> list[Any]:
        served = in_turn(fail)
        return await asyncio.gather(*(served(page()) for _ in range(AT_ONCE * 3)), return_exceptions=True)

    assert {type(one) for one in asyncio.run(storm())} == {KeyError}


def test_that_the_process_lives_is_told_while_all_turns_are_taken() -> None:
    leave = asyncio.Event()

    async def answer(request: HttpRequest) -> HttpResponse:
        if request.path == reverse("home"):
            await leave.wait()
        return HttpResponse("ok")

    async def storm() -> HttpResponse:
        served = in_turn(answer)
        waiting = [asyncio.create_task(served(page())) for _ in range(AT_ONCE)]
        await asyncio.sleep(0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(served(page("connections")), 0.1)
        told: HttpResponse = await asyncio.wait_for(served(page("healthz")), 5)
        leave.set()
        await asyncio.gather(*waiting)
        return told

    assert asyncio.run(storm()).content == b"ok"
