"""What has been asked, for pages that know nothing of questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import template

from agents import selectors
from connections.models import Connection

register = template.Library()


@register.simple_tag
def questions_on(connections: Iterable[Connection]) -> Mapping[int, int]:
    """How many questions were asked on each, by its key; none where there is no key."""
    return selectors.questions_on(connections)


@register.filter
def of(counts: Mapping[int, int], connection: Connection) -> int:
    return counts.get(connection.pk, 0)
