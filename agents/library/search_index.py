"""Keeping the search entries: a run's is written when it begins and when it ends, in the same transaction.

Words are folded before they are stored and before they are looked for: case, accents and everything but letters and
digits go, so that PostgreSQL and SQLite see the same words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from agents.answers.program import tables_of
from agents.models import Run, RunEvent, SearchEntry
from connections.models import User

# A tsvector has an end, and nobody searches by a book.
CHARACTERS = 20_000
BATCH = 500
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_NAMES = ("username", "first_name", "last_name")


def folded(text: str) -> str:
    """`Café_Orders: 1,214` as `cafe orders 1214`."""
    whole = _THOUSANDS.sub("", unicodedata.normalize("NFKD", text))
    plain = "".join(one for one in whole if not unicodedata.combining(one))
    return " ".join("".join(one if one.isalnum() else " " for one in plain.casefold()).split())


def words_of(run: Run) -> str:
    """What the run is found by: question, answer, tables and the asker's names."""
    asker = run.question.asked_by
    parts = (run.question.text, run.answer, *tables_of(run.program), asker.get_full_name(), asker.get_username())
    return folded(" ".join(parts))[:CHARACTERS]


def entry_of(run: Run, *, newest: bool) -> SearchEntry:
    question = run.question
    return SearchEntry(
        run=run, owner_id=question.thread.owner_id, connection_id=question.thread.connection_id, status=run.status,
        cost=run.cost, asked_at=question.created_at, newest=newest, words=words_of(run),
    )  # fmt: skip


def write(run: Run) -> None:
    """The entry of one run as it is now; a run that begins is its question's newest. What an evaluation asks has none:
    it is on no list of questions."""
    if run.question.thread.evaluation_id is not None:
        return
    known = SearchEntry.objects.filter(run=run).first()
    entry = entry_of(run, newest=known is None or known.newest)
    if known is None:
        SearchEntry.objects.filter(run__question=run.question_id, newest=True).update(newest=False)
    else:
        entry.pk = known.pk
    entry.save()


def rebuild(runs: Iterable[Run] | None = None) -> int:
    """Write the entries of `runs`, or of all, anew; returns how many."""
    found = Run.objects.all() if runs is None else Run.objects.filter(pk__in=[run.pk for run in runs])
    found = found.filter(question__thread__evaluation=None)
    found = found.select_related("question__asked_by", "question__thread").order_by("question", "-created_at")
    SearchEntry.objects.filter(run__in=found.order_by().values("pk")).delete()
    entries: list[SearchEntry] = []
    last = None
    for run in found.iterator(BATCH):
        entries.append(entry_of(run, newest=run.question_id != last))
        last = run.question_id
    SearchEntry.objects.bulk_create(entries, BATCH)
    return len(entries)


@receiver(post_save, sender=Run)
def run_saved(instance: Run, created: bool, **_: Any) -> None:
    if created or instance.finished_at is not None:
        write(instance)


@receiver(post_save, sender=RunEvent)
def queued_run_cancelled(instance: RunEvent, **_: Any) -> None:
    """A run that no worker had is ended without being saved as an object."""
    if instance.kind == "run_cancelled":
        write(Run.objects.select_related("question__asked_by", "question__thread").get(pk=instance.run_id))


@receiver(post_save, sender=User)
def person_saved(instance: User, created: bool, update_fields: Iterable[str] | None, **_: Any) -> None:
    """Who got another name is found by it."""
    if created or (update_fields is not None and not set(update_fields) & set(_NAMES)):
        return
    names = folded(f"{instance.get_full_name()} {instance.get_username()}")
    stale = SearchEntry.objects.filter(owner=instance).exclude(words__endswith=names).values("run")
    rebuild(Run.objects.filter(pk__in=stale))
