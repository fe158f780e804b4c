"""A saved question in a collection, on a small shop."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.library import collecting
from agents.models import Collection, SavedQuestion, Status
from connections import services as connection_services
from tests.server.conftest import Cast, make_cast, make_run
from tests.server.five_turns import SHOP, op

PROGRAM = [
    op("table_ref", "c", table="customers"), op("filter_expr", "kept", rel="c", predicate="country = 'DE' AND id > 0"),
    op("aggregate", "counted", rel="kept", group_by=[], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    op("execute", rel="counted"),
]  # fmt: skip


def cast_with_shop(folder: Path) -> Cast:
    folder.mkdir()
    change(folder / "shop.sqlite", SHOP)
    people = make_cast()
    connection_services.refresh_catalogue(people.shop)
    return people


def change(shop: Path, sql: str) -> None:
    database = sqlite3.connect(shop)
    database.executescript(sql)
    database.close()


def keep(cast: Cast, program: Sequence[dict[str, Any]] = PROGRAM, **more: Any) -> SavedQuestion:
    run = make_run(cast, status=Status.ANSWERED, program=program)
    place, _ = Collection.objects.get_or_create(team=cast.team, name="Reports", created_by=cast.ada)
    fields = {"title": "Customers", "names": {0: "country"} if program is PROGRAM else {}, **more}
    return collecting.save(user=cast.ada, run=run, collection=place, **fields)
