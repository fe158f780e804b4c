"""`make run` and `make ask`: everything on one machine, without a server, a key or root.

Each step does what is missing and nothing else, so the second start takes seconds. The processes are those of the
Procfile; honcho runs them, and Ctrl-C ends them all.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from honcho.manager import Manager

from agents.llm.local_model import LocalModel, LocalModelError, fetch, local_model
from agents.llm.profiles import ProfileError, from_environment, is_local
from reactsql_web import checks, env_file, ports

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180.0  # a cold machine loads the model from disk, and imports for the first time


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--ask", metavar="QUESTION", help="ask the demo database in the terminal, then stop")
    options = parser.parse_args(arguments)
    try:
        env_file.read()
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
        django.setup()
        checks.stop_on_errors()
        return _ask(options.ask) if options.ask else _run()
    except (CommandError, ImproperlyConfigured, LocalModelError, ProfileError, ports.PortTakenError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was fetched so far is kept; the next start goes on from there.", file=sys.stderr)
        return 130


def _local_model() -> LocalModel | None:
    """The model on this machine, or None where another one is set."""
    return local_model(os.environ) if is_local(from_environment(os.environ)) else None


def _run() -> int:
    model = _local_model()
    ports.check_free("PORT", settings.HOST, settings.PORT)
    if model:
        ports.check_free("LOCAL_MODEL_PORT", "127.0.0.1", model.port)
    for step in _steps(model):
        step()
    return _run_processes(model)


def _steps(model: LocalModel | None) -> Iterator[Callable[[], object]]:
    """What the first start does; on a later one each finds its work done."""
    if model:
        yield lambda: fetch(model, _say)
    yield lambda: call_command("migrate", verbosity=0)
    yield lambda: call_command("demo_database", verbosity=0)
    yield lambda: call_command("prepare")


def _say(line: str) -> None:
    print(line, flush=True)


def _run_processes(model: LocalModel | None) -> int:
    manager = Manager()
    for name in ("web", "worker", *(["model"] if model else []), "beat"):
        command = f"exec {shlex.quote(sys.executable)} -m reactsql_web.keep {name}"
        manager.add_process(name, command, env=_process_environment(), cwd=str(ROOT))
    threading.Thread(target=_announce, args=(model,), daemon=True).start()
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))  # the terminal was closed
    manager.loop()
    return 0 if manager.returncode in (130, 143) else int(manager.returncode or 0)


def _process_environment() -> dict[str, str]:
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}", "PYTHONUNBUFFERED": "1"}


def _announce(model: LocalModel | None) -> None:
    late = ports.wait_until_up(f"{ports.address(settings.HOST, settings.PORT)}/readyz", START_SECONDS)
    if not late and model:
        late = ports.wait_until_up(f"{model.address}/health", START_SECONDS)
    if late:
        print(f"\n  Not ready after {START_SECONDS:.0f} seconds: {late}. The lines above may tell why.\n", flush=True)
    else:
        print(f"\n  ReAct-SQL Web is ready: {settings.SITE_URL}    (Ctrl-C stops it)\n", flush=True)


def _ask(question: str) -> int:
    """The demo shop and the model are made ready; the command starts the model's server unless one runs."""
    if model := _local_model():
        fetch(model, _say)
    call_command("demo_database", verbosity=0)
    call_command("ask", question, connection=f"sqlite:///{settings.DEMO_DATABASE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
