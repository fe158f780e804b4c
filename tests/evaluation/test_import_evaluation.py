"""A folder that the harness made comes in whole: its figures, its tables, its traces; and a broken one says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agents import permissions, selectors
from agents.evaluation.harness import Harness
from agents.evaluation.records import Record
from agents.evaluation.results import CaseResult, read_results
from agents.evaluation.systems import StrategySystem
from agents.library import evaluated, search
from agents.llm.client import LiteLLMClient
from agents.llm.messages import ModelProfile
from agents.llm.scripted import ScriptedServer
from agents.models import Evaluation, Run
from connections.models import AuditEntry, Connection, Membership, Role, Team, User
from tests.agents.runs import SHOP

PAID = "SELECT COUNT(*) AS n FROM orders WHERE status = 'paid'"
ALL = "SELECT COUNT(*) AS n FROM orders"


@pytest.fixture
def folder(new_database: Callable[[str, str], str], tmp_path: Path) -> Path:
    """What `evaluate` leaves: two questions, of which one is answered wrong, under one system."""
    url = new_database("sqlite", SHOP)
    records = [
        Record("q1", url, "How many are paid?", db_id="shop", gold_sql=(PAID,), difficulty="simple"),
        Record("q2", url, "How many are there?", db_id="shop", gold_sql=(ALL,), difficulty="hard"),
    ]
    with ScriptedServer([], after=PAID) as server:
        profile = ModelProfile(name="Scripted", model="openai/scripted", api_base=server.api_base, key="x")
        Harness(tmp_path / "bird").run([StrategySystem("zero-shot", LiteLLMClient(profile))], records)
    return tmp_path / "bird"


@pytest.fixture
def team(db: None) -> Team:
    User.objects.create_superuser("root")
    team = Team.objects.create(name="Research")
    Membership.objects.create(team=team, user=User.objects.create_user("mona"), role=Role.MANAGER)
    return team


def imported(folder: Path, *arguments: str) -> Evaluation:
    said = StringIO()
    call_command("import_evaluation", str(folder), *arguments, stdout=said)
    return Evaluation.objects.get(pk=said.getvalue().strip().rpartition("/")[2])


def test_results_tables_and_traces_come_in_whole(folder: Path, team: Team) -> None:
    kept = imported(folder, "--team", "Research", "--name", "BIRD, mini-dev")
    assert (kept.name, kept.source, kept.state) == ("BIRD, mini-dev", "bird", "done")
    side, = evaluated.sides_of(evaluated.results_of(kept))
    assert (side.system.strategy, side.system.model_name) == ("zero-shot", "Scripted")
    assert (side.figures.right, side.figures.questions) == (1, 2)
    assert side.figures.by_difficulty == {"simple": (1, 1), "hard": (0, 1)}
    first, second = evaluated.cases_of(kept, outcome="all")
    written = {one.id: one for one in read_results(folder / "results.jsonl")}
    assert (first.seconds, first.sql, first.question.gold_sql) == (written["q1"].seconds, written["q1"].sql, [PAID])
    assert first.predicted["rows"] == second.predicted["rows"]
    run = second.run
    assert run is not None
    saved = json.loads((folder / written["q2"].trace).read_text())["events"]
    assert [event.kind for event in selectors.events_of(run)] == [event["kind"] for event in saved]
    mona = User.objects.get(username="mona")
    assert permissions.may_see_run(mona, run)
    assert not permissions.may_see_run(User.objects.create_user("tom"), run)
    assert not search.found(User.objects.get(username="root"))
    assert AuditEntry.objects.get(action="evaluation imported").detail["results"] == 2


def test_it_belongs_to_a_connection_or_a_team_and_needs_no_traces(folder: Path, team: Team) -> None:
    shop = Connection.objects.create(name="Shop", kind="sqlite", database="shop.sqlite")
    team.connections.add(shop)
    kept = imported(folder, "--connection", "Shop", "--no-traces", "--user", "mona")
    assert (kept.connection, kept.name, Run.objects.count()) == (shop, "bird", 0)
    assert evaluated.evaluation_to_see(User.objects.get(username="mona"), kept.pk) == kept


def test_a_trace_that_cannot_be_read_costs_the_trace_only(folder: Path, team: Team) -> None:
    first, second = read_results(folder / "results.jsonl")
    (folder / first.trace).write_text("{")
    document = json.loads((folder / second.trace).read_text())
    document["events"][0]["kind"] = "of_another_version"
    (folder / second.trace).write_text(json.dumps(document))
    kept = imported(folder, "--team", "Research")
    assert [case.run for case in evaluated.cases_of(kept, outcome="all")] == [None, None]


def test_a_trace_outside_of_the_folder_is_not_read(folder: Path, team: Team) -> None:
    (folder.parent / "secret.json").write_text((folder / read_results(folder / "results.jsonl")[0].trace).read_text())
    line = CaseResult("q", "react, x", "answered", trace="../secret.json").to_line()
    (folder / "results.jsonl").write_text(line + "\n")
    case, = evaluated.cases_of(imported(folder, "--team", "Research"), outcome="all")
    assert case.run is None


@pytest.mark.parametrize(
    ("arguments", "results", "words"),
    [(["--team", "Reserch"], None, "There is no team 'Reserch'; there are: Research"),
     (["--connection", "Shop"], None, "There is no connection 'Shop'; there are: none"),
     (["--team", "Research", "--user", "nobody"], None, "no active user 'nobody'"),
     (["--team", "Research"], "", "holds no results.jsonl"),
     (["--team", "Research"], CaseResult("q", "react, x", "happy").to_line(), "the status happy, which is unknown")],
)  # fmt: skip
def test_what_cannot_be_imported_is_refused_in_words(
    folder: Path, team: Team, arguments: list[str], results: str | None, words: str
) -> None:
    if results is not None:
        (folder / "results.jsonl").write_text(results)
    with pytest.raises(CommandError, match=words):
        imported(folder, *arguments)
    assert not Evaluation.objects.exists()
