"""A command that needs the local model waits for one that is being loaded, as it is while `make run` starts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agents.llm.local_model import LocalModelError
from agents.llm.profiles import local_profile
from agents.management.local_server import served

LOADING = b'{"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}'


class Loading(ThreadingHTTPServer):
    """Says what llama.cpp's server says: that it loads, `asked_for` times, then what `then` is the status of."""

    def __init__(self, asked_for: int, then: int) -> None:
        self.left, self.then = asked_for, then
        super().__init__(("127.0.0.1", 0), Health)


class Health(BaseHTTPRequestHandler):
    server: Loading

    def do_GET(self) -> None:
        self.server.left -= 1
        status, body = (503, LOADING) if self.server.left >= 0 else (self.server.then, b"{}")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def loading(request: pytest.FixtureRequest) -> Iterator[Loading]:
    with Loading(*request.param) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def environment(server: Loading, folder: Path) -> dict[str, str]:
    """There are no weights: a server of its own could not be started."""
    return {"LOCAL_MODEL_PORT": str(server.server_port), "LOCAL_MODEL_CACHE": str(folder)}


@pytest.mark.parametrize("loading", [(4, 200)], indirect=True)
def test_a_model_that_is_being_loaded_is_waited_for(loading: Loading, tmp_path: Path) -> None:
    told: list[str] = []
    with served(local_profile(loading.server_port), environment(loading, tmp_path), told.append):
        assert loading.left < 0
    assert told == ["Waiting for the local model, which is being loaded …"]


@pytest.mark.parametrize("loading", [(4, 500)], indirect=True)
def test_one_that_stops_loading_is_not_waited_for_any_longer(loading: Loading, tmp_path: Path) -> None:
    with (
        pytest.raises(LocalModelError, match="ended while it started: it stopped loading"),
        served(local_profile(loading.server_port), environment(loading, tmp_path), lambda _: None),
    ):
        pass
