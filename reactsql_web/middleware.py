"""What is done for every request of a person: no cache keeps their pages, a generated password is changed first, times
are in their zone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

from connections.login import whole_page
from connections.turnstile import turn


@sync_and_async_middleware
def in_turn(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Requests wait for each other where too many would reach the database at once. A stream waits only until it has
    begun. Whether the process lives is told at once: it is not dead because it has much to do."""
    if not iscoroutinefunction(get_response):
        return get_response

    async def asynchronous(request: HttpRequest) -> HttpResponseBase:
        async with nullcontext() if request.path == reverse("healthz") else turn():
            response: HttpResponseBase = await get_response(request)
            return response

    return asynchronous


@sync_and_async_middleware
def for_this_reader(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Pages hold what this person may see, so no cache keeps them unless the view says otherwise; and a page shares its
    address with the fragments of it that htmx gets, which a cache must not give out for the page."""

    def marked(response: HttpResponseBase) -> HttpResponseBase:
        patch_vary_headers(response, ["HX-Request"])
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            return marked(await get_response(request))

        return asynchronous

    return lambda request: marked(get_response(request))


_OPEN = ("password_change", "logout", "login")


@sync_and_async_middleware
def password_change_required(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    def refuses(request: HttpRequest, user: Any) -> bool:
        return bool(user.is_authenticated and user.must_change_password) and request.path not in {
            reverse(name) for name in _OPEN
        }

    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            if refuses(request, await request.auser()):
                return _to_the_form(request)
            response: Awaitable[HttpResponseBase] = get_response(request)
            return await response

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        return _to_the_form(request) if refuses(request, request.user) else get_response(request)

    return synchronous


def _to_the_form(request: HttpRequest) -> HttpResponseBase:
    return whole_page(request, reverse("password_change"))


@sync_and_async_middleware
def in_own_time_zone(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Times on pages are those of the person's time zone."""

    def activate(user: Any) -> None:
        timezone.activate(user.zone if user.is_authenticated else timezone.get_default_timezone())

    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            activate(await request.auser())
            response: Awaitable[HttpResponseBase] = get_response(request)
            return await response

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        activate(request.user)
        response: HttpResponseBase = get_response(request)
        return response

    return synchronous
