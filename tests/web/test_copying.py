"""What is shown once can be copied: each button names a text on its page, and waits until the browser can copy."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from connections.models import Role
from tests.web import stories
from tests.web.stories import Cast

Page = Callable[[Cast, Client], str]


def token(people: Cast, olga: Client) -> str:
    return olga.post(reverse("tokens"), {"name": "Notebook", "days": "90"}).content.decode()


def invitation(people: Cast, olga: Client) -> str:
    people.team.memberships.filter(user=people.olga).update(role=Role.MANAGER)
    given = {"email": "", "role": "analyst", "days": "7"}
    return olga.post(reverse("invite", args=[people.team.pk]), given).content.decode()


def link(people: Cast, olga: Client) -> str:
    run = stories.answered(people.olga, people.shop)
    return olga.post(reverse("share", args=[run.pk]), {"link": "on", "days": "30"}).content.decode()


@pytest.mark.parametrize("page", [token, invitation, link])
def test_a_button_that_copies_is_hidden_and_names_what_it_copies(people: Cast, olga: Client, page: Page) -> None:
    shown = page(people, olga)
    buttons = re.findall(r"<button[^>]* data-copy[^>]*>", shown)
    assert len(buttons) == 1
    assert buttons[0].endswith(" hidden>")
    named = re.search(r' data-copy="([^"]+)"', buttons[0])
    if named:
        assert re.search(rf'<input [^>]*id="{re.escape(named[1])}" value="[^"]+" readonly>', shown)
