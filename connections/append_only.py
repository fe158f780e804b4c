"""Logs that are only added to: no update and no delete through the ORM; the database's triggers refuse the rest.

The one way out is `retire`: it opens the triggers for entries before a moment, in one transaction, and shuts them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NoReturn, Self

from django.db import models, transaction


class AppendOnlyError(Exception):
    """Somebody tried to change or delete what was written down."""

    def __init__(self) -> None:
        super().__init__("A log is only added to; entries go when they are older than LOG_DAYS.")


class Entries(models.QuerySet[Any]):
    def update(self, **_: Any) -> NoReturn:
        raise AppendOnlyError

    def delete(self) -> NoReturn:
        raise AppendOnlyError

    def bulk_update(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnlyError

    def bulk_create(self, objs: Iterable[Any], *args: Any, **options: Any) -> list[Any]:
        if options.get("update_conflicts"):
            raise AppendOnlyError
        return super().bulk_create(objs, *args, **options)

    def before(self, moment: datetime) -> Self:
        return self.filter(at__lt=moment)

    def retire(self, moment: datetime) -> int:
        """Delete the entries before `moment`, which is the log's retention; how many went."""
        cutoff: Any = self.model._meta.apps.get_model("connections", "LogCutoff")
        with transaction.atomic():
            cutoff.objects.update_or_create(pk=1, defaults={"before": moment})
            number, _ = models.QuerySet.delete(self.before(moment))
            cutoff.objects.filter(pk=1).update(before=None)
        return number

    delete.queryset_only = True  # type: ignore[attr-defined]  # as Django marks its own


class AppendOnly(models.Model):
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = models.Manager.from_queryset(Entries)()

    class Meta:
        abstract = True

    def save(self, **options: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError
        super().save(**{**options, "force_insert": True})

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnlyError
