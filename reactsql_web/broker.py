"""The queue in a folder, for one machine without a message broker."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import Any

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """kombu's, but a message appears in the folder whole: its own appears empty and is then written, and a worker that
    looks in between cannot read it and dies of that."""

    def _put(self, queue: str, message: Any, **_: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        unfinished = os.path.join(self.data_folder_out, f"{name}.part")
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(dumps(message))  # type: ignore[no-untyped-call]
        os.rename(unfinished, os.path.join(self.data_folder_out, name))


class Transport(filesystem.Transport):
    Channel = Channel


def serve(app: Celery) -> None:
    """Let `app` find this queue under its address, and its folders made before the first message."""
    TRANSPORT_ALIASES["filesystem"] = "reactsql_web.broker:Transport"
    app.on_after_configure.connect(_make_folders)


def _make_folders(sender: Celery, **_: Any) -> None:
    options = sender.conf.broker_transport_options
    for name in ("data_folder_in", "control_folder"):
        if name in options:
            Path(options[name]).mkdir(parents=True, exist_ok=True)
