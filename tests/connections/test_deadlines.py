"""One thread ends the statements whose time is up, each at its own time; a cancel waits for no other statement."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from connections.drivers.running import Running
from connections.errors import QueryCancelledError, QueryTimeoutError


def work_until(stopped: threading.Event) -> Callable[[float], float]:
    def work(seconds: float) -> float:
        started = time.monotonic()
        with Running(seconds, stopped.set):
            stopped.wait(5)
        return time.monotonic() - started

    return work


def test_a_thousand_statements_begin_no_thread_each() -> None:
    with Running(60, lambda: None):
        pass
    before = set(threading.enumerate())
    begun = set()
    for _ in range(1000):
        with Running(60, lambda: None):
            begun |= set(threading.enumerate()) - before
    assert begun == set()


def test_a_short_time_limit_holds_beside_a_long_one_that_began_before() -> None:
    with Running(60, lambda: None):
        time.sleep(0.05)  # the thread sleeps until the long limit by now
        assert 0.1 <= work_until(threading.Event())(0.1) < 1


def test_a_statement_that_outlives_an_interrupt_is_interrupted_again_and_others_are_ended_meanwhile() -> None:
    interrupts: list[float] = []
    with Running(0.05, lambda: interrupts.append(time.monotonic())) as deaf:
        assert work_until(threading.Event())(0.1) < 1
        time.sleep(0.6)
        with pytest.raises(QueryTimeoutError):
            deaf.check()
    count = len(interrupts)
    assert count >= 2
    time.sleep(0.4)
    assert len(interrupts) == count  # never after the block


def test_an_interrupt_that_takes_long_holds_up_no_other_statement() -> None:
    free = threading.Event()
    with Running(0.05, lambda: free.wait(3) and None) as slow:
        time.sleep(0.1)
        assert work_until(threading.Event())(0.1) < 1
        free.set()
        with pytest.raises(QueryTimeoutError):
            slow.check()


def test_a_cancel_ends_the_statement_at_once_and_is_told_as_such() -> None:
    stopped = threading.Event()
    with Running(60, stopped.set) as running:
        running.cancel()
        running.cancel()
        assert stopped.wait(2)
        with pytest.raises(QueryCancelledError):
            running.check()
