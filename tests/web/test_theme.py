"""The theme is changed on every page, and leads back to a page."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from tests.web.stories import Cast


def next_of(page: Any) -> str:
    found = re.search(r'name="next" value="([^"]*)"', page.content.decode())
    assert found
    return unescape(found[1])


def test_the_theme_is_changed_on_pages_that_answer_a_form(mona: Client, people: Cast) -> None:
    team, invite = reverse("team", args=[people.team.pk]), reverse("invite", args=[people.team.pk])
    given = {"email": "", "role": "analyst", "days": "7"}
    for seen in (team, invite):  # the first invitation, and one more from the page that shows it
        page = mona.post(invite, given, headers={"Referer": f"http://testserver{seen}"})
        assert next_of(page) == team
    assert mona.post(reverse("theme"), {"theme": "dark", "next": next_of(page)}, follow=True).status_code == 200
    assert next_of(mona.post(reverse("ask"), {"question": ""})) == "/"
    assert next_of(mona.post(reverse("settings"), {"time_zone": "Nowhere"})) == reverse("settings")
    listed = f"{reverse('history')}?q=a"
    assert next_of(mona.get(listed)) == listed
