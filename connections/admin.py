"""People, teams, connections and logs in Django's admin."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import QuerySet
from django.http import HttpRequest

from connections import admin_logs, services  # noqa: F401  (the logs have a file of their own)
from connections.admin_parts import Audited, AuditedInlines, HidesSecrets, person, secret_given
from connections.forms import NamesField, PasswordForm
from connections.models import (
    CatalogueNote,
    Connection,
    ConnectionGrant,
    Membership,
    Team,
    User,
)


class TeamsOfUser(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ("team",)


class MembersOfTeam(admin.TabularInline):
    model = Membership
    extra = 1
    autocomplete_fields = ("user",)


class GrantsOfTeam(admin.TabularInline):
    model = ConnectionGrant
    extra = 0
    autocomplete_fields = ("connection",)


class TeamsOfConnection(admin.TabularInline):
    model = ConnectionGrant
    extra = 1
    autocomplete_fields = ("team",)


class NotesOfConnection(admin.TabularInline):
    model = CatalogueNote
    extra = 0
    fields = ("table", "column", "text")


class NewPerson(AdminUserCreationForm):
    must_change_password = forms.BooleanField(
        required=False, initial=True, help_text="Ask for an own password at the first login"
    )


@admin.register(User)
class PersonAdmin(Audited, UserAdmin):
    inlines = (TeamsOfUser,)
    add_form = NewPerson
    list_display = ("username", "email", "first_name", "last_name", "is_staff", "is_active", "last_login")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        ("Settings", {"fields": ("must_change_password", "time_zone", "theme", "shortcuts")}),
    )
    add_fieldsets = (
        (None, {"fields": ("username", "email", "usable_password", "password1", "password2", "must_change_password")}),
    )

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Runs go with the person although their own pages are read-only: whoever may delete people may delete them."""
        listed, counts, _, protected = super().get_deleted_objects(objs, request)
        return listed, counts, set(), protected


@admin.register(Team)
class TeamAdmin(Audited, admin.ModelAdmin):
    inlines = (MembersOfTeam, GrantsOfTeam)
    list_display = ("name", "members_text", "connections_text")
    ordering = ("name",)
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).prefetch_related("members", "connections")

    @admin.display(description="Members")
    def members_text(self, team: Team) -> str:
        return ", ".join(str(user) for user in team.members.all())

    @admin.display(description="Connections")
    def connections_text(self, team: Team) -> str:
        return ", ".join(str(connection) for connection in team.connections.all())


class ConnectionForm(PasswordForm):
    schemas = NamesField(help_text="Schemas to use, with commas between; empty means all")

    class Meta:
        model = Connection
        exclude = ("teams", "is_demo")  # noqa: DJ006


@admin.register(Connection)
class ConnectionAdmin(HidesSecrets, AuditedInlines, admin.ModelAdmin):
    form = ConnectionForm
    inlines = (TeamsOfConnection, NotesOfConnection)
    list_display = ("name", "kind", "host", "database", "is_active", "catalogue_text")
    list_filter = ("kind", "is_active")
    search_fields = ("name", "host", "database")
    fieldsets = (
        (None, {"fields": ("name", "kind", "host", "port", "database", "username", "password", "forget_password")}),
        ("Security", {"fields": ("tls", "send_values", "is_active")}),
        ("For the model", {"fields": ("schemas", "notes")}),
        ("Limits", {"fields": ("max_seconds", "max_rows", "max_concurrent")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        return super().get_queryset(request).select_related("snapshot")

    @admin.display(description="Catalogue")
    def catalogue_text(self, connection: Connection) -> str:
        snapshot = getattr(connection, "snapshot", None)
        return f"{snapshot.table_count:,} tables, {snapshot.taken_at:%Y-%m-%d %H:%M}" if snapshot else "not read yet"

    def save_model(self, request: HttpRequest, obj: Connection, form: forms.ModelForm, change: bool) -> None:
        password = secret_given(form, "password", "forget_password")
        services.save_connection(obj, actor=person(request), password=password)

    def delete_model(self, request: HttpRequest, obj: Connection) -> None:
        services.delete_connection(obj, actor=person(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        for connection in queryset:
            services.delete_connection(connection, actor=person(request))
