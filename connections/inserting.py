"""Rows of one table, inserted often: the statement is written once, as Django takes longer to write than to run it."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import AutoField, Model


class Insert:
    """`Insert(Model)(field=value, …)` is `Model.objects.create(…)` without signals and without the object. Fields that
    are left out get their defaults; foreign keys are given by their column's name (`run_id`)."""

    def __init__(self, model: type[Model]) -> None:
        self._table = model._meta.db_table
        self._fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]
        self._statements: dict[str, str] = {}  # by kind of database

    def __call__(self, **values: Any) -> None:
        if surplus := values.keys() - {field.attname for field in self._fields}:
            raise TypeError(f"{self._table} has no column {', '.join(sorted(surplus))}")
        row = []
        for field in self._fields:
            value = values[field.attname] if field.attname in values else field.get_default()
            row.append(field.get_db_prep_save(value, connection))
        with connection.cursor() as cursor:
            cursor.execute(self._statement(), row)

    def _statement(self) -> str:
        if connection.vendor not in self._statements:
            name = connection.ops.quote_name
            columns = ", ".join(name(str(field.column)) for field in self._fields)
            places = ", ".join(["%s"] * len(self._fields))
            self._statements[connection.vendor] = f"INSERT INTO {name(self._table)} ({columns}) VALUES ({places})"
        return self._statements[connection.vendor]
