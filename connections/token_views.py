"""The page of one's tokens for programs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from connections import tokens
from connections.login import login_required, posts_only
from connections.views import person


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100)
    days = forms.TypedChoiceField(
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("0", "until revoked")], coerce=int,
        initial="90",
    )  # fmt: skip


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    """The list; sent, it makes a token and shows it this once."""
    user, form = person(request), TokenForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        _, context["token"] = tokens.make(user=user, **form.cleaned_data)
        context["form"] = TokenForm()
    context["tokens"] = tokens.tokens_of(user)
    return render(request, "connections/tokens.html", context, status=422 if form.errors else 200)


@login_required
@posts_only
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    try:
        tokens.revoke(user=person(request), token_id=token_id)
    except ObjectDoesNotExist as error:
        raise Http404("There is no such token of yours.") from error
    return redirect("tokens")
