"""Comments on a question, with @mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from agents import permissions
from agents.library import notices
from agents.models import Comment, Notice, Question, Run
from connections.models import User

CHARACTERS = 4_000
# A name as Django allows it, not the end of an e-mail address; a full stop behind it belongs to the sentence.
MENTION = re.compile(r"(?<![\w.+-])@([\w.@+-]*\w)")


# --- Reads -----------------------------------------------------------------------------------------------------------


def comments_on(user: User, questions: Iterable[Question]) -> Mapping[UUID, list[Comment]]:
    """By question, oldest first; of another's question, what was said about the runs that are open to `user`."""
    found: dict[UUID, list[Comment]] = {}
    theirs = Q(question__thread__owner=user) | Q(author=user) | Q(run__in=permissions.visible_runs(user).values("pk"))
    said = Comment.objects.filter(theirs, question__in=list(questions))
    for comment in said.select_related("author", "question__thread"):
        found.setdefault(comment.question_id, []).append(comment)
    return found


def comment_to_delete(user: User, comment_id: int) -> Comment:
    comment = Comment.objects.select_related("question__thread", "run__question__thread").get(pk=comment_id)
    if not permissions.may_delete_comment(user, comment):
        raise Comment.DoesNotExist
    return comment


def run_around(user: User, comment: Comment) -> Run | None:
    """The run that the comment is about, else the newest of its question; of those that are open to `user`."""
    found = permissions.visible_runs(user).filter(question=comment.question_id).select_related("question")
    runs = list(found.order_by("-created_at"))
    return next((run for run in runs if run.pk == comment.run_id), runs[0] if runs else None)


# --- Writes ----------------------------------------------------------------------------------------------------------


def comment(*, user: User, run: Run, text: str) -> Comment:
    """Say something about the question of `run`. Who is mentioned is told, and the asker. Raises ValidationError."""
    if not permissions.may_comment(user, run):
        raise Run.DoesNotExist
    text = text.strip().replace("\x00", "")
    if not text:
        raise ValidationError("Write something first.", code="empty")
    if len(text) > CHARACTERS:
        raise ValidationError(f"The comment has {len(text):,} characters; at most {CHARACTERS:,} fit.", code="long")
    mentioned = _mentioned(user, run, text)
    with transaction.atomic():
        made = Comment.objects.create(question=run.question, run=run, author=user, text=text)
        notices.tell(users=mentioned, actor=user, kind=Notice.Kind.MENTION, run=run, text=text)
        asker = {run.question.asked_by} - set(mentioned)
        notices.tell(users=asker, actor=user, kind=Notice.Kind.COMMENT, run=run, text=text)
    return made


def delete(*, user: User, comment: Comment) -> None:
    if not permissions.may_delete_comment(user, comment):
        raise Comment.DoesNotExist
    comment.delete()


def _mentioned(user: User, run: Run, text: str) -> list[User]:
    """Raises ValidationError for a name that nobody nearby has, and for people who do not see the run."""
    names = {name.casefold(): name for name in MENTION.findall(text)}
    known = {person.get_username().casefold(): person for person in _nearby(user, run)}
    unknown = [name for key, name in names.items() if key not in known]
    if unknown:
        raise ValidationError(
            f"Nobody in your teams has the user name {unknown[0]}. Correct it, or leave out the @.", code="unknown"
        )
    found = [known[key] for key in names]
    blind = [person for person in found if not permissions.may_see_run(person, run)]
    if blind:
        name = blind[0].get_full_name() or blind[0].get_username()
        raise ValidationError(f"{name} does not see this answer. Share it first, then mention them.", code="blind")
    return found


def _nearby(user: User, run: Run) -> list[User]:
    authors = User.objects.filter(comments__question=run.question, is_active=True).distinct()
    asker = [run.question.asked_by] if run.question.asked_by.is_active else []
    return [*permissions.people_to_share_with(user), *authors, *asker, user]
