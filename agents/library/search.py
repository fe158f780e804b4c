"""The list of questions: one's own and those open to one, searched and filtered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db import connection as own_database
from django.db.models import Count, Q, QuerySet, Window
from django.db.models.expressions import RawSQL

from agents import permissions
from agents.library.search_index import folded
from agents.models import LIVE, Run, SavedFilter, SearchEntry, Share, Verification
from connections.models import Membership, User
from connections.storable import storable

ENTRY = permissions.Ways(run="run", status="status", asker="owner", connection="connection")
MOST_WORDS = 12
MOST_FILTERS = 30
MOST_ROWS = 2**63 - 1  # that databases can skip
# OFFSET 0 keeps PostgreSQL from reading the words of every entry that the rights leave, instead of its index.
_MATCH = {
    "postgresql": (
        "SELECT id FROM agents_searchentry WHERE to_tsvector('simple', words) @@ to_tsquery('simple', %s) OFFSET 0",
        " & ", "{}:*",
    ),
    "sqlite": ("SELECT rowid FROM agents_search_fts WHERE agents_search_fts MATCH %s", " AND ", '"{}"*'),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """Of the list; empty fields filter nothing. `show` is "mine", "shared" or "" for both; `cost` the least in US
    dollars."""

    search: str = ""
    show: str = ""
    person: int | None = None
    team: int | None = None
    connection: int | None = None
    status: str = ""
    verified: bool = False
    cost: Decimal | None = None


def found(user: User, filters: Filters = Filters()) -> QuerySet[SearchEntry]:  # noqa: B008  (frozen)
    """Newest first: of one's own questions the newest run, of others' the runs that are open to `user`."""
    entries = _visible(user, filters.show)
    for condition in _conditions(user, filters):
        entries = entries.filter(condition)
    return entries.order_by("-asked_at", "-pk").only("run_id", "asked_at")


def page_of(entries: QuerySet[SearchEntry], number: int, size: int) -> Page[Run]:
    """The runs of page `number` of `entries`, from 1; of the last page where there are fewer. Counted by the same
    query, so that rights and words are looked up once."""
    number = min(number, MOST_ROWS // size)
    counted = entries.annotate(total=Window(Count("*")))
    part = list(counted[(number - 1) * size : number * size])
    paginator: Paginator[Run] = Paginator((), size)
    if not part and number > 1:  # from the end
        part = list(counted.reverse()[:size])
        part = part[: (part[0].total - 1) % size + 1][::-1] if part else []
    paginator.count = part[0].total if part else 0
    return Page(with_runs(part), min(number, paginator.num_pages), paginator)


def with_runs(entries: Iterable[SearchEntry]) -> list[Run]:
    """The runs of `entries`, in their order, with all that a line of the list shows."""
    order = [entry.run_id for entry in entries]
    related = ("question__thread__connection", "question__asked_by", "verification")
    runs = Run.objects.select_related(*related).in_bulk(order)
    return [runs[key] for key in order if key in runs]


def _visible(user: User, show: str) -> QuerySet[SearchEntry]:
    if not user.is_active:
        return SearchEntry.objects.none()
    mine = Q(owner=user, newest=True)
    if show == "mine":
        return SearchEntry.objects.filter(mine)
    others = ~Q(owner=user) & permissions.open_to(user, ENTRY)
    return SearchEntry.objects.filter(others if show == "shared" else mine | others)


def _conditions(user: User, filters: Filters) -> list[Q]:
    conditions = []
    words = folded(filters.search).split()[:MOST_WORDS]
    if filters.search.strip():
        conditions.append(Q(pk__in=_matching(words)) if words else Q(pk__in=[]))
    if filters.person is not None:
        conditions.append(Q(owner=filters.person))
    if filters.team is not None:
        team = permissions.teams_to_share_with(user).filter(pk=filters.team)  # who is in others' teams is not told
        conditions.append(Q(owner__in=Membership.objects.filter(team__in=team).values("user")))
    if filters.connection is not None:
        conditions.append(Q(connection=filters.connection))
    if filters.status:
        live = filters.status in LIVE
        conditions.append(Q(run__status=filters.status) if live else Q(status=filters.status))
    if filters.verified:
        conditions.append(Q(run__in=Verification.objects.values("run")))
    if filters.cost is not None:
        conditions.append(Q(cost__gte=filters.cost))
    return conditions


def _matching(words: list[str]) -> RawSQL:
    """Keys of the entries in which every one of `words` begins a word. Folded words hold letters and digits only."""
    sql, glue, form = _MATCH[own_database.vendor]
    return RawSQL(sql, [glue.join(form.format(word) for word in words)])  # noqa: S611


# --- Saved filters ---------------------------------------------------------------------------------------------------


def saved_filters(user: User) -> QuerySet[SavedFilter]:
    return SavedFilter.objects.filter(user=user)


def save_filter(*, user: User, name: str, query: str) -> SavedFilter:
    """Keep the filter under `name`, in the place of one that has it. Raises ValidationError."""
    name = storable(" ".join(name.split()))
    if not name or not query:
        raise ValidationError("Filter the list first, and give the filter a name.", code="empty")
    if len(name) > 60 or len(query) > 500:
        raise ValidationError("The name has at most 60 characters, the filter at most 500.", code="long")
    if saved_filters(user).exclude(name=name).count() >= MOST_FILTERS:
        raise ValidationError(f"You keep {MOST_FILTERS} filters already; delete one first.", code="many")
    return SavedFilter.objects.update_or_create(user=user, name=name, defaults={"query": query})[0]


def delete_filter(*, user: User, filter_id: int) -> None:
    saved_filters(user).get(pk=filter_id).delete()


# --- Threads of chosen lines -----------------------------------------------------------------------------------------


def others_have(thread_ids: Iterable[UUID]) -> set[UUID]:
    """Of these threads, those with an answer that is not their owner's alone: verified, in a collection or shared."""
    runs = Run.objects.filter(question__thread__in=list(thread_ids))
    elsewhere = Q(verification__isnull=False) | Q(saved_as__isnull=False) | Q(saved_run__isnull=False)
    found = runs.filter(elsewhere | Q(pk__in=Share.live.values("run")))
    return set(found.values_list("question__thread", flat=True))


def own_runs(user: User, run_ids: Iterable[UUID]) -> QuerySet[Run]:
    return Run.objects.filter(pk__in=list(run_ids), question__thread__owner=user).select_related("question__thread")
