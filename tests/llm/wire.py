"""A server that sends what it is told to, byte by byte: for replies that no library would write."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Raw:
    """One response: head and body as they are, `body` in packets with `pace` seconds between them, then `stay` seconds
    of silence before the connection closes."""

    body: Sequence[bytes]
    content_type: str = EVENTS
    status: str = "200 OK"
    headers: Sequence[str] = field(default_factory=tuple)
    pace: float = 0.0
    stay: float = 0.0


class WireServer:
    """Answers each request with the next of `responses`, the last one for ever. `requests` are the bodies."""

    def __init__(self, *responses: Raw) -> None:
        self._responses = responses
        self.requests: list[dict[str, Any]] = []
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._over = threading.Event()

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._socket.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as incoming:
            try:
                length = 0
                while (line := incoming.readline()).strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                if length:
                    self.requests.append(json.loads(incoming.read(length)))
                self._answer(client, self._responses[min(len(self.requests), len(self._responses)) - 1])
            except OSError:
                pass  # the caller went away

    def _answer(self, client: socket.socket, raw: Raw) -> None:
        lines = [f"HTTP/1.1 {raw.status}", f"Content-Type: {raw.content_type}", "Connection: close", *raw.headers]
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        for packet in raw.body:
            client.sendall(packet)
            if raw.pace:
                time.sleep(raw.pace)
        self._over.wait(raw.stay)


def event(**document: Any) -> bytes:
    return f"data: {json.dumps(document, ensure_ascii=False)}\n\n".encode()


def delta(text: Any = None, finish: str | None = None, **more: Any) -> bytes:
    return event(choices=[{"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}])


def whole(content: str | None, finish: str = "stop", **message: Any) -> bytes:
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                       "usage": usage}).encode()  # fmt: skip


DONE = b"data: [DONE]\n\n"
