"""The MCP server as an assistant uses it: a process of its own, the protocol over its standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client

from agents.models import Run, Share, Status
from agents.traces import events
from connections import snapshots
from connections.catalogue import Catalogue, Column, Table
from connections.models import Connection, Role
from tests.server.conftest import make_cast, make_run
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
    assert said["tools"] == {"list_connections", "describe_tables", "ask", "result", "rows", "rerun"}
    assert said["connections"] == [{"id": cast.shop.pk, "name": "Shop", "kind": "sqlite", "notes": ""}]
    assert isinstance(said["tables"], list)
    assert said["asked"]["status"] == "queued"
    assert said["result"]["answer"].startswith("Germany bought most")
    assert said["result"]["table"]["rows"][0] == ["Germany", "66482.90", 3118]
    assert said["result"]["withheld"] == ""
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
            await call(client, "rows", run=str(answered.pk)),
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


def test_an_assistant_is_told_where_rows_and_tables_are_left_off_and_reads_on(own_url: str, tmp_path: Path) -> None:
    cast = make_cast()
    run = stories.ask(cast.ada, cast.shop)
    stories.keep_result(run, [[str(number)] for number in range(150)], [{"name": "n", "type": "TEXT"}],
                        row_count=400, truncated=True)  # fmt: skip
    stories.finish(run, answer="These.", answer_result=1)
    tables = tuple(Table(f"t{number:04}", columns=(Column("id", "INTEGER", "integer"),)) for number in range(250))
    snapshots.keep(cast.shop, Catalogue("sqlite", tables))

    async def say(client: ClientSession) -> dict[str, Any]:
        waiting = await call(client, "ask", connection=cast.shop.pk, question="And?", wait_seconds=0)
        return {
            "result": await call(client, "result", run=str(run.pk)),
            "rest": await call(client, "rows", run=str(run.pk), offset=100),
            "no table": await call(client, "rows", run=waiting["id"]),
            "tables": (await client.call_tool("describe_tables", {"connection": cast.shop.pk})).structured_content,
            "others": await call(client, "describe_tables", connection=cast.shop.pk, offset=200),
        }

    said = talk("ada", own_url, tmp_path, say)
    table = said["result"]["table"]
    assert (len(table["rows"]), table["shown"], table["stored"], table["of"]) == (100, 100, 150, 400)
    assert table["note"].startswith("These are rows 1 to 100 of 150 that are stored; ask for others by offset. ")
    assert "The first 150 rows of 400 are stored" in table["note"]
    assert [row[0] for row in said["rest"]["rows"]] == [str(number) for number in range(100, 150)]
    assert "has no table; it is queued" in said["no table"]
    found = said["tables"]
    assert (len(found["result"]), found["count"], found["left_off"]) == (200, 250, 50)
    assert "50 of 250 tables are not here" in found["note"]
    assert [one["name"] for one in said["others"]][0] == "t0200"
    assert len(said["others"]) == 50


def test_an_assistant_gets_no_values_where_the_connection_sends_none(own_url: str, tmp_path: Path) -> None:
    cast = make_cast()
    answered, asks_back, failed = stories.answered(cast.ada, cast.shop), *(make_run(cast) for _ in range(2))
    words = {"text": "Which <execute_result_1> do you mean?", "outcome": "clarify", "options": ("Old", "New")}
    stories.save(asks_back, [events.Final(**words)])
    stories.finish(asks_back, Status.CLARIFY, answer="Which Germany do you mean?", options=["Old", "New"])
    stories.finish(failed, Status.FAILED, error_type="ProgramFailedError", error="Step 2 failed. No number: 'Germany'")
    Connection.objects.update(send_values=False)

    async def say(client: ClientSession) -> list[Any]:
        runs = [await call(client, "result", run=str(run.pk)) for run in (answered, asks_back, failed)]
        return [*runs, await call(client, "rows", run=str(answered.pk))]

    said = talk("ada", own_url, tmp_path, say)
    assert "Germany" not in json.dumps(said)
    assert "66482" not in json.dumps(said)
    whole, clarify, error, rows = said
    assert (whole["answer"], whole["table"]["rows"], whole["table"]["count"]) == ("", [], 8)
    assert [one["name"] for one in rows["columns"]] == ["country", "sales", "orders"]
    assert whole["page"].endswith(f"/runs/{answered.pk}")
    assert whole["withheld"] == whole["table"]["note"] == rows["note"]
    assert "Shop sends no values to a model" in whole["withheld"]
    assert clarify["answer"] == words["text"]
    assert clarify["options"] == ["Old", "New"]
    assert error["error"] == "A step could not be run"
