"""What admin pages of every app share: changes are audited, secrets are written and never shown, logs are read-only."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from connections import audit
from connections.forms import SecretField
from connections.models import User

__all__ = ["Audited", "AuditedInlines", "HidesSecrets", "ReadOnlyAdmin", "SecretField", "person", "secret_given"]


def person(request: HttpRequest) -> User:
    """Who uses the admin; nobody gets there without having logged in."""
    assert isinstance(request.user, User)
    return request.user


class AuditedInlines:
    """Rows added, changed or removed in an inline table go to the audit log."""

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for row in formset.forms:
            if row.has_changed() and hasattr(row.instance, "changed_by"):
                row.instance.changed_by = person(request)
        super().save_formset(request, form, formset, change)  # type: ignore[misc]
        name = formset.model._meta.verbose_name
        for target in formset.new_objects:
            audit.record(f"{name} added", actor=person(request), target=target)
        for target, fields in formset.changed_objects:
            audit.record(f"{name} changed", actor=person(request), target=target, detail={"fields": fields})
        for target in formset.deleted_objects:
            audit.record(f"{name} removed", actor=person(request), target=target)


class Audited(AuditedInlines):
    """The object itself, too: for models that no service writes."""

    def log_addition(self, request: HttpRequest, object: Model, message: Any) -> Any:
        audit.record(f"{object._meta.verbose_name} added", actor=person(request), target=object)
        return super().log_addition(request, object, message)  # type: ignore[misc]

    def log_change(self, request: HttpRequest, object: Model, message: Any) -> Any:
        detail = {"changes": message if isinstance(message, list) else [str(message)]}
        audit.record(f"{object._meta.verbose_name} changed", actor=person(request), target=object, detail=detail)
        return super().log_change(request, object, message)  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for target in queryset:
            audit.record(f"{target._meta.verbose_name} deleted", actor=person(request), target=target)
        return super().log_deletions(request, queryset)  # type: ignore[misc]


class HidesSecrets:
    """Reports of exceptions show what was posted, but not to a form with a secret in it."""

    @method_decorator(sensitive_post_parameters())
    def changeform_view(self, request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        return super().changeform_view(request, *arguments, **options)  # type: ignore[misc]


class ReadOnlyAdmin(admin.ModelAdmin):
    """Looked at, never changed: nobody may edit what happened."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def secret_given(form: forms.ModelForm, secret: str, forget: str) -> str | None:
    """What a service takes: the typed secret, "" to delete the stored one, None to keep it."""
    return "" if form.cleaned_data[forget] else form.cleaned_data[secret] or None
