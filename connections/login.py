"""Views for people who are logged in. Whoever is not goes to the login, and from there back to the page that they saw:
a session may end while a page is open.

Many forms are sent to addresses at which there is nothing to see, and the page that answers stands at such an address
when the form comes back with an error. `page_of` knows where a page can be seen again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

# Proxies refuse a request whose first line is longer than 8 KiB.
LONGEST_ADDRESS = 7_000


def login_required(view: View) -> View:
    return login_required_from(page_of)(view)


def login_required_from(page: Callable[[HttpRequest], str]) -> Callable[[View], View]:
    """`page` says to which address the person comes back; what was typed may stand in it."""

    def required(view: View) -> View:
        @wraps(view)
        def entered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            return view(request, *args, **kwargs) if request.user.is_authenticated else _to_the_login(request, page)

        return cast(View, entered)

    return required


def keeping(**fields: str) -> Callable[[HttpRequest], str]:
    """The page with what was typed: `keeping(question="q")` gives it the field `question` as its parameter `q`."""

    def page(request: HttpRequest) -> str:
        path, _, query = page_of(request).partition("?")
        given = QueryDict(query, mutable=True)
        for field, name in fields.items():
            if text := request.POST.get(field, ""):
                given[name] = text
        return f"{path}?{given.urlencode()}" if given else path

    return page


def posts_only(view: View) -> View:
    """A view that takes a form and shows nothing to a GET."""
    taking = require_POST(view)
    taking.posts_only = True  # type: ignore[attr-defined]
    return taking


def page_of(request: HttpRequest) -> str:
    """The path, with its query, at which a GET shows the page that the person sees, or else the page above it."""
    if getattr(request, "htmx", False):
        seen = _own(request, request.headers.get("HX-Current-URL", ""))
    elif request.method in ("GET", "HEAD"):
        return request.get_full_path()
    else:
        seen = _own(request, request.headers.get("Referer", ""))
    shown = seen or request.path
    path = urlsplit(shown).path
    return shown if _can_be_seen(path) else next(filter(_can_be_seen, _above(path)), "/")


def whole_page(request: HttpRequest, address: str) -> HttpResponse:
    """A redirect of the page, where htmx asks as well: it would put what stands at `address` into the page."""
    return HttpResponseClientRedirect(address) if getattr(request, "htmx", False) else redirect(address)


def _to_the_login(request: HttpRequest, page: Callable[[HttpRequest], str]) -> HttpResponse:
    address = _login(page(request))
    if len(address) > LONGEST_ADDRESS:
        address = _login(page_of(request))
        messages.warning(request, "You were logged out meanwhile. What you wrote is too long to be kept here.")
    return whole_page(request, address)


def _login(following: str) -> str:
    return f"{reverse('login')}?{urlencode({'next': following}, safe='/')}"


def _own(request: HttpRequest, url: str) -> str:
    """What follows the host in `url`; "" where that is another site's, or nothing."""
    if not url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure()):
        return ""
    shown = urlsplit(url)._replace(scheme="", netloc="", fragment="").geturl()
    return shown if shown.startswith("/") else ""


def _can_be_seen(path: str) -> bool:
    try:
        match = resolve(path)
    except Resolver404:
        return False
    return not getattr(match.func, "posts_only", False)


def _above(path: str) -> Iterator[str]:
    """/teams/1/, /teams/1, /teams/, /teams and / of /teams/1/invite."""
    while path.strip("/"):
        path = path[:-1] if path.endswith("/") else path[: path.rindex("/") + 1]
        yield path
