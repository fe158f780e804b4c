"""The JSON API: ask, follow, fetch, rerun, with a token and its person's rights. OpenAPI is made from the types."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Schema, Status
from ninja.security import HttpBearer
from pydantic import Field

from agents import programmatic, services, spending
from agents.answers.transcript import thought_in
from agents.models import Run
from agents.traces import events, stream
from connections import tokens
from connections.models import User


class Token(HttpBearer):
    """`Authorization: Bearer rsw_…`, made under Your settings, API tokens."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        return tokens.user_of(token)


class AsyncToken(HttpBearer):
    """The same where the operation is asynchronous."""

    openapi_name = "Token"

    async def authenticate(self, request: HttpRequest, token: str) -> User | None:
        return await sync_to_async(tokens.user_of)(token)


class ConnectionOut(Schema):
    id: int
    name: str
    kind: str
    notes: str


class ColumnOut(Schema):
    name: str
    type: str


class TableOfCatalogue(Schema):
    name: str
    schema_name: str | None = Field(None, alias="schema")
    rows: int | None = Field(None, description="An estimate")
    columns: list[ColumnOut]


class TableOut(Schema):
    columns: list[ColumnOut]
    rows: list[list[Any]] = Field(description="NULL is null; numbers that JSON cannot hold exactly are text")
    stored: int
    count: int | None
    truncated: bool


class RunOut(Schema):
    id: UUID
    question: str
    connection: str | None
    status: str = Field(description="queued, running, answered, clarify, unanswerable, failed or cancelled")
    answer: str
    options: list[str] = Field(description="What to choose from where the status is clarify")
    error: str
    sql: str
    program: list[dict[str, Any]]
    table: TableOut | None
    turns: int
    seconds: float
    tokens: int
    cost: float | None


class Ask(Schema):
    connection: int
    question: str
    follows: UUID | None = Field(None, description="A run whose thread, on the same connection, this goes on with")


class Problem(Schema):
    detail: str


api = NinjaAPI(
    title="ReAct-SQL Web", version="1", urls_namespace="api", docs_url=None, openapi_url="openapi.json", auth=Token(),
    description="Ask databases in plain words. A token may do what its person may do.",
)  # fmt: skip
REFUSED: dict[Any, Any] = {404: Problem, 422: Problem, 429: Problem}


@api.exception_handler(ObjectDoesNotExist)
def missing(request: HttpRequest, error: Any) -> HttpResponse:
    """Nothing is "forbidden": what is another person's does not exist."""
    return api.create_response(request, {"detail": "There is no such thing for you."}, status=404)


@api.exception_handler(ValidationError)
def refused(request: HttpRequest, error: Any) -> HttpResponse:
    status = 429 if getattr(error, "code", "") in ("too_many", "cap", spending.AT_WORK) else 422
    return api.create_response(request, {"detail": " ".join(error.messages)}, status=status)


def _user(request: HttpRequest) -> User:
    user: User = request.auth  # type: ignore[attr-defined]
    return user


@api.get("connections", response=list[ConnectionOut], summary="The databases that you may ask")
def connections(request: HttpRequest) -> Any:
    return programmatic.connections_of(_user(request))


@api.get(
    "connections/{int:connection_id}/tables", response={200: list[TableOfCatalogue], 404: Problem},
    summary="Tables and columns of a database", by_alias=True,
)  # fmt: skip
def tables(request: HttpRequest, connection_id: int, search: str = "") -> Any:
    return programmatic.tables_of(_user(request), connection_id, search)


@api.post("runs", response={201: RunOut, **REFUSED}, summary="Ask a question")
def ask(request: HttpRequest, given: Ask) -> Any:
    run = programmatic.ask(_user(request), given.connection, given.question, given.follows)
    return Status(201, programmatic.told(run))


@api.get("runs/{uuid:run_id}", response={200: RunOut, 404: Problem}, summary="How a run stands, and its answer")
def fetch(request: HttpRequest, run_id: UUID) -> Any:
    return programmatic.told(programmatic.run_of(_user(request), run_id))


@api.get("runs/{uuid:run_id}/rows", response={200: TableOut, 404: Problem}, summary="Rows of the answer's table")
def rows(request: HttpRequest, run_id: UUID, offset: int = 0, limit: int = 1000) -> Any:
    table = programmatic.table_of(programmatic.run_of(_user(request), run_id), max(offset, 0), max(limit, 0))
    if table is None:
        raise Run.DoesNotExist
    return table


@api.post("runs/{uuid:run_id}/rerun", response={201: RunOut, **REFUSED}, summary="The same steps on fresh data")
def rerun(request: HttpRequest, run_id: UUID) -> Any:
    """Without a model. Your own run gets another attempt; of somebody else's it is a question of yours, where you may
    ask the connection."""
    user = _user(request)
    run = services.rerun(user=user, run=programmatic.run_of(user, run_id))
    return Status(201, programmatic.told(run))


@api.post("runs/{uuid:run_id}/cancel", response={200: RunOut, 404: Problem}, summary="Stop a run")
def cancel(request: HttpRequest, run_id: UUID) -> Any:
    user = _user(request)
    services.cancel_run(user=user, run=programmatic.run_of(user, run_id))
    return programmatic.told(programmatic.run_of(user, run_id))


@api.get("runs/{uuid:run_id}/events", auth=AsyncToken(), summary="Follow a run by server-sent events")
async def follow(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """Every event as JSON under its kind, with its position as id; send that back as Last-Event-ID to go on. What tells
    of the whole database is empty for those who neither asked nor see the connection: prompts, raw replies, what the
    model was told, the names of all tables."""
    run, prompts = await sync_to_async(programmatic.run_to_follow)(_user(request), run_id)
    after = stream.position_in(request.headers.get("Last-Event-ID", ""))
    return stream.sse_response(_messages(run, after, prompts))


async def _messages(run: Run, after: int, prompts: bool) -> AsyncIterator[bytes]:
    async for item in stream.follow(run.pk, after):
        if item is None:
            yield stream.KEEP_ALIVE
        elif isinstance(item, stream.Thought):
            text = item.text if prompts else thought_in(item.text)
            yield stream.sse_message("thought", json.dumps({"turn": item.turn, "text": text}, ensure_ascii=False))
        else:
            data = json.dumps(events.to_json(item if prompts else events.without_prompts(item)), ensure_ascii=False)
            yield stream.sse_message(item.kind, data, position=item.position)


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The API in words, from its OpenAPI document; nothing but our own files."""
    schema = json.loads(json.dumps(api.get_openapi_schema(), default=str))
    operations = [
        {"method": method.upper(), "path": path, **operation}
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    context = {"operations": operations, "schemas": schema["components"]["schemas"]}
    return render(request, "agents/api.html", context)
