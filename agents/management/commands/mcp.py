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
from connections.models import User

LOOK_SECONDS = 0.5
INSTRUCTIONS = (
    "Ask databases in plain words. First list_connections, then ask; a question that takes longer than its wait is "
    "fetched with result. rerun repeats an answered question on fresh data without a model."
)


def server_for(username: str) -> MCPServer:
    """The tools, each under the rights that the person has at that moment."""
    server = MCPServer("reactsql", instructions=INSTRUCTIONS)

    async def acting(work: Callable[[User], Any]) -> Any:
        return await sync_to_async(_act)(username, work)

    async def waited(run_id: str, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while True:
            found: dict[str, Any] = await acting(lambda user: programmatic.told(_run(user, run_id)))
            if found["status"] not in ("queued", "running") or time.monotonic() >= until:
                return found
            await asyncio.sleep(LOOK_SECONDS)

    @server.tool()
    async def list_connections() -> list[dict[str, Any]]:
        """The databases that may be asked, with their ids."""
        return list(await acting(programmatic.connections_of))

    @server.tool()
    async def describe_tables(connection: int, search: str = "") -> list[dict[str, Any]]:
        """Tables and columns of a database; of a large one those whose name holds `search`."""
        return list(await acting(lambda user: programmatic.tables_of(user, connection, search)))

    @server.tool()
    async def ask(connection: int, question: str, wait_seconds: float = 120) -> dict[str, Any]:
        """Ask a question in plain words and wait for its answer: a sentence, the table, the SQL."""
        asked = await acting(lambda user: str(programmatic.ask(user, connection, question).pk))
        return await waited(asked, wait_seconds)

    @server.tool()
    async def result(run: str, wait_seconds: float = 0) -> dict[str, Any]:
        """How a run stands, and its answer once it has ended."""
        return await waited(run, wait_seconds)

    @server.tool()
    async def rerun(run: str, wait_seconds: float = 60) -> dict[str, Any]:
        """The steps of an answered question again on fresh data, without a model."""
        fresh = await acting(lambda user: str(services.rerun(user=user, run=_run(user, run)).pk))
        return await waited(fresh, wait_seconds)

    return server


def _run(user: User, run_id: str) -> Any:
    try:
        return programmatic.run_of(user, UUID(run_id))
    except ValueError as error:
        raise ToolError(f"{run_id!r} is no run's id.") from error


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
