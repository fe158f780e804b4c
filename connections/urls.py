"""Pages about connections and about the person."""

from __future__ import annotations

from django.urls import path

from connections import team_views, views

urlpatterns = [
    path("connections/", views.connection_list, name="connections"),
    path("connections/<int:connection_id>/", views.schema, name="schema"),
    path("settings/", views.settings, name="settings"),
    path("teams/", team_views.team_list, name="teams"),
    path("teams/<int:team_id>/", team_views.team, name="team"),
    path("teams/<int:team_id>/invite", team_views.invite, name="invite"),
    path("teams/<int:team_id>/members/<int:user_id>", team_views.member, name="member"),
    path("teams/<int:team_id>/invitations/<int:invitation_id>", team_views.withdraw, name="withdraw_invitation"),
    path("invitations/<str:token>", team_views.invitation, name="invitation"),
    path("theme", views.theme, name="theme"),
]
