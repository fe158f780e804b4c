"""The cases of broken replies, through the whole command: real HTTP, a real database, one JSON document.

They live outside the repository, in the folder that CASES_DIR names, with the model that plays them.
"""

from __future__ import annotations

import copy
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import call_command

from tests.databases import missing

CASES = Path(os.environ.get("CASES_DIR", "")) / "protocol"


def runner() -> ModuleType:
    """The checks that come with the cases, as a module."""
    if "run_cases" not in sys.modules:
        path = CASES.parent / "run_cases.py"
        spec = importlib.util.spec_from_file_location("run_cases", path)
        assert spec is not None
        assert spec.loader is not None
        sys.path.insert(0, str(path.parent))
        sys.modules["run_cases"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["run_cases"])
    return sys.modules["run_cases"]


def cases() -> list[tuple[dict[str, Any], Path]]:
    if not os.environ.get("CASES_DIR"):
        return []
    return [(case, folder) for case, folder in runner().load_cases(str(CASES.parent)) if folder.name == "protocol"]


def test_the_cases_are_there() -> None:
    if not cases():
        missing("CASES_DIR does not name the folder of cases")


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("case", "folder"), cases(), ids=lambda value: value["id"] if isinstance(value, dict) else "")
def test_a_case_of_the_protocol(
    case: dict[str, Any],
    folder: Path,
    stream: bool,
    new_database: Callable[[str, str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = runner()
    case = run.expand(copy.deepcopy(case), {"DIR": str(tmp_path)})
    url = new_database("sqlite", "".join(run.setup_sql(case, folder, "sqlite")))
    options = case.get("options", {})
    with run.ScriptedLLM(case["replies"], case.get("after", run.EXHAUSTED)) as llm:
        for name, value in {"MODEL": "openai/anything", "API_BASE": llm.base_url, "API_KEY": "x"}.items():
            monkeypatch.setenv(f"LLM_{name}", value)
        monkeypatch.setenv("LLM_EXTRA", json.dumps({"stream": stream}))
        out = io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command(
                "ask",
                case.get("question", "How many rows are there?"),
                connection=url,
                strategy=options.get("strategy", "react"),
                evidence=options.get("evidence", ""),
                json=True,
                stdout=out,
            )
    assert {bool(body.get("stream")) for body in llm.requests} == {stream}
    run.check_outcome(case, run.Outcome(ended.value.code, out.getvalue(), "", 0.0), llm, "sqlite")
