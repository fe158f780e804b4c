"""What each kind of provider is sent: address, key, and body, seen by a server that declines everything."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agents.errors import ModelAccessError
from agents.llm.client import LiteLLMClient
from agents.llm.failures import RetryPolicy
from agents.llm.messages import Message, ModelProfile

KEY = "test-key-0123456789"
MESSAGES = (Message("system", "the rules"), Message("user", "the question"))


class Recorder(BaseHTTPRequestHandler):
    """Keeps the last request and declines it."""

    seen: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.seen.append({"path": self.path, "headers": headers, "body": json.loads(body)})
        answer = b'{"error": {"message": "declined", "type": "invalid_request_error"}}'
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def recorder() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    handler = type("Handler", (Recorder,), {"seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler.seen
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("model", "base", "extra", "path", "key_header"),
    [
        ("openai/gpt-5-mini", "/v1", {}, "/v1/chat/completions", "authorization"),
        ("hosted_vllm/qwen", "/v1", {}, "/v1/chat/completions", "authorization"),
        ("azure/my-deployment", "", {"api_version": "2024-10-21"},
         "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21", "api-key"),
        ("anthropic/claude-sonnet-4-6", "", {}, "/v1/messages", "x-api-key"),
        ("gemini/gemini-2.5-flash", "/v1beta", {}, ":streamGenerateContent", "x-goog-api-key"),
        ("ollama_chat/llama3", "", {}, "/api/chat", "authorization"),
    ],
)  # fmt: skip
def test_each_provider_gets_its_own_shape(
    recorder: tuple[str, list[dict[str, Any]]], model: str, base: str, extra: dict[str, Any], path: str, key_header: str
) -> None:
    address, seen = recorder
    profile = ModelProfile("test", model, address + base, KEY, 0.0, max_output_tokens=99, extra=extra)
    with pytest.raises(ModelAccessError) as caught:
        LiteLLMClient(profile, RetryPolicy(retries=0)).complete(MESSAGES)
    assert len(seen) == 1, str(caught.value)
    request = seen[0]
    assert path in request["path"]
    assert KEY in request["headers"].get(key_header, "") or KEY in request["path"]
    assert KEY not in str(caught.value)
    sent = json.dumps(request["body"])
    assert "the rules" in sent
    assert "the question" in sent
    assert "99" in sent
    assert request["body"].get("stream", True)


def test_anthropic_is_told_what_to_cache(recorder: tuple[str, list[dict[str, Any]]]) -> None:
    address, seen = recorder
    profile = ModelProfile("test", "anthropic/claude-sonnet-4-6", address, KEY)
    with pytest.raises(ModelAccessError):
        LiteLLMClient(profile, RetryPolicy(retries=0)).complete(MESSAGES)
    body = seen[0]["body"]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_a_parameter_that_a_model_does_not_know_is_left_out(recorder: tuple[str, list[dict[str, Any]]]) -> None:
    address, seen = recorder
    profile = ModelProfile("test", "openai/gpt-5-mini", f"{address}/v1", KEY, temperature=0.0)
    with pytest.raises(ModelAccessError):
        LiteLLMClient(profile, RetryPolicy(retries=0)).complete(MESSAGES)
    assert "temperature" not in seen[0]["body"]
    assert seen[0]["body"]["max_completion_tokens"] == profile.max_output_tokens
