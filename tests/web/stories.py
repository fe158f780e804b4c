"""The cast of the pages' tests, and runs as the worker would have left them.

Olga owns the questions, Tom is in her team, Sara knows neither. Events are saved exactly as a worker saves them, so
that the pages read what they will read in life.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.answers import store
from agents.models import Question, Run, RunEvent, Status, StoredResult, Thread
from agents.traces import events
from connections import snapshots
from connections.catalogue import Catalogue, Column, ForeignKey, SemanticType, Table
from connections.models import Connection, ConnectionGrant, Membership, Role, Team, User


def _columns(*columns: tuple[str, str, SemanticType]) -> tuple[Column, ...]:
    return tuple(Column(name, kind, semantic, nullable=name != "id") for name, kind, semantic in columns)


SHOP = Catalogue(
    "sqlite",
    (
        Table(
            "orders", primary_key=("id",), row_estimate=20310,
            foreign_keys=(ForeignKey(("customer_id",), None, "customers", ("id",)),),
            columns=_columns(("id", "INTEGER", "integer"), ("customer_id", "INTEGER", "integer"),
                             ("ordered_at", "DATE", "date"), ("total", "NUMERIC(12, 2)", "decimal"),
                             ("status", "TEXT", "text")),
        ),
        Table("customers", primary_key=("id",), row_estimate=8050,
              columns=_columns(("id", "INTEGER", "integer"), ("name", "TEXT", "text"), ("country", "TEXT", "text"))),
    ),
)  # fmt: skip


@dataclass
class Cast:
    olga: User
    tom: User
    sara: User
    team: Team
    shop: Connection


def cast() -> Cast:
    team = Team.objects.create(name="Retail analytics")
    people = [
        User.objects.create_user("olga", password="olga's long password", first_name="Olga", last_name="Owner"),
        User.objects.create_user("tom", password="tom's long password", first_name="Tom", last_name="Teammate"),
        User.objects.create_user("sara", password="sara's long password", first_name="Sara", last_name="Stranger"),
    ]
    for user in people[:2]:
        Membership.objects.create(team=team, user=user, role=Role.ANALYST)
    shop = Connection.objects.create(name="Shop", kind="sqlite", database="shop.sqlite", notes="The shop's orders.")
    ConnectionGrant.objects.create(team=team, connection=shop)
    snapshots.keep(shop, SHOP)
    olga, tom, sara = people
    return Cast(olga, tom, sara, team, shop)


def call(op: str, out: str = "", **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args, **({"out": out} if out else {})}


PROGRAM = [
    call("table_ref", "orders", table="orders"),
    call("filter_expr", "recent", rel="orders", predicate="ordered_at >= '2026-01-01'"),
    call("table_ref", "customers", table="customers"),
    call("join_table", "joined", left="recent", right="customers", how="inner", on=[["customer_id", "id"]]),
    call("aggregate", "by_country", rel="joined", group_by=["country"],
         aggs=[{"fn": "sum", "column": "total", "as": "sales"}, {"fn": "count", "column": "*", "as": "orders"}]),
    call("order_by", "ranked", rel="by_country", keys=[["sales", "desc"]]),
    call("execute", "", rel="ranked"),
]  # fmt: skip
COLUMNS = (
    {"name": "country", "type": "TEXT", "semantic": "text"},
    {"name": "sales", "type": "NUMERIC(12, 2)", "semantic": "decimal"},
    {"name": "orders", "type": "INTEGER", "semantic": "integer"},
)
ROWS: list[list[Any]] = [
    ["Germany", "66482.90", 3118], ["France", "51906.15", 2611], ["Italy", "20115.00", 970], ["Spain", "9120.40", 412],
    ["Austria", "6118.00", 288], ["Poland", "4186.00", 190], [None, "2759.50", 31], ["Norway", "-299.00", 4],
]  # fmt: skip
SQL = (
    'SELECT "customers"."country", SUM("orders"."total") AS "sales", COUNT(*) AS "orders"\n'
    'FROM "orders"\nJOIN "customers" ON "orders"."customer_id" = "customers"."id"\n'
    'WHERE "orders"."ordered_at" >= \'2026-01-01\'\nGROUP BY "customers"."country"\nORDER BY "sales" DESC'
)
THOUGHT = "Sales are in orders.total; the country is the customer's. I join both and sum by country."


def ask(user: User, connection: Connection, text: str = "What did each country buy this year?") -> Run:
    """A question as it stands right after it was asked: queued, nothing saved."""
    thread = Thread.objects.create(owner=user, connection=connection, title=text[:120])
    question = Question.objects.create(thread=thread, position=1, text=text, asked_by=user)
    return Run.objects.create(question=question, strategy="react")


def follow(run: Run, text: str) -> Run:
    thread = run.question.thread
    position = thread.questions.count() + 1
    question = Question.objects.create(thread=thread, position=position, text=text, asked_by=thread.owner)
    return Run.objects.create(question=question, strategy="react")


def save(run: Run, story: Sequence[events.Event], *, seconds_apart: float = 0.4) -> None:
    """Save `story` behind what the run has, with positions and times."""
    last = run.events.order_by("-position").first()
    position = last.position if last else 0
    start = datetime.now(UTC) - timedelta(seconds=len(story) * seconds_apart)
    for place, event in enumerate(story, start=1):
        data = events.to_json(replace(event, position=0, at=""))
        kept = {name: value for name, value in data.items() if name not in ("kind", "position", "at")}
        RunEvent.objects.create(
            run=run, position=position + place, kind=event.kind, turn=event.turn,
            at=start + timedelta(seconds=place * seconds_apart), data=json.loads(json.dumps(kept)),
        )  # fmt: skip


def beginning(run: Run) -> list[events.Event]:
    return [
        events.RunStarted(
            question=run.question.text, strategy="react", model="Scripted", dialect="sqlite", budget={"turns": 15}
        ),
        events.SchemaShown(tables=("orders", "customers"), tokens=420),
    ]


def asked(turn: int, purpose: str = "agent") -> list[events.Event]:
    message = {"role": "user", "content": f"Go on, turn {turn}."}
    return [events.ModelCallStarted(turn=turn, purpose=purpose, conversation="main", appended=(message,))]


def replied(turn: int, text: str = "…", purpose: str = "agent") -> list[events.Event]:
    return [events.ModelReply(turn=turn, purpose=purpose, conversation="main", text=text, input=9120, cached=8000,
                              output=212, cost=0.003, seconds=1.2)]  # fmt: skip


def wrong_turn(turn: int = 1) -> list[events.Event]:
    """A filter that leaves nothing, an unknown column, and a call that is skipped for it."""
    done = call("filter_expr", "done", rel="orders", predicate="status = 'Done'")
    paid = call("filter_expr", "paid", rel="orders", predicate="amount > 0")
    both = call("join_table", "both", left="orders", right="customers", how="inner", on=[["customer_id", "id"]])
    calls = (PROGRAM[0], done, paid, both)
    columns = tuple({"name": name, "type": "TEXT"} for name in ("id", "customer_id", "ordered_at", "total", "status"))
    error = {"type": "UnknownColumnError", "message": 'orders has no column "amount". Nearest: "total".'}
    warning = "No row is left. Stored values close to 'Done': 'done' (12,004 rows)."
    return [
        *asked(turn), *replied(turn),
        events.Calls(turn=turn, thought="I start with the orders of the year.", calls=calls),
        events.CallResult(turn=turn, index=0, call=calls[0], state="ok", handle="orders", columns=columns,
                          row_count=20310, ms=2),
        events.CallResult(turn=turn, index=1, call=calls[1], state="ok", handle="done", columns=columns, row_count=0,
                          warnings=(warning,), ms=3),
        events.CallResult(turn=turn, index=2, call=calls[2], state="failed", error=error, ms=0.4),
        events.CallResult(turn=turn, index=3, call=calls[3], state="skipped"),
        events.Observation(turn=turn, text="One call failed."),
    ]  # fmt: skip


def right_turn(turn: int = 2) -> list[events.Event]:
    calls = tuple(PROGRAM)
    counts = {"0": 20310, "1": 8306, "2": 8050, "3": 8306, "4": 8, "5": 8}
    results = [
        events.CallResult(turn=turn, index=index, call=one, state="ok", handle=one.get("out", ""), ms=2 + index * 7,
                          columns=COLUMNS if index > 3 else ({"name": "id", "type": "INTEGER"},),
                          result=1 if one["op"] == "execute" else None, row_count=8 if one["op"] == "execute" else None,
                          preview=tuple(tuple(row) for row in ROWS) if one["op"] == "execute" else (),
                          sql=SQL if one["op"] == "execute" else "")
        for index, one in enumerate(calls)
    ]  # fmt: skip
    return [*asked(turn), *replied(turn), events.Calls(turn=turn, thought=THOUGHT, calls=calls), *results,
            events.Observation(turn=turn, text="8 rows.", rows_out=counts)]  # fmt: skip


def ending(turn: int = 3, text: str = "Germany bought most: **66,482.90** of sales.") -> list[events.Event]:
    return [
        *asked(turn), *replied(turn, '{"final": "…"}'),
        events.Final(turn=turn, text=text, cites=(1,)),
        events.Shaped(turn=turn, text=text, result=1, sources=(1,)),
        events.RunFinished(turn=turn, status="answered", turns=3, calls=11, seconds=14.8,
                           usage={"input": 27360, "cached": 24000, "output": 636, "cost": 0.009}),
    ]  # fmt: skip


def finish(run: Run, status: Status = Status.ANSWERED, **fields: Any) -> Run:
    values: Mapping[str, Any] = {
        "status": status, "model_name": "Scripted", "turns": 3, "calls": 11, "seconds": 14.8, "input_tokens": 27360,
        "cached_tokens": 24000, "output_tokens": 636, "cost": "0.009", "started_at": timezone.now(),
        "finished_at": timezone.now(), **fields,
    }  # fmt: skip
    for name, value in values.items():
        setattr(run, name, value)
    run.save()
    return run


def keep_result(run: Run, rows: Sequence[Sequence[Any]] = ROWS, columns: Sequence[Mapping[str, Any]] = COLUMNS,
                **fields: Any) -> StoredResult:  # fmt: skip
    file = f"{run.pk}-1.parquet"
    store.write(settings.RESULTS_DIR / file, rows, len(columns))
    return StoredResult.objects.create(
        run=run,
        number=1,
        columns=list(columns),
        file=file,
        rows_stored=len(rows),
        sql=SQL,
        handle="ranked",
        ms=41,
        **{"row_count": len(rows), "expires_at": timezone.now() + timedelta(days=30), **fields},
    )


def answered(user: User, connection: Connection, text: str = "What did each country buy this year?") -> Run:
    """A question that was asked, worked on over three turns and answered with a table."""
    run = ask(user, connection, text)
    save(run, [*beginning(run), *wrong_turn(), *right_turn(), *ending()])
    keep_result(run)
    return finish(run, answer="Germany bought most: **66,482.90** of sales.", answer_result=1, sql=SQL, program=PROGRAM)
