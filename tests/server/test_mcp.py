"""The MCP server as an assistant uses it: a process of its own, the protocol over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client

from agents.models import Run, Share
from connections.models import Role
from tests.server.conftest import make_cast
from tests.web import stories

ROOT = Path(__file__).resolve().parent.parent.parent

Talk = Callable[[ClientSession], Awaitable[Any]]


def talk(user: str, own_url: str, folder: Path, say: Talk) -> Any:
    env = {**os.environ, "DATABASE_URL": own_url, "DATA_DIR": str(folder), "REDIS_URL": ""}
    server = StdioServerParameters(
        command=sys.executable, args=["manage.py", "mcp", "--user", user], cwd=str(ROOT), env=env
    )

    async def session() -> Any:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
            await client.initialize()
            return await say(client)

    return asyncio.run(asyncio.wait_for(session(), 120))


async def call(client: ClientSession, tool: str, **arguments: Any) -> Any:
    """What the tool returns; its error text where it failed."""
    answer = await client.call_tool(tool, arguments)
    if answer.is_error:
        return answer.content[0].text  # type: ignore[union-attr]
    found = answer.structured_content
    assert found is not None
    return found.get("result", found)


def test_an_assistant_lists_describes_asks_fetches_and_reruns(own_url: str, tmp_path: Path) -> None:
    cast = make_cast()
    answered = stories.answered(cast.ada, cast.shop)

    async def say(client: ClientSession) -> dict[str, Any]:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        return {
            "tools": tools,
            "connections": await call(client, "list_connections"),
            "tables": await call(client, "describe_tables", connection=cast.shop.pk, search="order"),
            "asked": await call(client, "ask", connection=cast.shop.pk, question="How many?", wait_seconds=0),
            "result": await call(client, "result", run=str(answered.pk)),
            "rerun": await call(client, "rerun", run=str(answered.pk), wait_seconds=0),
        }

    said = talk("ada", own_url, tmp_path, say)
    assert said["tools"] == {"list_connections", "describe_tables", "ask", "result", "rerun"}
    assert said["connections"] == [{"id": cast.shop.pk, "name": "Shop", "kind": "sqlite", "notes": ""}]
    assert isinstance(said["tables"], list)
    assert said["asked"]["status"] == "queued"
    assert said["result"]["answer"].startswith("Germany bought most")
    assert said["result"]["table"]["rows"][0] == ["Germany", "66482.90", 3118]
    assert said["rerun"]["program"] == said["result"]["program"]
    assert Run.objects.get(pk=said["asked"]["id"]).question.asked_by == cast.ada


def test_an_assistant_may_no_more_than_its_person(own_url: str, tmp_path: Path) -> None:
    cast = make_cast()
    answered = stories.answered(cast.ada, cast.shop)

    async def say(client: ClientSession) -> list[Any]:
        return [
            await call(client, "list_connections"),
            await call(client, "describe_tables", connection=cast.shop.pk),
            await call(client, "ask", connection=cast.shop.pk, question="How many?", wait_seconds=0),
            await call(client, "result", run=str(answered.pk)),
            await call(client, "rerun", run=str(answered.pk), wait_seconds=0),
            await call(client, "result", run="nonsense"),
        ]

    connections, *refused, nonsense = talk("cleo", own_url, tmp_path, say)
    assert connections == []
    assert all("There is no such thing for you" in words for words in refused), refused
    assert "no run's id" in nonsense
    assert Run.objects.count() == 1


def test_an_assistant_reruns_a_colleagues_answer_as_a_question_of_its_person(own_url: str, tmp_path: Path) -> None:
    cast = make_cast()
    answered = stories.answered(cast.ada, cast.shop)
    Share.objects.create(run=answered, person=cast.ben)
    cast.team.memberships.filter(user=cast.ben).update(role=Role.ANALYST)

    async def say(client: ClientSession) -> Any:
        return await call(client, "rerun", run=str(answered.pk), wait_seconds=0)

    said = talk("ben", own_url, tmp_path, say)
    assert Run.objects.get(pk=said["id"]).question.thread.owner == cast.ben
