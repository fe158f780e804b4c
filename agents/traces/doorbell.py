"""Wakes whoever waits for news of runs. With Redis at once; without it the waiter looks again after a moment.

Only a bell: a ring that is lost costs a little time and no event, because the database holds them all.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Protocol
from uuid import UUID

import redis
import structlog
from django.conf import settings

CHANNEL = "reactsql:runs"
GLANCE = 0.2  # seconds between two looks without Redis
PATIENCE = 2.0  # seconds until a look without a ring, with Redis

log = structlog.get_logger(__name__)


class Listening(Protocol):
    def wait(self) -> None:
        """Return after a ring, or after the longest time that a waiter goes without looking."""

    def close(self) -> None: ...


def ring(run_id: UUID) -> None:
    """Something of this run is new. Never raises."""
    if not settings.REDIS_URL:
        return
    try:
        _client(settings.REDIS_URL).publish(CHANNEL, str(run_id))
    except redis.RedisError as error:
        log.warning("doorbell not reachable", error=str(error))


def listen() -> Listening:
    return _RedisBell(settings.REDIS_URL) if settings.REDIS_URL else _Glances()


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)


class _Glances:
    def wait(self) -> None:
        time.sleep(GLANCE)

    def close(self) -> None:
        pass


class _RedisBell:
    def __init__(self, url: str) -> None:
        self._subscription = _client(url).pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
        self._subscribed = False

    def wait(self) -> None:
        try:
            if not self._subscribed:
                self._subscription.subscribe(CHANNEL)
                self._subscribed = True
                return
            if self._subscription.get_message(timeout=PATIENCE):
                time.sleep(0.03)  # one look for a burst of rings
                while self._subscription.get_message(timeout=0):
                    pass
        except redis.RedisError as error:
            log.warning("doorbell not reachable", error=str(error))
            self._subscribed = False
            time.sleep(GLANCE)

    def close(self) -> None:
        self._subscription.close()
