"""`manage.py mcp --user NAME`: an MCP server over standard input and output. An assistant that starts it asks as NAME,
with NAME's rights, limits and audit log; a worker answers."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from agents import programmatic, services
from agents.models import LIVE, Run
from connections.models import User

LOOK_SECONDS = 0.5
INSTRUCTIONS = (
    "Ask databases in plain words. First list_connections, then ask; a question that takes longer than its wait is "
    "fetched with result. The note of a table says what is not in it; rows reads further rows. rerun repeats an "
    "answered question on fresh data without a model. Where a connection sends no values to models, withheld says so: "
    "send the person to page."
)


class Assistant:
    """The tools, each under the rights that the person has at that moment. Their docstrings are what a model reads."""

    def __init__(self, username: str) -> None:
        self._username = username

    async def list_connections(self) -> list[dict[str, Any]]:
        """The databases that may be asked, with their ids."""
        return list(await self._acting(programmatic.connections_of))

    async def describe_tables(self, connection: int, search: str = "", offset: int = 0) -> dict[str, Any]:
        """Tables and columns of a database whose name holds `search`, 200 at a time from `offset` on; `count` match,
        and `left_off` of them are not here."""
        found = await self._acting(lambda user: programmatic.tables_of(user, connection, search, offset))
        count, left_off = found.matching, found.matching - len(found.tables)
        words = f"{left_off:,} of {count:,} tables are not here: search for a part of a name, or ask by offset."
        return {"result": found.tables, "count": count, "left_off": left_off, "note": words if left_off else ""}

    async def ask(self, connection: int, question: str, wait_seconds: float = 120) -> dict[str, Any]:
        """Ask a question in plain words and wait for its answer: a sentence, the table, the SQL."""
        asked = await self._acting(lambda user: str(programmatic.ask(user, connection, question).pk))
        return await self.result(asked, wait_seconds)

    async def result(self, run: str, wait_seconds: float = 0) -> dict[str, Any]:
        """How a run stands, and its answer once it has ended."""
        until = time.monotonic() + wait_seconds
        while True:
            found: dict[str, Any] = await self._acting(lambda user: programmatic.told_to_a_model(_run(user, run)))
            if found["status"] not in LIVE or time.monotonic() >= until:
                return found
            await asyncio.sleep(LOOK_SECONDS)

    async def rows(self, run: str, offset: int = 0, limit: int = programmatic.MOST_ROWS) -> dict[str, Any]:
        """Rows of the answer's table from `offset` on, 1,000 at most."""
        return dict(await self._acting(lambda user: _rows(_run(user, run), max(offset, 0), max(limit, 0))))

    async def rerun(self, run: str, wait_seconds: float = 60) -> dict[str, Any]:
        """The steps of an answered question again on fresh data, without a model."""
        fresh = await self._acting(lambda user: str(services.rerun(user=user, run=_run(user, run)).pk))
        return await self.result(fresh, wait_seconds)

    async def _acting(self, work: Callable[[User], Any]) -> Any:
        return await sync_to_async(_act)(self._username, work)


def server_for(username: str) -> MCPServer:
    server, assistant = MCPServer("reactsql", instructions=INSTRUCTIONS), Assistant(username)
    tools: tuple[Callable[..., Any], ...] = (
        assistant.list_connections, assistant.describe_tables, assistant.ask, assistant.result, assistant.rows,
        assistant.rerun,
    )  # fmt: skip
    for tool in tools:
        server.tool()(tool)
    return server


def _run(user: User, run_id: str) -> Run:
    try:
        return programmatic.run_of(user, UUID(run_id))
    except ValueError as error:
        raise ToolError(f"{run_id!r} is no run's id.") from error


def _rows(run: Run, offset: int, limit: int) -> dict[str, Any]:
    table = None if run.is_live else programmatic.table_for_a_model(run, offset, limit)
    if table is None:
        raise ToolError(f"This run has no table; it is {run.status}.")
    return table


def _act(username: str, work: Callable[[User], Any]) -> Any:
    try:
        return work(User.objects.get(username=username, is_active=True))
    except ValidationError as error:
        raise ToolError(" ".join(error.messages)) from error
    except ObjectDoesNotExist as error:
        raise ToolError("There is no such thing for you.") from error


class Command(BaseCommand):
    help = "Serve the Model Context Protocol on standard input and output, with one person's rights."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, help="whose rights the assistant has")

    def handle(self, *args: Any, **options: Any) -> None:
        if not User.objects.filter(username=options["user"], is_active=True).exists():
            raise CommandError(f"There is no active user {options['user']!r}.")
        print(f"Serving MCP for {options['user']}", file=sys.stderr)  # standard output belongs to the protocol
        server_for(options["user"]).run("stdio")
