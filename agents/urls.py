"""The product's pages. The start page is named `home`."""

from __future__ import annotations

from django.urls import include, path

from agents.views import (
    asking,
    comparing,
    discussion,
    exporting,
    feedback,
    history,
    programs,
    review,
    sharing,
    sql_page,
    streaming,
    threads,
    tracing,
)

urlpatterns = [
    path("", asking.home, name="home"),
    path("ask", asking.ask, name="ask"),
    path("sql/", sql_page.open_sql, name="open_sql"),
    path("questions/", history.history, name="history"),
    path("threads/<uuid:thread_id>", threads.thread, name="thread"),
    path("threads/<uuid:thread_id>/ask", asking.follow_up, name="follow_up"),
    path("runs/<uuid:run_id>", threads.run, name="run"),
    path("runs/<uuid:run_id>/turns", threads.turns, name="turns"),
    path("runs/<uuid:run_id>/steps/<int:number>/rows", programs.step_rows, name="step_rows"),
    path("runs/<uuid:run_id>/steps/<int:number>/check", programs.check_step, name="check_step"),
    path("runs/<uuid:run_id>/steps/<int:number>/run", programs.run_step, name="run_step"),
    path("runs/<uuid:run_id>/beside/<uuid:other_id>", comparing.beside, name="beside"),
    path("runs/<uuid:run_id>/rerun", programs.rerun, name="rerun"),
    path("runs/<uuid:run_id>/stream", streaming.follow_run, name="stream"),
    path("runs/<uuid:run_id>/stop", asking.stop, name="stop"),
    path("runs/<uuid:run_id>/again", asking.ask_again, name="ask_again"),
    path("runs/<uuid:run_id>/export.<slug:format>", exporting.export, name="export"),
    path("runs/<uuid:run_id>/export-all.<slug:format>", exporting.export_all, name="export_all"),
    path("runs/<uuid:run_id>/trace", tracing.trace, name="trace"),
    path("runs/<uuid:run_id>/trace.json", tracing.trace_json, name="trace_json"),
    path("runs/<uuid:run_id>/prompt/<int:position>", tracing.prompt, name="prompt"),
    path("runs/<uuid:run_id>/share", sharing.share, name="share"),
    path("shares/<uuid:share_id>/revoke", sharing.revoke, name="revoke_share"),
    path("link/<str:token>", sharing.open_link, name="open_link"),
    path("runs/<uuid:run_id>/access", sharing.ask_for_access, name="ask_for_access"),
    path("runs/<uuid:run_id>/feedback", feedback.judge, name="judge"),
    path("runs/<uuid:run_id>/verify", feedback.verify, name="verify"),
    path("runs/<uuid:run_id>/comments", discussion.comment, name="comment"),
    path("comments/<int:comment_id>/delete", discussion.delete_comment, name="delete_comment"),
    path("notices/", discussion.notices, name="notices"),
    path("notices/<int:notice_id>", discussion.notice, name="notice"),
    path("review/", review.review, name="review"),
    path("review/export.csv", review.export, name="review_export"),
    path("", include("connections.urls")),
]
