"""Collections of saved questions: made by a team's analysts, read by the whole team, run again without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import cast

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Prefetch, Q, QuerySet

from agents import permissions, services
from agents.answers.parameters import Parameter, parameters_of, with_values
from agents.models import Collection, Run, SavedQuestion, SavedRun, Status
from connections import audit
from connections.catalogue import DialectName
from connections.models import Connection, Team, User

KEPT_RUNS = 12


# --- Reads -----------------------------------------------------------------------------------------------------------


def collections_for(user: User) -> QuerySet[Collection]:
    """With `questions`, how many each holds."""
    return permissions.visible_collections(user).select_related("team").annotate(questions=Count("saved"))


def collection_to_see(user: User, collection_id: int) -> Collection:
    return permissions.visible_collections(user).select_related("team").get(pk=collection_id)


def collection_that_opens(user: User, run: Run) -> Collection | None:
    """The collection of a team of theirs in which `user` finds the run; the first by name, where there are several."""
    kept = Q(saved__run=run) | Q(saved__runs__run=run, saved__runs__with_own_values=False)
    return permissions.visible_collections(user).filter(kept).select_related("team").first()


def saved_in(collection: Collection, *, text: str = "", show: str = "") -> QuerySet[SavedQuestion]:
    """`show` is "verified", "scheduled" or "" for all."""
    found = collection.saved.select_related("owner", "connection", "run__verification").prefetch_related(
        "recipients", Prefetch("runs", queryset=_told_runs(), to_attr="told_runs")
    )
    for word in text.split():
        found = found.filter(Q(title__icontains=word) | Q(note__icontains=word))
    if show == "verified":
        found = found.filter(run__verification__isnull=False)
    return found.exclude(cadence="") if show == "scheduled" else found


def _told_runs() -> QuerySet[SavedRun]:
    """The last ones whose value stands on the team's page: of a reader's own values nobody else is told."""
    return SavedRun.objects.filter(with_own_values=False, settled=True).exclude(value="")[:KEPT_RUNS]


def saved_to_see(user: User, saved_id: int) -> SavedQuestion:
    visible = SavedQuestion.objects.filter(collection__in=permissions.visible_collections(user))
    around = ("collection__team", "owner", "scheduled_by", "connection", "run__verification")
    return visible.select_related(*around).get(pk=saved_id)


def saved_to_edit(user: User, saved_id: int) -> SavedQuestion:
    saved = saved_to_see(user, saved_id)
    if not permissions.may_edit_saved(user, saved):
        raise SavedQuestion.DoesNotExist
    return saved


def parameters(saved: SavedQuestion) -> list[Parameter]:
    return [Parameter(**one) for one in saved.parameters]


def values_to_open(run: Run) -> list[Parameter]:
    """What readers may be let set; nothing where the connection was deleted, as it then never runs."""
    connection = run.question.thread.connection
    return parameters_of(run.steps, _dialect(connection)) if connection is not None else []


def _dialect(connection: Connection) -> DialectName:
    return cast("DialectName", connection.kind)


# --- Writes ----------------------------------------------------------------------------------------------------------


def create_collection(*, user: User, team: Team, name: str, description: str = "") -> Collection:
    """Raises ValidationError, and Team.DoesNotExist where the right is missing."""
    if not permissions.may_collect(user, team):
        raise Team.DoesNotExist
    name = " ".join(name.split())
    if not name or len(name) > 100 or len(description) > 300:
        raise ValidationError("Give the collection a name of at most 100 characters.", code="name")
    if Collection.objects.filter(team=team, name=name).exists():
        raise ValidationError(f"{team.name} has a collection {name} already.", code="taken")
    return Collection.objects.create(team=team, name=name, description=description.strip(), created_by=user)


def delete_collection(*, user: User, collection: Collection) -> None:
    if not permissions.may_edit_collection(user, collection):
        raise Collection.DoesNotExist
    audit.record("collection deleted", actor=user, target=collection)
    collection.delete()


def save(
    *, user: User, run: Run, collection: Collection, title: str, note: str = "", names: Mapping[int, str] | None = None
) -> SavedQuestion:
    """Keep the program of `run` in `collection`, whose team then sees the run. `names` are the literals, by their place
    in `values_to_open`, that readers may set. Raises ValidationError."""
    if not permissions.may_share(user, run) or not permissions.may_collect(user, collection.team):
        raise Run.DoesNotExist
    title = " ".join(title.split())
    if not run.steps or run.status != Status.ANSWERED:
        raise ValidationError("Only an answer with steps can be saved: it is run again by them.", code="no_steps")
    if not title or len(title) > 200 or len(note) > 300:
        raise ValidationError("Give it a title of at most 200 characters, and a note of at most 300.", code="title")
    chosen = _chosen(values_to_open(run), names or {})
    with transaction.atomic():
        saved = SavedQuestion.objects.create(
            collection=collection, title=title, note=note.strip(), connection=run.question.thread.connection,
            program=run.steps, parameters=[asdict(one) for one in chosen], owner=user, run=run,
        )  # fmt: skip
        detail = {"run": str(run.pk), "with": collection.team.name, "collection": collection.name}
        audit.record("saved to collection", actor=user, target=run.question, detail=detail)
    return saved


def _chosen(found: Sequence[Parameter], names: Mapping[int, str]) -> list[Parameter]:
    chosen = []
    for place, name in names.items():
        if not 0 <= place < len(found) or not name.strip() or len(name) > 60:
            raise ValidationError("Give each value that readers may set a name of at most 60 characters.", code="names")
        one = found[place]
        chosen.append(Parameter(" ".join(name.split()), one.step, one.place, one.kind, one.value))
    if len({one.name for one in chosen}) < len(chosen):
        raise ValidationError("Two values that readers may set have the same name.", code="names")
    return chosen


def run_again(
    *, user: User, saved: SavedQuestion, values: Mapping[str, str] | None = None, scheduled: bool = False
) -> Run:
    """Run the program on fresh data as `user`, without a model. Raises ValidationError, and Connection.DoesNotExist
    where `user` may not ask."""
    values = {name: value for name, value in (values or {}).items() if value != ""}
    known = parameters(saved)
    changed = {one.name: values[one.name] for one in known if values.get(one.name, one.value) != one.value}
    if saved.connection is None:
        raise ValidationError("The connection of this question was deleted.", code="connection")
    try:
        program = with_values(saved.program, known, values, _dialect(saved.connection))
    except ValueError as error:
        raise ValidationError(str(error), code="value") from error
    own = f" ({', '.join(f'{name} = {value}' for name, value in changed.items())})" if changed else ""
    with transaction.atomic():
        run = services.ask_program(
            user=user, connection=saved.connection, text=saved.title + own, program=program, scheduled=scheduled
        )
        SavedRun.objects.create(saved=saved, run=run, scheduled=scheduled, with_own_values=bool(changed))
    return run


def delete_saved(*, user: User, saved: SavedQuestion) -> None:
    if not permissions.may_edit_saved(user, saved):
        raise SavedQuestion.DoesNotExist
    audit.record("removed from collection", actor=user, target=saved)
    saved.delete()
