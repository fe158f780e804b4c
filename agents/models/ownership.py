"""Which questions a team has: they stay when their asker is deleted, or when private ones go for their age."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db.models import CASCADE, Field, Model, Q
from django.db.models.deletion import Collector
from django.utils import timezone

from connections.models import User

DELETED_PERSON = "deleted-person"


def deleted_person() -> User:
    """Stands where a deleted person stood. Nobody can log in as it: an account that somebody made under its name is
    passed over."""
    tried = (_person_called(f"{DELETED_PERSON}-{number}" if number else DELETED_PERSON) for number in count())
    return next(person for person in tried if not (person.is_active or person.has_usable_password()))


def _person_called(username: str) -> User:
    person, _ = User.objects.get_or_create(
        username=username,
        defaults={"first_name": "A deleted", "last_name": "person", "is_active": False,
                  "password": make_password(None)},
    )  # fmt: skip
    return person


def of_a_team(run: str) -> Q:
    """Questions that a team has. `run` is the lookup's way to the run, such as "runs__"."""
    return answers_of_a_team(run) | Q(**{f"{run}saved_run__isnull": False})


def answers_of_a_team(run: str) -> Q:
    """Of these, what people shared, verified, collected or had measured; not what saved questions gave since."""
    shared = Q(**{f"{run}shares__team__isnull": False, f"{run}shares__revoked_at": None})
    unexpired = Q(**{f"{run}shares__expires_at": None}) | Q(**{f"{run}shares__expires_at__gt": timezone.now()})
    collected = Q(**{f"{run}saved_as__isnull": False})
    evaluated = Q(**{f"{run}evaluation_case__isnull": False})
    return (shared & unexpired) | Q(**{f"{run}verification__isnull": False}) | collected | evaluated


def keep_teams_questions(collector: Collector, field: Field[Any, Any], objects: Any, using: str) -> None:
    """For on_delete of threads and questions: a team's go on under `deleted_person`, the rest is deleted."""
    way = "runs__" if objects.model._meta.model_name == "question" else "questions__runs__"
    theirs = {f"{field.attname}__in": {getattr(one, field.attname) for one in objects}}
    found = objects.model.objects.using(using).filter(of_a_team(way), **theirs)
    kept = set(found.values_list("pk", flat=True))
    staying: list[Model] = [one for one in objects if one.pk in kept]
    going: list[Model] = [one for one in objects if one.pk not in kept]
    if staying:
        collector.add_field_update(field, deleted_person(), staying)
    if going:
        CASCADE(collector, field, going, using)  # type: ignore[arg-type]  # a list will do
