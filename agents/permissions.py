"""May this user…? The only place where rights on threads and runs are decided.

A question is private to its asker. Who may run it again is decided by the connection (connections/permissions.py).
"""

from __future__ import annotations

from django.db.models import QuerySet

from agents.models import Run, Thread
from connections import permissions as connection_permissions
from connections.models import User


def visible_threads(user: User) -> QuerySet[Thread]:
    return Thread.objects.filter(owner=user) if user.is_active else Thread.objects.none()


def visible_runs(user: User) -> QuerySet[Run]:
    return Run.objects.filter(question__thread__in=visible_threads(user))


def may_see_run(user: User, run: Run) -> bool:
    return visible_runs(user).filter(pk=run.pk).exists()


def may_cancel_run(user: User, run: Run) -> bool:
    return user.is_active and run.question.asked_by_id == user.pk


def may_follow_up(user: User, thread: Thread) -> bool:
    """Ask another question in this thread: its owner, as long as the connection may be asked."""
    connection = thread.connection
    return thread.owner_id == user.pk and connection is not None and connection_permissions.may_ask(user, connection)
