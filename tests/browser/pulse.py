"""Runs whose calls are done one after another, when told to: for measuring how fast a page follows."""

from __future__ import annotations

import time
from typing import Any

from agents.models import Run, Status
from agents.traces import doorbell, events
from connections.models import Connection, User
from tests.web import stories


def begin(number: int, calls: int) -> dict[str, Any]:
    """`number` live runs of Olga with `calls` calls each, none of them done."""
    olga = User.objects.filter(username="olga").first() or stories.cast().olga
    runs = [_run(olga, Connection.objects.get(), calls) for _ in range(number)]
    return {"runs": [str(run.pk) for run in runs]}


def _call(number: int) -> dict[str, Any]:
    return stories.call("filter_expr", f"step_{number}", rel="orders", predicate=f"total > {number}")


def _run(olga: User, shop: Connection, calls: int) -> Run:
    run = stories.ask(olga, shop)
    batch = tuple(_call(number) for number in range(1, calls + 1))
    begun = events.Calls(turn=1, thought="I count.", calls=batch)
    stories.save(run, [*stories.beginning(run), *stories.asked(1), begun])
    Run.objects.filter(pk=run.pk).update(status=Status.RUNNING, lease_owner="test", lease_until="2100-01-01T00:00Z")
    return run


def beat(run_id: str, number: int) -> dict[str, Any]:
    """Call `number` is done; says when that was saved, in milliseconds."""
    run = Run.objects.get(pk=run_id)
    done = events.CallResult(turn=1, index=number - 1, call=_call(number), state="ok", handle=f"step_{number}", ms=1)
    stories.save(run, [done])
    at = time.time() * 1000
    doorbell.ring(run.pk)
    return {"at": at}


def session(name: str) -> dict[str, Any]:
    """The cookie of somebody who is logged in."""
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
    return {"cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())}
