"""The queue in a folder: messages are there whole or not at all."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from kombu import Connection, Queue

from reactsql_web import celery  # noqa: F401  (it says which transport a queue in a folder has)


def test_a_message_is_never_seen_half_written(tmp_path: Path) -> None:
    options = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path / "c")}
    body = "x" * 3_000_000
    sent, half = threading.Event(), []

    def look() -> None:
        while not sent.is_set():
            for path in tmp_path.glob("*.questions.msg"):
                try:
                    json.loads(path.read_text())
                except ValueError:
                    half.append(path.name)
                except FileNotFoundError:
                    continue

    looking = threading.Thread(target=look)
    looking.start()
    with Connection("filesystem://localhost//", transport_options=options) as connection:
        queue = connection.SimpleQueue(Queue("questions", routing_key="questions"))
        for _ in range(15):
            queue.put(body)
            assert queue.get(timeout=5).payload == body
        queue.close()
    sent.set()
    looking.join()
    assert half == []
    assert not list(tmp_path.glob("*.part"))
