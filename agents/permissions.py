"""May this user…? The only place where rights on threads and runs are decided.

A question is private to its asker until it is shared with a person, a team, or by a link. Who may see a result is
decided by the share; who may run it again is decided by the connection (connections/permissions.py). Two things open a
run without a share, and pages say so: managers review runs that failed, found no rows or got a verdict, and a verified
answer is open to whoever sees its connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet

from agents.models import (
    Collection,
    Comment,
    Evaluation,
    EvaluationCase,
    Feedback,
    Run,
    SavedQuestion,
    SavedRun,
    Share,
    Status,
    StoredResult,
    Thread,
    UsageEntry,
    Verification,
)
from connections import permissions as connection_permissions
from connections.models import Connection, Membership, Role, Team, User

# --- Threads and runs ------------------------------------------------------------------------------------------------


def visible_threads(user: User) -> QuerySet[Thread]:
    """Whole threads: one's own."""
    return Thread.objects.filter(owner=user) if user.is_active else Thread.objects.none()


@dataclass(frozen=True, slots=True)
class Ways:
    """Lookups from a row to what rights hang on: its run's key and status, who asked, and the connection."""

    run: str = "pk"
    status: str = "status"
    asker: str = "question__asked_by"
    connection: str = "question__thread__connection"


def visible_runs(user: User) -> QuerySet[Run]:
    """One's own, and those of others that are open to `user`."""
    if not user.is_active:
        return Run.objects.none()
    return Run.objects.filter(Q(question__thread__owner=user) | open_to(user) | Q(pk__in=evaluated_runs(user)))


def open_to(user: User, ways: Ways = Ways()) -> Q:  # noqa: B008  (frozen)
    """Runs of others: shared with `user`, verified on a connection of theirs, in a collection of their teams, or to be
    reviewed by them. Every part is a short list of keys, so that a page over all questions asks each but once."""
    shared = Q(**{f"{ways.run}__in": shares_with(user).values("run")})
    return shared | _verified(user, ways) | _reviewable(user, ways) | _collected(user, ways)


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


def may_read_details(user: User) -> bool:
    """What only helps whoever can mend it, as a model provider's own words and address: administrators."""
    return user.is_active and user.is_staff


# --- Usage -----------------------------------------------------------------------------------------------------------


def visible_usage(user: User) -> QuerySet[UsageEntry]:
    """Staff see all, managers what was asked in their teams, everybody their own."""
    if not user.is_active:
        return UsageEntry.objects.none()
    if user.is_staff:
        return UsageEntry.objects.all()
    return UsageEntry.objects.filter(Q(user=user) | Q(team__in=managed_teams(user)))


def teams_with_usage(user: User) -> QuerySet[Team]:
    return Team.objects.order_by("name") if user.is_active and user.is_staff else managed_teams(user).order_by("name")


# --- Shares ----------------------------------------------------------------------------------------------------------


def shares_with(user: User) -> QuerySet[Share]:
    """Shares that open their run to `user` now: personal ones, those of a team of theirs, links they opened."""
    opened = Share.readers.through.objects.filter(user=user).values("share")
    return Share.live.filter(Q(person=user) | Q(team__in=_teams_of(user)) | Q(pk__in=opened))


def may_share(user: User, run: Run) -> bool:
    """The asker shares what has ended."""
    return owns_run(user, run) and not run.is_live


def may_revoke(user: User, share: Share) -> bool:
    return owns_run(user, share.run)


def _teams_of(user: User) -> QuerySet[Any, Any]:
    """Keys of the teams of `user`, without a look at the teams themselves."""
    return Membership.objects.filter(user=user).values("team")


def teams_to_share_with(user: User) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=user).order_by("name") if user.is_active else Team.objects.none()


def people_to_share_with(user: User) -> QuerySet[User]:
    """Whoever is in a team with `user`."""
    mates = User.objects.filter(memberships__team__in=teams_to_share_with(user), is_active=True).exclude(pk=user.pk)
    return mates.distinct().order_by("first_name", "last_name", "username")


# --- Verdicts, verification, review ----------------------------------------------------------------------------------


def managed_teams(user: User) -> QuerySet[Team]:
    if not user.is_active:
        return Team.objects.none()
    return Team.objects.filter(memberships__user=user, memberships__role=Role.MANAGER)


def managed_connections(user: User) -> QuerySet[Connection]:
    """Connections whose answers `user` reviews and verifies."""
    return Connection.objects.filter(grants__team__in=managed_teams(user)).distinct()


def reviewable_runs(user: User) -> QuerySet[Run]:
    """For managers: their teams' runs that failed, found no rows or got a verdict, on connections of these teams."""
    return Run.objects.filter(_reviewable(user, Ways()), question__thread__evaluation=None)


def _reviewable(user: User, ways: Ways) -> Q:
    teams = managed_teams(user).values("pk")
    askers = Membership.objects.filter(team__in=teams).values("user")
    judged = Q(**{f"{ways.run}__in": Feedback.objects.values("run")})
    empty = Q(**{f"{ways.run}__in": answered_with_no_rows()})
    return (Q(**{ways.status: Status.FAILED}) | judged | empty) & Q(
        **{f"{ways.connection}__in": managed_connections(user).values("pk"), f"{ways.asker}__in": askers}
    )


def answered_with_no_rows() -> QuerySet[Any, Any]:
    """Keys of the runs whose answer is a table without rows: often a filter by a value in another spelling."""
    return StoredResult.objects.filter(row_count=0, run__answer_result=F("number")).values("run")


def _verified(user: User, ways: Ways) -> Q:
    connections = connection_permissions.visible_connections(user).values("pk")
    verified = Verification.objects.values("run")
    return Q(**{f"{ways.run}__in": verified, f"{ways.connection}__in": connections})


def is_manager(user: User) -> bool:
    return managed_teams(user).exists()


def may_judge(user: User, run: Run) -> bool:
    """Say whether an answer is good: whoever sees it."""
    return user.is_active and not run.is_live and may_see_run(user, run)


def may_review(user: User, run: Run) -> bool:
    """Mark as reviewed, add to the regression set: a manager of the connection who sees the run. What an evaluation
    asked is in that set already."""
    measured = run.question.thread.evaluation_id is not None
    return not measured and _manages_connection_of(user, run) and may_see_run(user, run)


def may_verify(user: User, run: Run) -> bool:
    return run.status == Status.ANSWERED and may_review(user, run)


def _manages_connection_of(user: User, run: Run) -> bool:
    connection = run.question.thread.connection
    return connection is not None and managed_connections(user).filter(pk=connection.pk).exists()


# --- Evaluations -----------------------------------------------------------------------------------------------------


def visible_evaluations(user: User) -> QuerySet[Evaluation]:
    """For managers: those of their teams' connections, also removed ones, and those imported for their teams."""
    connections, teams = managed_connections(user).values("pk"), managed_teams(user).values("pk")
    kept = Evaluation.kept_for.through.objects.filter(team__in=teams).values("evaluation")
    return Evaluation.objects.filter(Q(connection__in=connections) | Q(team__in=teams) | Q(pk__in=kept))


def evaluated_runs(user: User) -> QuerySet[Any, Any]:
    """Keys of the runs of evaluations that `user` sees."""
    evaluations = visible_evaluations(user).values("pk")
    cases = EvaluationCase.objects.filter(system__evaluation__in=evaluations, run__isnull=False)
    return cases.values("run")


def connections_to_evaluate(user: User) -> QuerySet[Connection]:
    """Whose regression set `user` may have asked: a manager's, as long as it may be asked at all."""
    asking = connection_permissions.askable_connections(user).values("pk")
    return managed_connections(user).filter(pk__in=asking)


def may_evaluate(user: User, connection: Connection) -> bool:
    return connections_to_evaluate(user).filter(pk=connection.pk).exists()


# --- Comments --------------------------------------------------------------------------------------------------------


def may_comment(user: User, run: Run) -> bool:
    return user.is_active and may_see_run(user, run)


def may_delete_comment(user: User, comment: Comment) -> bool:
    """The author, and the owner of the question."""
    return user.is_active and user.pk in (comment.author_id, comment.question.thread.owner_id)


# --- Collections -----------------------------------------------------------------------------------------------------


def visible_collections(user: User) -> QuerySet[Collection]:
    """Those of one's teams."""
    return Collection.objects.filter(team__in=teams_to_share_with(user))


def _collected(user: User, ways: Ways) -> Q:
    """What was saved to a collection is shared with its team, and so are the runs that come of it, but those with a
    value that a reader set."""
    collections = visible_collections(user).values("pk")
    saved = SavedQuestion.objects.filter(collection__in=collections, run__isnull=False).values("run")
    again = SavedRun.objects.filter(saved__collection__in=collections, with_own_values=False).values("run")
    return Q(**{f"{ways.run}__in": saved}) | Q(**{f"{ways.run}__in": again})


def may_collect(user: User, team: Team) -> bool:
    """Make collections and save to them: analysts and managers."""
    return user.is_active and team.memberships.filter(user=user, role__in=connection_permissions.ASKING).exists()


def teams_to_collect_for(user: User) -> QuerySet[Team]:
    return teams_to_share_with(user).filter(memberships__user=user, memberships__role__in=connection_permissions.ASKING)


def may_edit_collection(user: User, collection: Collection) -> bool:
    """Whoever made it, and managers of the team."""
    is_maker = collection.created_by_id == user.pk and may_collect(user, collection.team)
    return is_maker or managed_teams(user).filter(pk=collection.team_id).exists()


def may_edit_saved(user: User, saved: SavedQuestion) -> bool:
    """Schedule or remove it: its owner, and managers of the team."""
    team = saved.collection.team
    is_owner = saved.owner_id == user.pk and may_collect(user, team)
    return is_owner or managed_teams(user).filter(pk=team.pk).exists()


def may_run_saved(user: User, saved: SavedQuestion) -> bool:
    return saved.connection is not None and connection_permissions.may_ask(user, saved.connection)
