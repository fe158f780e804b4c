"""The local model's server, for as long as a command needs it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from django.conf import settings

from agents.llm.local_model import LocalModel, LocalModelError, local_model
from agents.llm.messages import ModelProfile
from agents.llm.profiles import is_local

SECONDS_TO_START = 120.0


@contextmanager
def served(profile: ModelProfile, env: Mapping[str, str], say: Callable[[str], None]) -> Iterator[None]:
    """Start the local model's server if `profile` needs it and none answers; end it afterwards. An ordinary model, or
    one that is served already, is left alone. Raises LocalModelError."""
    if not is_local(profile):
        yield
        return
    model = local_model(env)
    if model.is_loading():
        say("Waiting for the local model, which is being loaded …")
        _wait(model, lambda: "" if model.is_loading() or model.is_ready() else "it stopped loading")
    if model.is_ready():
        yield
        return
    if not model.present:
        raise LocalModelError(
            f"No model is set up: LLM_MODEL is empty, and the local model is not at {model.path}. Fetch it once with "
            "`python manage.py local_model fetch` (about 1.1 GB), or set LLM_MODEL and LLM_API_KEY."
        )
    say("Starting the local model …")
    with tempfile.TemporaryFile() as errors, _process(env, errors) as process:
        _wait(model, lambda: _last_words(errors) if process.poll() is not None else "")
        yield


@contextmanager
def _process(env: Mapping[str, str], errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "local_model", "serve"]
    process = subprocess.Popen(
        command, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(model: LocalModel, ended: Callable[[], str]) -> None:
    """Until it answers. `ended` says why it will not, "" while it may."""
    deadline = time.monotonic() + SECONDS_TO_START
    while not model.is_ready():
        if reason := ended():
            raise LocalModelError(f"The local model's server ended while it started: {reason}")
        if time.monotonic() > deadline:
            raise LocalModelError(f"The local model was not ready within {SECONDS_TO_START:.0f} seconds.")
        time.sleep(0.2)


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it gave no reason"
