"""A person whose password was generated sets an own one before anything else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware

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
    address = reverse("password_change")
    if getattr(request, "htmx", False):
        response = HttpResponseRedirect(address, headers={"HX-Redirect": address})
        response.status_code = 200
        return response
    return HttpResponseRedirect(address)
