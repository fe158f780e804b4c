"""Fetch the front-end packages that manifest.json names from npm, and write down what was fetched in checksums.txt.

Run by `make vendor`. To move to a newer version, change it in manifest.json first; `git diff` then shows what came.
Needs npm. Only the files listed in the manifest are kept.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).resolve().parent


def main() -> int:
    packages = json.loads((VENDOR / "manifest.json").read_text("utf-8"))
    lines = sorted(line for package in packages for line in fetch(package))
    (VENDOR / "checksums.txt").write_text("\n".join(lines) + "\n", "utf-8")
    sys.stdout.write(f"{len(lines)} files of {len(packages)} packages\n")
    return 0


def fetch(package: Mapping[str, Any]) -> list[str]:
    """Unpack the listed files of one package; returns `sha256  path` lines."""
    spec = f"{package['package']}@{package['version']}"
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", spec], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.strip()
        with tarfile.open(Path(folder) / packed.splitlines()[-1]) as archive:
            return [keep(archive, source, package["folder"], target) for source, target in package["files"].items()]


def keep(archive: tarfile.TarFile, source: str, folder: str, target: str) -> str:
    member = archive.extractfile(f"package/{source}")
    if member is None:
        raise FileNotFoundError(f"package/{source} is not in the package; see manifest.json")
    data = member.read()
    path = VENDOR / folder / target
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return f"{hashlib.sha256(data).hexdigest()}  {path.relative_to(VENDOR).as_posix()}"


if __name__ == "__main__":
    sys.exit(main())
