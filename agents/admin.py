"""Language models to set up, and runs to look at, in Django's admin."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from agents import services
from agents.llm.profiles import checked_extra
from agents.model_check import check_model
from agents.models import Cap, LanguageModel, RegressionQuestion, Run, RunEvent, UsageEntry
from agents.profiles import profile_of
from connections.admin_parts import Audited, HidesSecrets, ReadOnlyAdmin, SecretField, person, secret_given


class LanguageModelForm(forms.ModelForm):
    key = SecretField()
    forget_key = forms.BooleanField(required=False, help_text="Delete the stored key")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        kept = not (values.get("key") or values.get("forget_key"))
        if kept and services.goes_elsewhere(self.instance, values.get("model", ""), values.get("api_base", "")):
            self.add_error("key", services.KEY_ANEW)
        return values

    class Meta:
        model = LanguageModel
        fields = (
            "name", "model", "api_base", "size", "temperature", "max_output_tokens", "context_tokens", "price_input",
            "price_cached", "price_output", "extra", "is_default", "is_active", "max_concurrent",
            "timeout_seconds", "constrained", "samples", "fallback",
        )  # fmt: skip

    def clean_extra(self) -> dict[str, Any]:
        extra = self.cleaned_data["extra"] or {}
        if not isinstance(extra, dict):
            raise forms.ValidationError('Write a JSON object, for example {"reasoning_effort": "low"}.')
        try:
            checked_extra(extra)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return extra


@admin.register(LanguageModel)
class LanguageModelAdmin(HidesSecrets, admin.ModelAdmin):
    form = LanguageModelForm
    list_display = ("name", "model", "size", "is_default", "is_active", "has_key")
    search_fields = ("name", "model")
    fieldsets = (
        (None, {"fields": ("name", "model", "api_base", "key", "forget_key", "is_default", "is_active")}),
        ("Abilities", {"fields": ("size", "context_tokens", "max_output_tokens", "temperature", "constrained",
                                  "samples", "extra")}),
        ("Prices in US dollars per million tokens", {
            "fields": ("price_input", "price_cached", "price_output"),
            "description": "Empty: as litellm knows them.",
        }),
        ("Limits", {"fields": ("max_concurrent", "timeout_seconds", "fallback")}),
    )  # fmt: skip

    @admin.display(boolean=True, description="Key stored")
    def has_key(self, language_model: LanguageModel) -> bool:
        return bool(language_model.key_encrypted)

    def save_model(self, request: HttpRequest, obj: LanguageModel, form: forms.ModelForm, change: bool) -> None:
        key = secret_given(form, "key", "forget_key")
        services.save_language_model(actor=person(request), language_model=obj, key=key)

    def get_urls(self) -> list[URLPattern]:
        test = self.admin_site.admin_view(require_POST(self.test))
        return [path("<int:pk>/test/", test, name="languagemodel_test"), *super().get_urls()]

    def test(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make one real call with what is stored."""
        language_model = get_object_or_404(LanguageModel, pk=pk)
        if not self.has_change_permission(request, language_model):
            raise PermissionDenied
        check = check_model(profile_of(language_model))
        tell = messages.success if check.ok else messages.error
        cost = "" if check.usage.cost is None else f", ${check.usage.cost:.6f}"
        figures = f" ({check.seconds:.1f} s, {check.usage.input} + {check.usage.output} tokens{cost})"
        tell(request, check.text + (figures if check.seconds else ""))
        if check.reply:
            messages.info(request, f"The reply was: {check.reply[:500]}")
        return HttpResponseRedirect(reverse("admin:agents_languagemodel_change", args=[pk]))


@admin.register(RegressionQuestion)
class RegressionQuestionAdmin(Audited, admin.ModelAdmin):
    """Where the questions of a connection that was removed are given to another."""

    fields = ("text", "evidence", "gold_sql", "connection", "connection_name")
    readonly_fields = ("connection_name",)
    list_display = ("text", "connection", "connection_name")
    list_filter = ("connection", "connection_name")
    list_select_related = ("connection",)
    search_fields = ("text",)
    autocomplete_fields = ("connection",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class EventsOfRun(admin.TabularInline):
    model = RunEvent
    fields = readonly_fields = ("position", "turn", "kind", "at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    inlines = (EventsOfRun,)
    list_display = ("created_at", "status", "asked_by", "connection", "strategy", "model_name", "turns", "seconds",
                    "cost", "short_error")  # fmt: skip
    list_filter = ("status", "strategy", "model_name")
    search_fields = ("question__text", "question__asked_by__username", "error")
    date_hierarchy = "created_at"
    list_select_related = ("question__asked_by", "question__thread__connection")

    @admin.display(description="Person", ordering="question__asked_by__username")
    def asked_by(self, run: Run) -> str:
        return str(run.question.asked_by)

    @admin.display(description="Connection")
    def connection(self, run: Run) -> str:
        return str(run.question.thread.connection or "deleted")

    @admin.display(description="Error")
    def short_error(self, run: Run) -> str:
        return format_html("<span title='{}'>{}</span>", run.error, run.error[:60])


@admin.register(Cap)
class CapAdmin(Audited, admin.ModelAdmin):
    list_display = ("__str__", "scope", "measure", "amount", "period", "is_active")
    list_filter = ("scope", "measure", "period", "is_active")
    autocomplete_fields = ("user", "team", "language_model")


@admin.register(UsageEntry)
class UsageAdmin(ReadOnlyAdmin):
    list_display = ("at", "user_name", "team", "connection_name", "model_name", "input_tokens", "output_tokens", "cost")
    list_filter = ("at", "team", "model_name", "connection_name")
    search_fields = ("user_name",)
    date_hierarchy = "at"
    list_select_related = ("team",)
