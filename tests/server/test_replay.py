"""What a share opens is what the asker saw, byte for byte, whatever becomes of the data; and deleting a person."""

from __future__ import annotations

import re
import sqlite3
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as site
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import retention, runner, services, tasks
from agents.answers import store
from agents.library import sharing
from agents.llm.scripted import ScriptedServer
from agents.models import LanguageModel, Question, Run, Share, Status, StoredResult, Thread
from connections.models import AuditEntry, User
from tests.server.conftest import Cast, make_cast, make_run
from tests.server.five_turns import FIVE_TURNS, SHOP

TABS = ("answer", "table", "chart", "steps", "sql")


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "enqueue_run", lambda run_id: None)


def as_person(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def seen(client: Client, run: Run) -> dict[str, bytes]:
    """Everything of the result that a person can get: each tab's panel, and each stored export. Not the forms in it:
    who may run what again is decided by the connection."""
    tabs = {tab: client.get(f"{reverse('run', args=[run.pk])}?tab={tab}", headers={"HX-Request": "true"}).content
            for tab in TABS}  # fmt: skip
    shown = {tab: page[page.index(b"result__panel") : page.index(b"result__foot")] for tab, page in tabs.items()}
    panels = {tab: re.sub(rb"<form.*?</form>", b"", panel, flags=re.DOTALL) for tab, panel in shown.items()}
    files = {kind: exported(client, run, kind) for kind in ("csv", "json")}
    turns = {"turns": client.get(reverse("turns", args=[run.pk])).content}
    return panels | files | turns


def test_a_replay_shows_the_askers_exact_bytes_although_the_data_has_changed(own_url: str, settings: Any) -> None:
    settings.DATABASES_DIR.mkdir()
    file = settings.DATABASES_DIR / "shop.sqlite"
    with sqlite3.connect(file) as shop:
        shop.executescript(SHOP)
    shop.close()
    people = make_cast()
    with ScriptedServer(FIVE_TURNS) as server:
        model = LanguageModel(name="scripted", model="openai/scripted", api_base=server.api_base, is_default=True)
        services.save_language_model(actor=None, language_model=model, key="x")
        run = services.ask(user=people.ada, connection=people.shop, text="Sales in Germany?", strategy="react")
        runner.run_one(run.pk)
    run.refresh_from_db()
    assert run.status == Status.ANSWERED, run.error
    before = seen(as_person(people.ada), run)
    assert b"Ann" in before["csv"]
    token = sharing.make_link(user=people.ada, run=run, days=7)
    with sqlite3.connect(file) as shop:
        shop.executescript("UPDATE customers SET name = 'Changed'; DELETE FROM orders;")
    shop.close()
    cleo = as_person(people.cleo)
    assert cleo.get(reverse("open_link", args=[token])).status_code == 302
    assert seen(cleo, run) == before


def exported(client: Client, run: Run, kind: str) -> bytes:
    response: Any = client.get(reverse("export", args=[run.pk, kind]))

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    return async_to_sync(read)()


def shared(cast: Cast, **fields: Any) -> Run:
    return make_run(cast, status=Status.ANSWERED, answer="Four.", **fields)


def keep_rows(run: Run) -> StoredResult:
    file = f"{run.pk}/1-a.parquet"
    store.write(site.RESULTS_DIR / file, [[1]], 1)
    return StoredResult.objects.create(run=run, number=1, columns=[], file=file, rows_stored=1, sql="",
                                       expires_at=timezone.now() - timedelta(days=1))  # fmt: skip


def test_deleting_a_person_keeps_the_teams_questions_and_removes_private_ones(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    teams, private, lent, linked = (shared(cast) for _ in range(4))
    rows = {run: site.RESULTS_DIR / keep_rows(run).file for run in (teams, private)}
    sharing.share(user=cast.ada, run=teams, teams=[cast.team])
    sharing.share(user=cast.ada, run=lent, people=[cast.ben])
    sharing.make_link(user=cast.ada, run=linked)
    beside = Question.objects.create(thread=teams.question.thread, position=2, text="Private", asked_by=cast.ada)
    with django_capture_on_commit_callbacks(execute=True):
        cast.ada.delete()
    assert set(Run.objects.values_list("pk", flat=True)) == {teams.pk}
    assert set(Thread.objects.values_list("pk", flat=True)) == {teams.question.thread_id}
    assert not Question.objects.filter(pk=beside.pk).exists()
    assert {run: file.exists() for run, file in rows.items()} == {teams: True, private: False}
    page = as_person(cast.ben).get(reverse("run", args=[teams.pk])).content.decode()
    assert "Four." in page
    assert "A deleted person" in page


def test_nobody_inherits_by_taking_the_name_of_the_one_who_stands_for_deleted_people(cast: Cast) -> None:
    taken = User.objects.create_user("deleted-person", password="a long password of theirs")
    run = shared(cast)
    sharing.share(user=cast.ada, run=run, teams=[cast.team])
    cast.ada.delete()
    owner = Thread.objects.get(pk=run.question.thread_id).owner
    assert owner != taken
    assert (owner.is_active, owner.has_usable_password(), owner.get_full_name()) == (False, False, "A deleted person")


def test_the_one_who_stands_for_deleted_people_cannot_log_in(cast: Cast) -> None:
    sharing.share(user=cast.ada, run=shared(cast), teams=[cast.team])
    cast.ada.delete()
    stand_in = Question.objects.get().asked_by
    assert (stand_in.is_active, stand_in.has_usable_password()) == (False, False)


def test_rows_of_a_shared_run_are_kept_until_the_share_ends(cast: Cast) -> None:
    runs = [shared(cast), shared(cast)]
    files = [site.RESULTS_DIR / keep_rows(run).file for run in runs]
    token = sharing.make_link(user=cast.ada, run=runs[0])
    retention.apply()
    assert [file.exists() for file in files] == [True, False]
    sharing.revoke(user=cast.ada, share=Share.objects.get())
    retention.apply()
    assert not files[0].exists()
    with pytest.raises(Share.DoesNotExist):
        sharing.open_link(user=cast.ben, token=token)


def test_a_link_is_kept_as_a_hash_and_every_step_is_in_the_audit_log(cast: Cast) -> None:
    token = sharing.make_link(user=cast.ada, run=shared(cast), days=7)
    share = Share.objects.get()
    assert token not in str(vars(share))
    sharing.open_link(user=cast.cleo, token=token)
    sharing.open_link(user=cast.cleo, token=token)
    sharing.revoke(user=cast.ada, share=share)
    sharing.share(user=cast.ada, run=share.run, teams=[cast.team])
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", "actor_name"))
    assert actions == [("link made", "ada"), ("link opened", "cleo"), ("share revoked", "ada"), ("shared", "ada")]
    assert token not in str(list(AuditEntry.objects.values_list("detail", flat=True)))


def test_an_administrator_who_deletes_a_person_is_told_what_goes_and_keeps_what_a_team_has(cast: Cast) -> None:
    teams, private = shared(cast), shared(cast)
    sharing.share(user=cast.ada, run=teams, teams=[cast.team])
    root = as_person(User.objects.create_superuser("root"))
    address = reverse("admin:connections_user_delete", args=[cast.ada.pk])
    assert root.get(address).status_code == 200
    assert root.post(address, {"post": "yes"}).status_code == 302
    assert list(Run.objects.all()) == [teams]
    assert not Run.objects.filter(pk=private.pk).exists()
