"""The JSON API: ask, follow, fetch, rerun, with a token and its person's rights. OpenAPI is made from the types."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Schema, Status
from ninja.errors import ValidationError as WrongShape
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
    stored: int = Field(description="Rows that are kept and can be read from here")
    count: int | None = Field(description="Rows that the statement returned, or at least so many")
    truncated: bool = Field(description="Fewer are kept than there are")
    offset: int
    shown: int = Field(description="Rows in this reply")
    of: int | None = Field(description="Rows altogether; null where nobody counted")
    expired: bool = Field(description="The rows were deleted for their age")
    note: str = Field(description="In words, what is not in this reply")


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
    page: str = Field(description="Where people read it")


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
DENIED: dict[Any, Any] = {401: Problem}
MISSING: dict[Any, Any] = {**DENIED, 404: Problem, 422: Problem}
REFUSED: dict[Any, Any] = {**MISSING, 400: Problem, 429: Problem}
FOLLOWED = {
    "responses": {200: {"description": "Server-sent events", "content": {"text/event-stream": {"schema": {}}}}}
}


@api.exception_handler(ObjectDoesNotExist)
def missing(request: HttpRequest, error: Any) -> HttpResponse:
    """Nothing is "forbidden": what is another person's does not exist."""
    return api.create_response(request, {"detail": "There is no such thing for you."}, status=404)


@api.exception_handler(ValidationError)
def refused(request: HttpRequest, error: Any) -> HttpResponse:
    status = 429 if getattr(error, "code", "") in ("too_many", "cap", spending.AT_WORK) else 422
    return api.create_response(request, {"detail": " ".join(error.messages)}, status=status)


@api.exception_handler(WrongShape)
def wrong_shape(request: HttpRequest, error: Any) -> HttpResponse:
    """Which field is missing or of another type, as a sentence like every other problem."""
    found = [f"{_place(one['loc'])}: {one['msg']}." for one in error.errors]
    return api.create_response(request, {"detail": " ".join(found)}, status=422)


def _place(location: Sequence[Any]) -> str:
    """`question` of ("body", "given", "question"), `offset` of ("query", "offset"), `body` of what is none at all."""
    inside = location[2:] if location[0] == "body" else location[1:]
    return ".".join(str(part) for part in inside) or str(location[0])


def _user(request: HttpRequest) -> User:
    user: User = request.auth  # type: ignore[attr-defined]
    return user


@api.get("connections", response={200: list[ConnectionOut], **DENIED}, summary="The databases that you may ask")
def connections(request: HttpRequest) -> Any:
    return programmatic.connections_of(_user(request))


@api.get(
    "connections/{int:connection_id}/tables", response={200: list[TableOfCatalogue], **MISSING},
    summary="Tables and columns of a database", by_alias=True,
)  # fmt: skip
def tables(
    request: HttpRequest, response: HttpResponse, connection_id: int, search: str = "", offset: int = 0
) -> Any:
    """Those whose name holds `search`, 200 at a time from `offset` on. The header X-Total-Count says how many there
    are."""
    found = programmatic.tables_of(_user(request), connection_id, search, offset)
    response["X-Total-Count"] = str(found.matching)
    return found.tables


@api.post("runs", response={201: RunOut, **REFUSED}, summary="Ask a question")
def ask(request: HttpRequest, given: Ask) -> Any:
    run = programmatic.ask(_user(request), given.connection, given.question, given.follows)
    return Status(201, programmatic.told(run))


@api.get("runs/{uuid:run_id}", response={200: RunOut, **MISSING}, summary="How a run stands, and its answer")
def fetch(request: HttpRequest, run_id: UUID) -> Any:
    return programmatic.told(programmatic.run_of(_user(request), run_id))


@api.get("runs/{uuid:run_id}/rows", response={200: TableOut, **MISSING}, summary="Rows of the answer's table")
def rows(request: HttpRequest, run_id: UUID, offset: int = 0, limit: int = programmatic.MOST_ROWS) -> Any:
    """`limit` of them from `offset` on, 1,000 at most."""
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


@api.post("runs/{uuid:run_id}/cancel", response={200: RunOut, **MISSING}, summary="Stop a run")
def cancel(request: HttpRequest, run_id: UUID) -> Any:
    user = _user(request)
    services.cancel_run(user=user, run=programmatic.run_of(user, run_id))
    return programmatic.told(programmatic.run_of(user, run_id))


@api.get(
    "runs/{uuid:run_id}/events", auth=AsyncToken(), response=MISSING, openapi_extra=FOLLOWED,
    summary="Follow a run by server-sent events",
)  # fmt: skip
async def follow(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """Every event as JSON under its kind, with its position as id; send that back as Last-Event-ID to go on. What tells
    of the whole database is empty for those who neither asked nor see the connection: prompts, raw replies, what the
    model was told, the names of all tables. A failure's detail is for administrators."""
    followed = await sync_to_async(programmatic.run_to_follow)(_user(request), run_id)
    after = stream.position_in(request.headers.get("Last-Event-ID", ""))
    return stream.sse_response(_messages(followed, after))


async def _messages(followed: programmatic.Followed, after: int) -> AsyncIterator[bytes]:
    run, prompts, details = followed
    async for item in stream.follow(run.pk, after):
        if item is None:
            yield stream.KEEP_ALIVE
        elif isinstance(item, stream.Thought):
            text = item.text if prompts else thought_in(item.text)
            yield stream.sse_message("thought", json.dumps({"turn": item.turn, "text": text}, ensure_ascii=False))
        else:
            shown = events.for_reader(item, prompts=prompts, details=details)
            data = json.dumps(events.to_json(shown), ensure_ascii=False)
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
