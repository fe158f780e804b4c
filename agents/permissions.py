"""May this user…? The only place where rights on threads and runs are decided.

A question is private to its asker until it is shared with a person, a team, or by a link. Who may see a result is
decided by the share; who may run it again is decided by the connection (connections/permissions.py).
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from agents.models import Run, Share, Thread
from connections import permissions as connection_permissions
from connections.models import Team, User

# --- Threads and runs ------------------------------------------------------------------------------------------------


def visible_threads(user: User) -> QuerySet[Thread]:
    """Whole threads: one's own."""
    return Thread.objects.filter(owner=user) if user.is_active else Thread.objects.none()


def visible_runs(user: User) -> QuerySet[Run]:
    """One's own, and those that a share which counts now opens to `user`."""
    if not user.is_active:
        return Run.objects.none()
    shared = shares_with(user).values("run")
    return Run.objects.filter(Q(question__thread__owner=user) | Q(pk__in=shared))


def may_see_run(user: User, run: Run) -> bool:
    return visible_runs(user).filter(pk=run.pk).exists()


def owns_run(user: User, run: Run) -> bool:
    """Asked it; sees the whole thread around it."""
    return user.is_active and run.question.thread.owner_id == user.pk


def may_cancel_run(user: User, run: Run) -> bool:
    return user.is_active and run.question.asked_by_id == user.pk


def may_follow_up(user: User, thread: Thread) -> bool:
    """Ask another question in this thread: its owner, as long as the connection may be asked."""
    connection = thread.connection
    return thread.owner_id == user.pk and connection is not None and connection_permissions.may_ask(user, connection)


def may_run_again(user: User, run: Run) -> bool:
    """Have what `run` did done afresh, in one's own name: whoever may ask the connection."""
    connection = run.question.thread.connection
    return connection is not None and connection_permissions.may_ask(user, connection)


def may_read_prompts(user: User, run: Run) -> bool:
    """Prompts and raw replies tell of the whole catalogue, not only of the result: the asker, and whoever sees the
    connection anyway."""
    connection = run.question.thread.connection
    return owns_run(user, run) or (
        connection is not None and connection_permissions.may_see_connection(user, connection)
    )


# --- Shares ----------------------------------------------------------------------------------------------------------


def shares_with(user: User) -> QuerySet[Share]:
    """Shares that open their run to `user` now: personal ones, those of a team of theirs, links they opened."""
    return Share.live.filter(Q(person=user) | Q(team__memberships__user=user) | Q(readers=user))


def may_share(user: User, run: Run) -> bool:
    """The asker shares what has ended."""
    return owns_run(user, run) and not run.is_live


def may_revoke(user: User, share: Share) -> bool:
    return owns_run(user, share.run)


def teams_to_share_with(user: User) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=user).order_by("name") if user.is_active else Team.objects.none()


def people_to_share_with(user: User) -> QuerySet[User]:
    """Whoever is in a team with `user`."""
    mates = User.objects.filter(memberships__team__in=teams_to_share_with(user), is_active=True).exclude(pk=user.pk)
    return mates.distinct().order_by("first_name", "last_name", "username")
