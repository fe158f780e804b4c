"""Telling people: a notice on the page, and an e-mail where the site can send one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Count, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from agents import permissions, tasks
from agents.models import Notice, Run, SavedQuestion
from connections.models import Membership, User

KEPT_ON_PAGE = 100


@dataclass(frozen=True, slots=True)
class Told:
    """A notice as it is read now: without its question and words where the run is not open to its reader any more."""

    notice: Notice
    question: str
    text: str


def notices_of(user: User) -> list[Told]:
    """The newest KEPT_ON_PAGE, newest first."""
    found = list(Notice.objects.filter(user=user).select_related("actor", "run__question")[:KEPT_ON_PAGE])
    runs = permissions.visible_runs(user).filter(pk__in=[one.run_id for one in found])
    saved = _visible_saved(user).filter(pk__in=[one.saved_id for one in found])
    visible = {*runs.values_list("pk", flat=True), *saved.values_list("pk", flat=True)}
    return [_told(one, is_open=(one.run_id or one.saved_id) in visible) for one in found]


def _told(notice: Notice, *, is_open: bool) -> Told:
    if notice.kind == Notice.Kind.ACCESS:  # for managers, to whom the answer itself need not be open
        return Told(notice, "", notice.text)
    question = notice.run.question.text if notice.run is not None else ""
    return Told(notice, question, notice.text) if is_open else Told(notice, "", "")


def _visible_saved(user: User) -> QuerySet[SavedQuestion]:
    return SavedQuestion.objects.filter(collection__in=permissions.visible_collections(user))


def _is_open(user: User, run: Run | None, saved: SavedQuestion | None) -> bool:
    if run is not None:
        return permissions.may_see_run(user, run)
    return saved is not None and _visible_saved(user).filter(pk=saved.pk).exists()


def number_of(user: User) -> int:
    """How many there are in all; `notices_of` holds the newest."""
    return Notice.objects.filter(user=user).count()


def unread(user: User) -> int:
    return Notice.objects.filter(user=user, read_at=None).count()


def memberships(user: User) -> QuerySet[Membership]:
    """Of the person, by team, each with `unread`: what every page shows of a person, in one query."""
    count = Notice.objects.filter(user=user, read_at=None).order_by().values("user").annotate(n=Count("pk")).values("n")
    return Membership.objects.filter(user=user).select_related("team").order_by("team__name").annotate(
        unread=Coalesce(Subquery(count), 0)
    )


def notice_to_read(user: User, notice_id: int) -> Notice:
    return Notice.objects.select_related("run").get(pk=notice_id, user=user)


def address_of(notice: Notice) -> str:
    """The page that a notice leads to: of a request for access, the teams, where people are invited."""
    if notice.kind == Notice.Kind.ACCESS:
        return reverse("teams")
    if notice.run is None:
        return reverse("saved", args=[notice.saved_id])
    place = f"#comments-{notice.run.question_id}" if notice.kind in (Notice.Kind.MENTION, Notice.Kind.COMMENT) else ""
    return f"{reverse('run', args=[notice.run_id])}{place}"


def tell(
    *, users: Iterable[User], actor: User | None, kind: Notice.Kind, run: Run | None = None,
    saved: SavedQuestion | None = None, text: str = "",
) -> None:  # fmt: skip
    """One notice about `run` or `saved` for each of `users` but the actor, to whom it is open: who left a team is told
    no result of it. Called inside a transaction, it is sent after the commit."""
    by = actor.pk if actor is not None else None
    for user in {one.pk: one for one in users if one.pk != by and one.is_active}.values():
        if kind != Notice.Kind.ACCESS and not _is_open(user, run, saved):
            continue
        notice = Notice.objects.create(user=user, actor=actor, kind=kind, run=run, saved=saved, text=text)
        if settings.EMAIL_URL and user.email:
            transaction.on_commit(lambda key=notice.pk: tasks.enqueue_mail(key))  # type: ignore[misc]


def read(*, user: User, notice: Notice | None = None) -> None:
    """Mark as read: `notice`, or all of `user`."""
    found = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        found = found.filter(pk=notice.pk)
    found.update(read_at=timezone.now())


def send(notice_id: int) -> None:
    """E-mail a notice that was not read meanwhile, and whose run was not closed meanwhile."""
    found = Notice.objects.filter(pk=notice_id, read_at=None)
    notice = found.select_related("user", "actor", "run__question", "saved").first()
    if notice is None or not notice.user.email:
        return
    told = _told(notice, is_open=_is_open(notice.user, notice.run, notice.saved))
    if not told.question and not told.text:
        return
    address = f"{settings.SITE_URL}{address_of(notice)}"
    body = "\n\n".join(filter(None, [f"{notice}:", told.question, told.text, address]))
    send_mail(f"{notice}", body, None, [notice.user.email])
