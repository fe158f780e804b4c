"""Login, forced password change, and the addresses that machines ask: health, readiness, metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reactsql_web import metrics, readiness
from reactsql_web.address import is_this_machine


def _leads_to_sign_on(page: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """For pages with the sign-on button: browsers hold a form to the policy also where its answer redirects."""
    return csp_update({"form-action": settings.OIDC_ORIGINS})(page) if settings.OIDC_ORIGINS else page


class Login(LoginView):
    template_name = "registration/login.html"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return _leads_to_sign_on(super().dispatch)(request, *args, **kwargs)


class PasswordChange(PasswordChangeView):
    template_name = "registration/password_change_form.html"
    success_url = "/"

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        form.user.must_change_password = False
        return super().form_valid(form)  # saves the person with the new password


def locked_out(request: HttpRequest, credentials: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponseBase:
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    context = {"locked_out": True, "lock_minutes": minutes}
    return _leads_to_sign_on(render)(request, "registration/login.html", context, status=429)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing else, so that a slow database does not get the web process killed."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Database, broker and worker, each "ok" or what is wrong; status 503 when one is not."""
    states = readiness.states()
    status = 200 if all(state == "ok" for state in states.values()) else 503
    response = JsonResponse(states, status=status)
    response._has_been_logged = True  # type: ignore[attr-defined]  # "not yet" is an answer here, not an error of ours
    return response


@never_cache
@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    given = request.headers.get("Authorization", "")
    token = settings.METRICS_TOKEN
    if not (constant_time_compare(given, f"Bearer {token}") if token else is_this_machine(request)):
        raise Http404
    return HttpResponse(metrics.text(), content_type=metrics.CONTENT_TYPE)
