"""`python -m reactsql_web.keep NAME`: runs the Procfile's process NAME, and runs it again when it dies.

A worker that was killed is back in a second and goes on with its runs. What dies three times in a row right after its
start cannot be helped; then this gives up, and everything stops with its error on the screen.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from honcho.environ import parse_procfile

from reactsql_web import env_file

ROOT = Path(__file__).resolve().parent.parent
SOON = 15.0  # seconds; dying earlier than this after a start counts as a failed start
FAILED_STARTS = 3


class Keeper:
    def __init__(self, name: str, command: str) -> None:
        self._name, self._command = name, command
        self._stopping = False

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        failed = 0
        while not self._stopping:
            started = time.monotonic()
            code = subprocess.Popen(["sh", "-c", f"exec {self._command}"], cwd=ROOT).wait()
            failed = failed + 1 if time.monotonic() - started < SOON else 0
            if self._stopping or failed == FAILED_STARTS:
                return 0 if self._stopping else abs(code) or 1
            print(f"{self._name} ended with {code}; starting it again", flush=True)
            time.sleep(1 + failed)
        return 0

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """The signal went to the whole process group, so the process got it, too."""
        self._stopping = True


if __name__ == "__main__":
    env_file.read()  # the Procfile's own lines name some of the settings
    name = sys.argv[1]
    sys.exit(Keeper(name, parse_procfile((ROOT / "Procfile").read_text()).processes[name]).run())
