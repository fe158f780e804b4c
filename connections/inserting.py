"""Rows of one table, inserted often: the statement is written once, as Django takes longer to write than to run it."""

from __future__ import annotations

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
