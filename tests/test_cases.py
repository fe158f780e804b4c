"""The cases of the language, the guard, values and lifting, on every dialect, through the command in this process.

They live outside the repository, in the folder that CASES_DIR names, with the checks that judge an outcome; those of
the protocol are in agents/test_protocol_cases.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from agents.management.commands.dsl import Command
from tests.agents.test_protocol_cases import runner
from tests.databases import DIALECTS, missing, scratch

FOLDERS = ("names", "types", "guard", "values", "lift")
Open = Callable[[str, str, Path], tuple[str, Callable[[], str]]]


def cases() -> list[Any]:
    if not os.environ.get("CASES_DIR"):
        return []
    root = os.environ["CASES_DIR"]
    return [
        pytest.param(case, folder, dialect, id=f"{case['id']}-{dialect}")
        for case, folder in runner().load_cases(root)
        if folder.name in FOLDERS
        for dialect in case["dialects"]
    ]


def test_the_cases_are_there() -> None:
    if not cases():
        missing("CASES_DIR does not name the folder of cases")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Each setup is loaded once a dialect. A file is copied for each case and watched for changes."""
    made: dict[tuple[str, str], str] = {}
    with contextlib.ExitStack() as stack:

        def open_one(dialect: str, sql: str, room: Path) -> tuple[str, Callable[[], str]]:
            if (dialect, sql) not in made:
                made[dialect, sql] = stack.enter_context(scratch(dialect, sql, tmp_path_factory.mktemp("setups")))
            url = made[dialect, sql]
            if dialect in ("postgresql", "mysql"):
                return url, lambda: ""
            room.mkdir(parents=True)
            path = room / f"main.{dialect}"
            shutil.copy(str(make_url(url).database), path)
            return f"{dialect}:///{path}", lambda: hashlib.sha256(path.read_bytes()).hexdigest()

        yield open_one


@pytest.mark.parametrize(("case", "folder", "dialect"), cases())
def test_a_case(case: dict[str, Any], folder: Path, dialect: str, databases: Open, tmp_path: Path) -> None:
    assert dialect in DIALECTS
    judge = runner()
    room = tmp_path / "room"
    room.mkdir()
    databases_of_case = type("Databases", (), {"root": room, "open": staticmethod(databases)})
    assert in_this_process(judge, databases_of_case).run(case, folder, dialect) is None


def in_this_process(judge: ModuleType, databases: Any) -> Any:
    """The cases' own runner, which calls the command here instead of starting a process for it."""

    class InThisProcess(judge.Runner):  # type: ignore[name-defined,misc]
        def _command(self, arguments: list[str], environment: dict[str, str]) -> Any:
            out, errors = io.StringIO(), io.StringIO()
            started, code = time.monotonic(), 0
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                try:
                    Command().run_from_argv(["manage.py", *arguments])
                except SystemExit as ended:
                    code = int(ended.code or 0)
            json.loads(out.getvalue())  # exactly one document
            return judge.Outcome(code, out.getvalue(), errors.getvalue(), time.monotonic() - started)

    return InThisProcess(None, None, databases, 60, keep=True)
