"""The trace: its parts, deep links, and as a file that opens elsewhere."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from agents import selectors
from agents.models import Run, Status
from agents.traces import events
from connections.models import AuditEntry, User
from tests.web import big_trace, stories
from tests.web.conftest import as_person
from tests.web.stories import Cast


def downloaded(client: Client, run: Run) -> str:
    return client.get(reverse("trace_json", args=[run.pk])).content.decode()


@pytest.fixture
def admin(people: Cast) -> User:
    return User.objects.create_superuser("root", password="root's long password")


def imported(file: Path, *arguments: str) -> Run:
    said = StringIO()
    call_command("import_trace", str(file), *arguments, stdout=said)
    return Run.objects.get(pk=said.getvalue().strip().rsplit("/", 2)[1])


def test_a_deep_link_opens_its_step_and_an_unknown_one_the_first(people: Cast, olga: Client) -> None:
    run = stories.answered(people.olga, people.shop)
    address = reverse("trace", args=[run.pk])
    page = olga.get(f"{address}?at=call-1-3").content.decode()
    assert ("<dd>Unknown column</dd>" in page, "UnknownColumnError" in page.split("Arguments")[0]) == (True, False)
    assert 'has no column &quot;amount&quot;' in page
    assert page.count('aria-current="true"') == 1
    assert olga.get(f"{address}?at=call-99-1").status_code == 200
    for lens, other in (("time", "list"), ("list", "time")):
        page = olga.get(f"{address}?lens={lens}").content.decode()
        chosen = {one: "checked" in page.split(f'id="lens-{one}"')[1].split(">")[0] for one in (lens, other)}
        assert chosen == {lens: True, other: False}


def test_the_download_is_logged_and_holds_a_providers_own_words_for_administrators_alone(
    people: Cast, olga: Client
) -> None:
    run = stories.ask(people.olga, people.shop)
    error = {"type": "ModelAuthenticationError", "message": "Refused.", "detail": "bad key at http://10.0.0.7"}
    stories.save(run, [*stories.beginning(run), events.RunFailed(error=error)])
    stories.finish(run, Status.FAILED, error="Refused.", error_type="ModelAuthenticationError")
    for is_staff in (False, True):
        User.objects.filter(pk=people.olga.pk).update(is_staff=is_staff)
        end = json.loads(downloaded(olga, run))["events"][-1]
        assert end["error"]["message"] == "Refused."
        assert ("detail" in end["error"]) is is_staff
    entries = AuditEntry.objects.filter(action="trace exported", actor=people.olga)
    assert [entry.detail for entry in entries] == [{"run": str(run.pk)}] * 2


def test_prompts_are_read_on_demand_only(people: Cast, olga: Client) -> None:
    run = stories.ask(people.olga, people.shop)
    big_trace.big(run)
    page = olga.get(reverse("trace", args=[run.pk])).content.decode()
    assert page.count('class="trace__item"') == big_trace.TURNS * big_trace.CALLS + big_trace.TURNS + 1
    assert len(page) < 500_000, "the page holds no prompt and no observation but the chosen one's"
    first = run.events.filter(kind="model_call_started").order_by("position")[0].position
    assert big_trace.WORDS.strip() in olga.get(reverse("prompt", args=[run.pk, first])).content.decode()


def test_a_trace_goes_out_and_comes_in_whole(people: Cast, olga: Client, admin: User, tmp_path: Path) -> None:
    run = stories.answered(people.olga, people.shop)
    file = tmp_path / "trace.json"
    file.write_text(downloaded(olga, run), encoding="utf-8")
    copy = imported(file)
    assert selectors.events_of(copy) == selectors.events_of(run)
    root = as_person(admin)
    page = root.get(reverse("trace", args=[copy.pk])).content.decode()
    for words in ("Imported, read-only", "trace.json", "Olga Owner", "Shop, SQLite", run.question.text):
        assert words in page
    answer = root.get(reverse("run", args=[copy.pk])).content.decode()
    assert "<strong>66,482.90</strong> of sales" in answer
    assert json.loads(downloaded(root, copy))["events"] == json.loads(downloaded(olga, run))["events"]


def test_what_is_imported_can_be_read_and_nothing_else(
    people: Cast, olga: Client, tom: Client, admin: User, tmp_path: Path
) -> None:
    file = tmp_path / "trace.json"
    file.write_text(downloaded(olga, stories.answered(people.olga, people.shop)), encoding="utf-8")
    copy = imported(file, "--user", "tom")
    assert tom.post(reverse("ask_again", args=[copy.pk])).status_code == 404
    assert tom.post(reverse("rerun", args=[copy.pk])).status_code == 404
    assert tom.post(reverse("follow_up", args=[copy.question.thread_id]), {"question": "And?"}).status_code == 404
    assert olga.get(reverse("trace", args=[copy.pk])).status_code == 404
    assert (copy.input_tokens, copy.cost) == (0, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no JSON"), ("[]", "no trace"), ('{"events": []}', "no trace"),
     ('{"format": 9, "events": [{}], "status": "answered"}', "format 9"),
     ('{"events": [{}], "status": "splendid"}', "unknown"), ('{"events": [{}], "status": "answered"}', "Event 1"),
     ('{"events": [{"kind": "final", "text": "x", "at": "noon"}], "status": "answered"}', "Event 1"),
     ('{"events": [{"kind": "final", "text": "x", "more": 1}], "status": "answered"}', "Event 1")],
)  # fmt: skip
def test_a_file_that_is_no_trace_is_refused_in_words(admin: User, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "odd.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=words):
        call_command("import_trace", str(file))
    assert not Run.objects.exists()


def test_somebody_must_see_it(people: Cast, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text("{}", encoding="utf-8")
    for arguments, words in (([], "no administrator"), (["--user", "nobody"], "no active user 'nobody'")):
        with pytest.raises(CommandError, match=words):
            call_command("import_trace", str(file), *arguments)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_trace", str(tmp_path / "missing.json"))
