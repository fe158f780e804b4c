"""Pages about connections and about the person."""

from __future__ import annotations

from django.urls import path

from connections import views

urlpatterns = [
    path("connections/", views.connection_list, name="connections"),
    path("connections/<int:connection_id>/", views.schema, name="schema"),
    path("settings/", views.settings, name="settings"),
    path("theme", views.theme, name="theme"),
]
