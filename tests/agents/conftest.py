"""The model's library is loaded before the first test: commands load it in a thread, which no test should wait for."""

from __future__ import annotations

import pytest

from agents.llm.client import preload


@pytest.fixture(scope="session", autouse=True)
def loaded() -> None:
    preload()
