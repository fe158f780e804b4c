"""The documents say what is so: generated parts are current; links, files, targets and variables exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from honcho.environ import parse_procfile

from agents.llm.profiles import from_environment
from reactsql_web import reference
from reactsql_web.environment import SETTINGS

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
VARIABLES = {setting.name for setting in SETTINGS}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("place", reference.parts(), ids=str)
def test_generated_parts_are_current(place: tuple[str, str]) -> None:
    document, mark = place
    text = text_of(ROOT / document)
    assert reference.replaced(text, mark, reference.parts()[place]) == text, "`make docs` writes it anew"


def test_the_readme_lists_every_setting() -> None:
    listed = re.findall(r"^\| `([A-Z_]+)` \|", text_of(ROOT / "README.md"), re.MULTILINE)
    assert listed == [setting.name for setting in SETTINGS]


def test_the_defaults_of_a_model_that_are_told_are_those_that_hold() -> None:
    told = {one.name: one.default for one in SETTINGS if re.match(r"LLM_(?!MODEL|FALLBACK)", one.name) and one.default}
    assert len(told) == 6, "of the others nothing is told"
    profile = from_environment({"LLM_MODEL": "openai/any"})
    assert profile == from_environment({"LLM_MODEL": "openai/any", **told})


def test_every_variable_of_the_model_is_a_setting() -> None:
    code = "".join(text_of(path) for path in sorted((ROOT / "agents" / "llm").glob("*.py")))
    assert set(re.findall(r'"((?:LLM|LOCAL_MODEL)_[A-Z_]+)"', code)) - VARIABLES == set()


def test_every_command_is_explained() -> None:
    commands = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    explained = re.findall(r"`(\w+)(?: [^`]*)?`", text_of(ROOT / "docs" / "deployment.md").partition("## Commands")[2])
    assert commands - set(explained) == set()


def test_every_variable_of_tests_and_figures_is_explained() -> None:
    code = "".join(text_of(path) for folder in ("tests", "bench") for path in sorted((ROOT / folder).rglob("*.py")))
    read = set(re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"", code)) - VARIABLES
    read -= {"PATH", "DJANGO_ALLOW_ASYNC_UNSAFE"}  # set by the system, and by a test itself
    told = text_of(ROOT / "CONTRIBUTING.md") + text_of(ROOT / "Makefile")
    assert {name for name in read if name not in told} == set()


def test_the_table_of_lifting_and_its_command_name_the_same_sets() -> None:
    text = text_of(ROOT / "docs" / "expressiveness.md")
    (command,) = re.findall(r"^    BENCH_DIR=… python -m bench\.lifting (.*)$", text, re.MULTILINE)
    assert command.split() == re.findall(r"^\| `(\w+)` \| \w+ \| [\d,]+ \|", text, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text_of(document))
    links = [markdown or html for markdown, html in links]
    local = [link.partition("#")[0] for link in links if not link.startswith(("http", "#", "mailto:"))]
    assert [link for link in local if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_named_files_exist(document: Path) -> None:
    folders = "agents|connections|reactsql_web|templates|static|tests|bench|docs"
    named = re.findall(rf"`((?:{folders})/[\w./-]*)`", text_of(document))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_named_make_targets_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = re.findall(r"(?:^ +|`)make ([a-z-]+)", text_of(document), re.MULTILINE)
    assert set(named) <= targets


def test_every_target_has_a_line_in_the_help() -> None:
    makefile = text_of(ROOT / "Makefile")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    explained = re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE)
    assert sorted(explained) == sorted(phony[1].split())


def test_the_example_environment_names_settings_only() -> None:
    named = set(re.findall(r"^#? ?([A-Z_]+)=", text_of(ROOT / ".env.example"), re.MULTILINE))
    assert named - VARIABLES - {"POSTGRES_PASSWORD"} == set()  # that one is docker-compose.yml's own


def test_the_example_environment_names_what_a_server_is_asked_to_set() -> None:
    (asked,) = re.findall(r"\(set ([^)]+)\)", text_of(ROOT / "docker-compose.yml"))
    text = f"{asked} {text_of(ROOT / 'reactsql_web' / 'checks.py')}"
    wanted = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", text)) & {*VARIABLES, "POSTGRES_PASSWORD"}
    assert {"POSTGRES_PASSWORD", "FERNET_KEYS", "SITE_URL", "TRUST_PROXY"} <= wanted
    assert wanted - set(re.findall(r"^# ([A-Z_]+)=", text_of(ROOT / ".env.example"), re.MULTILINE)) == set()


def test_the_procfile_has_a_line_for_every_process() -> None:
    assert set(parse_procfile(text_of(ROOT / "Procfile")).processes) == {"web", "worker", "beat", "model"}
