"""The audit log and the query log in Django's admin: filters, and what they leave as a file."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.html import format_html

from connections import audit, log_export
from connections.admin_parts import ReadOnlyAdmin, person
from connections.models import AuditEntry, QueryLogEntry
from connections.streaming import attachment


class LogAdmin(ReadOnlyAdmin):
    """A log can be looked at, filtered and taken along; it has no actions, and nothing in it can be changed."""

    change_list_template = "admin/connections/log_list.html"
    actions = None
    date_hierarchy = "at"
    ordering = ("-at", "-pk")
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        export = self.admin_site.admin_view(self.export)
        return [path("export.<slug:kind>", export, name=name), *super().get_urls()]

    def export(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        """What the filters of the list leave, streamed."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if kind not in log_export.CONTENT_TYPES:
            raise Http404("Logs are written as csv or json.")
        entries = self.get_changelist_instance(request).get_queryset(request)
        name = str(self.opts.verbose_name_plural)
        detail = {"log": name, "format": kind, "filters": request.GET.dict()}
        audit.record("log exported", actor=person(request), detail=detail)
        return attachment(
            log_export.write(kind, entries), f"{name.replace(' ', '-')}.{kind}", log_export.CONTENT_TYPES[kind]
        )


@admin.register(QueryLogEntry)
class QueryLogAdmin(LogAdmin):
    list_display = ("at", "user_name", "connection_name", "purpose", "rows", "ms", "short_sql", "short_error")
    list_filter = ("at", "purpose", "connection_name", ("error", admin.EmptyFieldListFilter))
    search_fields = ("sql", "error", "user_name")
    fields = ("at", "user_name", "connection_name", "run_id", "purpose", "sql", "rows", "ms", "error")

    @admin.display(description="SQL")
    def short_sql(self, entry: QueryLogEntry) -> str:
        return entry.sql[:100]

    @admin.display(description="Error")
    def short_error(self, entry: QueryLogEntry) -> str:
        return entry.error[:60]


@admin.register(AuditEntry)
class AuditAdmin(LogAdmin):
    list_display = ("at", "actor_name", "action", "object_type", "object_name", "short_detail", "address")
    list_filter = ("at", "action", "object_type")
    search_fields = ("actor_name", "object_name", "action")
    fields = ("at", "actor_name", "action", "object_type", "object_id", "object_name", "detail", "address")

    @admin.display(description="Detail")
    def short_detail(self, entry: AuditEntry) -> str:
        detail: dict[str, Any] = entry.detail
        text = ", ".join(f"{name}: {value}" for name, value in detail.items())
        return format_html("{}", text[:100])
