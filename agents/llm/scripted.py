"""A model that says what it is told to: an OpenAI-compatible server for tests, demonstrations and screenshots.

    python -m agents.llm.scripted --script replies.json --port 8030 --log requests.jsonl

A script is a JSON array of turns, or {"replies": [turns], "after": turn}; `after` answers whatever comes later. A
turn is a text, or an object with the fields of `Turn`. Every request is kept: a test can see what the model was told.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

JSON = dict[str, Any]
_ERROR_TYPES = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}


@dataclass(frozen=True)
class Turn:
    """One scripted reply. Seconds: `delay` before the first byte, `pace` between streamed pieces, `stall` after
    `cut_after` pieces (then the connection closes without an end mark, or with `reset` by a reset). `status` other
    than 200 is an error. At most `choices` replies answer a request."""

    content: str = ""
    reasoning_content: str = ""
    finish_reason: str = "stop"
    choices: int = 1
    usage: Mapping[str, int] = field(default_factory=dict)
    chunk: int = 24
    delay: float = 0.0
    pace: float = 0.0
    status: int = 200
    message: str = ""
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    stall: float = 0.0
    reset: bool = False

    @classmethod
    def of(cls, script: str | Mapping[str, Any] | Turn) -> Turn:
        if isinstance(script, Turn):
            return script
        return cls(content=script) if isinstance(script, str) else cls(**script)


NOTHING_LEFT = Turn(content="(the script ends here)")


class ScriptedServer:
    """Serves `turns` in order on 127.0.0.1, each to one request; `requests` holds the bodies received so far."""

    def __init__(
        self,
        turns: Sequence[str | Mapping[str, Any] | Turn],
        *,
        after: str | Mapping[str, Any] | Turn = NOTHING_LEFT,
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        self.requests: list[JSON] = []
        self._turns = [Turn.of(turn) for turn in turns]
        self._after = Turn.of(after)
        self._log = log
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), _Exchange)
        self._http.script = self
        self.stopping = threading.Event()
        self.broken_off = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def take(self, body: JSON) -> Turn:
        """Note a request and choose its reply."""
        with self._lock:
            self.requests.append(body)
            if self._log:
                with self._log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(body, ensure_ascii=False) + "\n")
            number = len(self.requests)
        return self._turns[number - 1] if number <= len(self._turns) else self._after

    def prompt(self, number: int = -1) -> str:
        """All texts of request `number` (from 1; -1 is the last), one below the other."""
        body = self.requests[number - 1 if number > 0 else number]
        return "\n".join(_text(message) for message in body["messages"])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    script: ScriptedServer


class _Exchange(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """The requests are kept by the script; standard error stays quiet."""

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        else:
            self._send(
                200 if self.path == "/health" else 404, {"status": "ok" if self.path == "/health" else "unknown"}
            )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if not self.path.rstrip("/").endswith("/chat/completions"):
            self._send(404, {"error": {"message": f"nothing is served at {self.path}"}})
            return
        turn = self.server.script.take(body)
        self._wait(turn.delay)
        try:
            self._reply(turn, body)
        except (BrokenPipeError, ConnectionResetError):
            self.server.script.broken_off += 1
            self.close_connection = True

    def _reply(self, turn: Turn, body: JSON) -> None:
        if turn.status != 200:
            kind = _ERROR_TYPES.get(turn.status, "server_error")
            error = {"message": turn.message or f"scripted status {turn.status}", "type": kind, "code": turn.code}
            self._send(turn.status, {"error": error}, turn.headers)
        elif body.get("stream"):
            self._stream(turn, body)
        else:
            self._send(200, _completion(turn, body), turn.headers, cut=turn.cut_after is not None)

    def _stream(self, turn: Turn, body: JSON) -> None:
        self.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", "Connection": "close", **turn.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        for number, delta in enumerate(_deltas(turn)):
            if number == turn.cut_after:
                self._wait(turn.stall)
                if turn.reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            self._event(body, {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            self._wait(turn.pace)
        self._event(body, {"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish_reason}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            self._event(body, {"choices": [], "usage": _usage(turn, body)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, body: JSON, part: JSON) -> None:
        document = {**_frame("chat.completion.chunk", body), **part}
        self.wfile.write(f"data: {json.dumps(document)}\n\n".encode())
        self.wfile.flush()

    def _send(self, status: int, document: JSON, headers: Mapping[str, str] | None = None, cut: bool = False) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.close_connection = self.close_connection or cut
        self.wfile.write(data[: len(data) // 2] if cut else data)

    def _wait(self, seconds: float) -> None:
        self.server.script.stopping.wait(seconds) if seconds else None


def _frame(kind: str, body: JSON) -> JSON:
    return {"id": "scripted", "object": kind, "created": int(time.time()), "model": body.get("model", "scripted")}


def _completion(turn: Turn, body: JSON) -> JSON:
    message: JSON = {"role": "assistant", "content": turn.content}
    if turn.reasoning_content:
        message["reasoning_content"] = turn.reasoning_content
    choices = [
        {"index": number, "message": message, "finish_reason": turn.finish_reason}
        for number in range(min(turn.choices, int(body.get("n") or 1)))
    ]
    return {**_frame("chat.completion", body), "choices": choices, "usage": _usage(turn, body)}


def _deltas(turn: Turn) -> Iterator[JSON]:
    yield {"role": "assistant", "content": ""}
    for key in ("reasoning_content", "content"):
        text = str(getattr(turn, key))
        for start in range(0, len(text), turn.chunk):
            yield {key: text[start : start + turn.chunk]}


def _usage(turn: Turn, body: JSON) -> JSON:
    """The scripted token counts; a quarter of the characters where the script names none."""
    asked = sum(len(_text(message)) for message in body.get("messages", []))
    given = turn.usage
    prompt = given.get("prompt_tokens", asked // 4 + 1)
    completion = given.get("completion_tokens", len(turn.content) // 4 + 1)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": given.get("cached_tokens", 0)},
    }


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m agents.llm.scripted", description="Serve scripted model replies.")
    parser.add_argument("--script", type=Path, required=True, help="JSON: an array of replies, or {replies, after}")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--log", type=Path, help="append each request to this JSONL file")
    options = parser.parse_args(arguments)
    script = json.loads(options.script.read_text(encoding="utf-8"))
    script = {"replies": script} if isinstance(script, list) else script
    with ScriptedServer(
        script["replies"], after=script.get("after", NOTHING_LEFT), port=options.port, log=options.log
    ) as server:
        print(f"scripted model at {server.api_base}", flush=True)
        try:
            server.stopping.wait()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
