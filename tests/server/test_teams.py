"""Teams as their managers run them, from the invitation to the last manager who cannot leave."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.db.models.signals import pre_save
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from connections import teams
from connections.models import AuditEntry, Invitation, Membership, Role, Team, User
from tests.server.conftest import Cast


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def manager(cast: Cast) -> Client:
    cast.team.memberships.filter(user=cast.ben).update(role=Role.MANAGER)
    return logged_in(cast.ben)


def invite(manager: Client, cast: Cast, **given: Any) -> str:
    """The link that the page shows."""
    values = {"email": "", "role": "analyst", "days": "7", **given}
    page = manager.post(reverse("invite", args=[cast.team.pk]), values).content.decode()
    found = re.search(r'id="i-link" value="([^"]+)"', page)
    assert found, page
    return found[1]


def role_of(user: User, team: Team) -> str | None:
    return Membership.objects.filter(user=user, team=team).values_list("role", flat=True).first()


def test_a_link_lets_somebody_with_an_account_join_once(manager: Client, cast: Cast) -> None:
    link = invite(manager, cast, role="viewer")
    cleo = logged_in(cast.cleo)
    assert "Join Retail" in cleo.get(link).content.decode()
    assert role_of(cast.cleo, cast.team) is None, "looking at it joins nobody"
    assert cleo.post(link).status_code == 302
    assert role_of(cast.cleo, cast.team) == "viewer"
    assert logged_in(cast.ada).get(link).status_code == 404, "a link works once"
    assert AuditEntry.objects.filter(action="joined", actor_name="cleo").exists()


def test_a_newcomer_makes_an_account_and_is_in(manager: Client, cast: Cast) -> None:
    link = invite(manager, cast, email="dora@example.com")
    newcomer = Client()
    weak = {"username": "dora", "password1": "short", "password2": "short"}
    assert newcomer.post(link, weak).status_code == 422
    good = {**weak, "password1": "Xy9-Xy9-Xy9", "password2": "Xy9-Xy9-Xy9"}
    assert newcomer.post(link, good).status_code == 302
    dora = User.objects.get(username="dora")
    assert (dora.email, role_of(dora, cast.team)) == ("dora@example.com", "analyst")
    assert newcomer.get("/").status_code == 200, "and logged in"


@pytest.mark.parametrize("name", ["Ada", "ADA", "ada"])
def test_an_account_differs_from_others_in_more_than_the_case_of_its_letters(
    manager: Client, cast: Cast, name: str
) -> None:
    values = {"username": name, "password1": "Xy9-Xy9-Xy9", "password2": "Xy9-Xy9-Xy9"}
    page = Client().post(invite(manager, cast), values)
    assert (page.status_code, "A user with that username already exists" in page.content.decode()) == (422, True)
    assert User.objects.filter(username__iexact=name).count() == 1


def test_who_comes_second_with_a_link_gets_no_account(manager: Client, cast: Cast) -> None:
    link = invite(manager, cast)

    def meanwhile(**_: Any) -> None:
        """Somebody else, between the look at the link and its use."""
        Invitation.objects.update(revoked_at=timezone.now())

    values = {"username": "dora", "password1": "Xy9-Xy9-Xy9", "password2": "Xy9-Xy9-Xy9"}
    pre_save.connect(meanwhile, sender=User)
    try:
        assert Client().post(link, values).status_code == 404
    finally:
        pre_save.disconnect(meanwhile, sender=User)
    assert not User.objects.filter(username="dora").exists()
    assert not AuditEntry.objects.filter(action="user added").exists()


def test_with_single_sign_on_nobody_makes_an_account_with_a_password(
    manager: Client, cast: Cast, settings: Any
) -> None:
    link = invite(manager, cast)
    settings.OIDC_SERVER_URL = "https://sso.example.com"
    values = {"username": "dora", "password1": "Xy9-Xy9-Xy9", "password2": "Xy9-Xy9-Xy9"}
    page = Client().post(link, values).content.decode()
    assert "log in" in page
    assert not User.objects.filter(username="dora").exists()


def test_the_invitation_is_mailed_where_a_server_is_set_up(manager: Client, cast: Cast) -> None:
    link = invite(manager, cast, email="dora@example.com")
    assert mail.outbox[0].to == ["dora@example.com"]
    assert link in mail.outbox[0].body


def test_without_a_mail_server_the_page_says_so_and_shows_the_link(
    manager: Client, cast: Cast, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    values = {"email": "dora@example.com", "role": "analyst", "days": "7"}
    page = manager.post(reverse("invite", args=[cast.team.pk]), values).content.decode()
    assert "No mail was sent: no mail server is set up" in page
    assert "/invitations/" in page


def test_the_token_is_kept_as_a_hash_only(manager: Client, cast: Cast) -> None:
    token = invite(manager, cast).rpartition("/")[2]
    kept = str(list(Invitation.objects.values())) + str(list(AuditEntry.objects.values()))
    assert token not in kept
    assert token not in manager.get(reverse("team", args=[cast.team.pk])).content.decode(), "shown once"


@pytest.mark.parametrize("how", ["expired", "withdrawn", "never made"])
def test_an_invitation_that_does_not_count_is_404(manager: Client, cast: Cast, how: str) -> None:
    link = invite(manager, cast)
    made = Invitation.objects.get()
    if how == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "withdrawn":
        manager.post(reverse("withdraw_invitation", args=[cast.team.pk, made.pk]))
    else:
        link += "x"
    for person in (Client(), logged_in(cast.cleo)):
        assert person.get(link).status_code == 404
        assert person.post(link).status_code == 404
    assert role_of(cast.cleo, cast.team) is None


def test_roles_are_changed_and_members_removed_by_managers_alone(manager: Client, cast: Cast) -> None:
    address = reverse("member", args=[cast.team.pk, cast.ada.pk])
    assert logged_in(cast.ada).post(address, {"role": "manager"}).status_code == 404
    assert manager.post(address, {"role": "boss"}).status_code == 422
    assert manager.post(address, {"role": "viewer"}).status_code == 302
    assert role_of(cast.ada, cast.team) == "viewer"
    manager.post(address, {"role": "remove"})
    assert role_of(cast.ada, cast.team) is None
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"role changed", "membership removed"}


def test_removing_and_leaving_stand_in_dialogues_that_ask_first(manager: Client, cast: Cast) -> None:
    page = manager.get(reverse("team", args=[cast.team.pk])).content.decode()
    for user, words in ((cast.ada, "Remove ada from Retail?"), (cast.ben, "Leave Retail?")):
        row = page.split(f'id="member-{user.pk}"')[1].split("</tr>")[0]
        assert (f'commandfor="remove-{user.pk}"' in row, 'value="remove"' in row) == (True, False)
        dialogue = page.split(f'<dialog class="dialog" id="remove-{user.pk}"')[1].split("</dialog>")[0]
        assert (words in dialogue, 'value="remove"' in dialogue) == (True, True)


@pytest.mark.parametrize("role", ["viewer", "remove"])
def test_the_last_manager_stays(manager: Client, cast: Cast, role: str) -> None:
    answer = manager.post(reverse("member", args=[cast.team.pk, cast.ben.pk]), {"role": role})
    assert answer.status_code == 422
    assert "make somebody else one first" in answer.content.decode()
    assert role_of(cast.ben, cast.team) == "manager"


@pytest.mark.parametrize("role", ["viewer", "analyst"])
def test_everybody_may_leave_and_remove_nobody_else(cast: Cast, role: str) -> None:
    Membership.objects.filter(user=cast.ada).update(role=role)
    page = logged_in(cast.ada).get(reverse("team", args=[cast.team.pk])).content.decode()
    asks = [f'<dialog class="dialog" id="remove-{one.pk}"' in page for one in (cast.ada, cast.ben)]
    buttons = [f'commandfor="remove-{one.pk}" aria-label=' in page for one in (cast.ada, cast.ben)]
    assert (asks, buttons, "Leave Retail?" in page) == ([True, False], [True, False], True)
    logged_in(cast.ada).post(reverse("member", args=[cast.team.pk, cast.ada.pk]), {"role": "remove"})
    assert role_of(cast.ada, cast.team) is None


def test_who_is_in_already_keeps_the_role(manager: Client, cast: Cast) -> None:
    teams.accept(user=cast.ada, token=invite(manager, cast, role="viewer").rpartition("/")[2])
    assert role_of(cast.ada, cast.team) == "analyst"


def test_the_page_shows_members_and_what_they_may_ask(cast: Cast) -> None:
    page = logged_in(cast.ada).get(reverse("team", args=[cast.team.pk])).content.decode()
    assert "Shop" in page
    assert "Analyst" in page
    assert "Invite</h2>" not in page


def test_a_wrong_address_is_refused_in_words(cast: Cast, manager: Client) -> None:
    with pytest.raises(ValidationError):
        teams.invite(actor=cast.ben, team=cast.team, role="analyst", email="nowhere")
    answer = manager.post(reverse("invite", args=[cast.team.pk]), {"email": "nowhere", "role": "analyst", "days": "7"})
    assert answer.status_code == 422
