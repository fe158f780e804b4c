"""Statements on one table that run often: each is written once, as Django takes longer to write than to run it."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import AutoField, Model


class Insert:
    """`Insert(Model)(row)` is `row.save(force_insert=True)` without signals; a generated key is not read back."""

    def __init__(self, model: type[Model]) -> None:
        self._table = model._meta.db_table
        self._fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]
        self._statements: dict[str, str] = {}  # by kind of database

    def __call__(self, row: Model) -> None:
        values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in self._fields]
        with connection.cursor() as cursor:
            cursor.execute(self._statement(), values)

    def _statement(self) -> str:
        if connection.vendor not in self._statements:
            name = connection.ops.quote_name
            columns = ", ".join(name(str(field.column)) for field in self._fields)
            places = ", ".join(["%s"] * len(self._fields))
            self._statements[connection.vendor] = f"INSERT INTO {name(self._table)} ({columns}) VALUES ({places})"
        return self._statements[connection.vendor]


class Delete:
    """`Delete(Model)(key)` deletes the row of that primary key, if there is one, without signals."""

    def __init__(self, model: type[Model]) -> None:
        self._table, self._key = model._meta.db_table, model._meta.pk

    def __call__(self, key: Any) -> None:
        name = connection.ops.quote_name
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {name(self._table)} WHERE {name(str(self._key.column))} = %s",
                [self._key.get_db_prep_value(key, connection)],
            )
