"""Pages about connections and about the person."""

from __future__ import annotations

from django.urls import path

from connections import setup, team_views, token_views, views

urlpatterns = [
    path("connections/", views.connection_list, name="connections"),
    path("connections/new", setup.add, name="connection_add"),
    path("connections/<key:connection_id>/", views.schema, name="schema"),
    path("connections/<key:connection_id>/edit", setup.edit, name="connection_edit"),
    path("connections/<key:connection_id>/remove", setup.remove, name="connection_remove"),
    path("connections/<key:connection_id>/test", setup.test, name="connection_test"),
    path("connections/<key:connection_id>/refresh", setup.refresh, name="connection_refresh"),
    path("connections/<key:connection_id>/refreshing", setup.refreshing, name="connection_refreshing"),
    path("connections/<key:connection_id>/note", setup.note, name="connection_note"),
    path("settings/", views.settings, name="settings"),
    path("settings/tokens/", token_views.token_list, name="tokens"),
    path("settings/tokens/<key:token_id>/revoke", token_views.revoke, name="revoke_token"),
    path("teams/", team_views.team_list, name="teams"),
    path("teams/<key:team_id>/", team_views.team, name="team"),
    path("teams/<key:team_id>/invite", team_views.invite, name="invite"),
    path("teams/<key:team_id>/members/<key:user_id>", team_views.member, name="member"),
    path("teams/<key:team_id>/invitations/<key:invitation_id>", team_views.withdraw, name="withdraw_invitation"),
    path("invitations/<str:token>", team_views.invitation, name="invitation"),
    path("theme", views.theme, name="theme"),
]
