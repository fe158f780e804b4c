"""Sharing a run: with people, with teams, by a link that can be revoked and expires."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import permissions
from agents.library import notices
from agents.models import Notice, Run, Share, Thread
from connections import audit
from connections import permissions as connection_permissions
from connections.models import Connection, Role, Team, User

TOKEN_BYTES = 24
# Each request for access is a notice and a mail to every manager.
BETWEEN_REQUESTS = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Audience:
    """One share as its dialogue lists it. `people` is None for a link; `without` of them cannot run it again."""

    share: Share
    people: int | None = None
    without: int = 0


# --- Reads -----------------------------------------------------------------------------------------------------------


def shares_of(run: Run) -> list[Audience]:
    """The shares that count now, oldest first."""
    shares = Share.live.filter(run=run).select_related("team", "person").order_by("created_at")
    return [_audience(share, run.question.thread.connection) for share in shares]


def audiences(run_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[Share]]:
    """By run, the shares that count now."""
    found: dict[UUID, list[Share]] = {}
    for share in Share.live.filter(run__in=list(run_ids)).select_related("team", "person").order_by("created_at"):
        found.setdefault(share.run_id, []).append(share)
    return found


def share_that_opens(user: User, run: Run) -> Share | None:
    """The share by which `user` sees the run of somebody else; the one that lasts longest."""
    shares = permissions.shares_with(user).filter(run=run).select_related("team", "person", "created_by").distinct()
    return max(shares, key=lambda one: (one.expires_at is None, one.expires_at or one.created_at), default=None)


def share_to_revoke(user: User, share_id: UUID) -> Share:
    share = Share.live.select_related("run__question__thread", "team", "person").get(pk=share_id)
    if not permissions.may_revoke(user, share):
        raise Share.DoesNotExist
    return share


def offered_names(people: Iterable[User], teams: Iterable[Team]) -> list[tuple[str, str]]:
    """For a list to choose from: what `named` reads as one team or person, each with "Team" or the username."""
    by_key, by_name = _by_key(teams), _by_name(people)
    names = [(team.name, "Team") for team in by_key.values()]
    for person in people:
        key = _key(person.get_full_name())
        is_clear = by_name.get(key) == [person] and key not in by_key
        names.append((person.get_full_name() if is_clear else person.get_username(), person.get_username()))
    return names


def named(user: User, text: str) -> tuple[list[User], list[Team]]:
    """The people and teams that `text` names, separated by commas; names may hold commas themselves. Raises
    ValidationError for a name nobody has."""
    teams, by_name = _by_key(permissions.teams_to_share_with(user)), _by_name(permissions.people_to_share_with(user))
    people: list[User] = []
    groups: list[Team] = []
    for name in _separated(text, {*teams, *by_name}):
        if _key(name) in teams:
            groups.append(teams[_key(name)])
        else:
            people.append(_person(name, by_name.get(_key(name), [])))
    return people, groups


def _by_key(teams: Iterable[Team]) -> dict[str, Team]:
    return {_key(team.name): team for team in teams}


def _by_name(people: Iterable[User]) -> dict[str, list[User]]:
    """By the keys of their usernames and full names."""
    found: dict[str, list[User]] = {}
    for person in people:
        for key in {_key(person.get_username()), _key(person.get_full_name())} - {""}:
            found.setdefault(key, []).append(person)
    return found


def _key(name: str) -> str:
    """A name without its letters' case and its blanks' number."""
    return ",".join(" ".join(part.split()) for part in name.casefold().split(","))


def _separated(text: str, known: Set[str]) -> Iterator[str]:
    """The names in `text`: the longest known one first, else up to the next comma."""
    parts = text.split(",")
    longest = 1 + max((key.count(",") for key in known), default=0)
    while parts:
        heads = [",".join(parts[:number]) for number in range(min(longest, len(parts)), 0, -1)]
        head = next((one for one in heads if _key(one) in known), parts[0])
        del parts[: head.count(",") + 1]
        if head.strip():
            yield head.strip()


def _person(name: str, found: Sequence[User]) -> User:
    """A username as it is spelled names one person, whatever others are called."""
    exact = [person for person in found if person.get_username() == name] or found
    if not exact:
        raise ValidationError(
            f"Nobody in your teams is called {name}, and no team of yours. Choose from the list, or make a link.",
            code="unknown",
        )
    if len(exact) > 1:
        usernames = ", ".join(person.get_username() for person in exact)
        raise ValidationError(f"Several people are called {name}; write one of {usernames}.", code="several")
    return exact[0]


def _audience(share: Share, connection: Connection | None) -> Audience:
    if share.team is not None:
        members: QuerySet[User] = User.objects.filter(memberships__team=share.team, is_active=True)
    elif share.person is not None:
        members = User.objects.filter(pk=share.person.pk)
    else:
        return Audience(share)
    able = connection_permissions.people_who_may_ask(connection) if connection is not None else User.objects.none()
    return Audience(share, members.count(), members.exclude(pk__in=able).count())


# --- Writes ----------------------------------------------------------------------------------------------------------


def share(*, user: User, run: Run, people: Iterable[User] = (), teams: Iterable[Team] = (), days: int = 0) -> None:
    """Open `run` to people and teams for `days`, 0 for ever. What is shared already gets the new end."""
    if not permissions.may_share(user, run):
        raise Run.DoesNotExist
    allowed_people = set(permissions.people_to_share_with(user).values_list("pk", flat=True))
    allowed_teams = set(permissions.teams_to_share_with(user).values_list("pk", flat=True))
    with transaction.atomic():
        for person in people:
            if person.pk in allowed_people:
                _share_one(user, run, days, person=person)
        for team in teams:
            if team.pk in allowed_teams:
                _share_one(user, run, days, team=team)


def make_link(*, user: User, run: Run, days: int = 0) -> str:
    """The token of a new link, which is told this once."""
    if not permissions.may_share(user, run):
        raise Run.DoesNotExist
    token = secrets.token_urlsafe(TOKEN_BYTES)
    made = Share.objects.create(run=run, token_hash=_hash(token), created_by=user, expires_at=_end(days))
    _record("link made", user, made)
    return token


def revoke(*, user: User, share: Share) -> None:
    if not permissions.may_revoke(user, share):
        raise Share.DoesNotExist
    if Share.objects.filter(pk=share.pk, revoked_at=None).update(revoked_at=timezone.now()):
        _record("share revoked", user, share)


def open_link(*, user: User, token: str) -> Run:
    """The run behind a link, which from now on `user` finds among what is shared with them. Raises
    Share.DoesNotExist for a link that was never made, was revoked, or has expired."""
    share = Share.live.select_related("run__question__thread").get(token_hash=_hash(token))
    if not permissions.owns_run(user, share.run) and not share.readers.filter(pk=user.pk).exists():
        share.readers.add(user)
        _record("link opened", user, share)
    return share.run


def ask_for_access(*, user: User, run: Run) -> int:
    """Tell the managers of the connection's teams that `user` would like to ask it; returns how many were told. Raises
    ValidationError where `user` told them lately, from any run of the thread."""
    connection = run.question.thread.connection
    if connection is None or not permissions.may_see_run(user, run):
        raise Run.DoesNotExist
    managers = User.objects.filter(
        memberships__role=Role.MANAGER, memberships__team__connections=connection, is_active=True
    ).distinct()
    with transaction.atomic():
        Thread.objects.select_for_update().get(pk=run.question.thread_id)  # of two requests at once the second waits
        if _asked_lately(user, run):
            raise ValidationError("You asked for access already, and the managers were told. Ask again in a day.",
                                  code="asked")  # fmt: skip
        notices.tell(users=managers, actor=user, kind=Notice.Kind.ACCESS, run=run, text=f"To ask {connection.name}.")
        audit.record("access asked for", actor=user, target=connection)
    return managers.count()


def _asked_lately(user: User, run: Run) -> bool:
    asked = Notice.objects.filter(kind=Notice.Kind.ACCESS, actor=user, run__question__thread=run.question.thread_id)
    return asked.filter(created_at__gt=timezone.now() - BETWEEN_REQUESTS).exists()


def _share_one(user: User, run: Run, days: int, *, person: User | None = None, team: Team | None = None) -> None:
    known = Share.live.filter(run=run, person=person, team=team, token_hash=None).first()
    if known is not None:
        known.expires_at = _end(days)
        known.save(update_fields=["expires_at"])
    else:
        known = Share.objects.create(run=run, person=person, team=team, created_by=user, expires_at=_end(days))
        if person is not None:
            notices.tell(users=[person], actor=user, kind=Notice.Kind.SHARE, run=run)
    _record("shared", user, known)


def _record(action: str, user: User, share: Share) -> None:
    until = share.expires_at.isoformat() if share.expires_at else "for ever"
    detail = {"run": str(share.run_id), "with": share.audience, "until": until}
    audit.record(action, actor=user, target=share.run.question, detail=detail)


def _end(days: int) -> datetime | None:
    return timezone.now() + timedelta(days=days) if days else None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
