"""manage.py ask "QUESTION" --connection NAME|URL: one answer on the terminal, with the turns as they happen."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections as own_databases

from agents.allowances import run_limits, run_settings
from agents.answers.tables import as_text
from agents.answers.turns import counted
from agents.composition import door_to, workbench
from agents.contracts import Task
from agents.document import document_of, failure
from agents.errors import DatabaseError
from agents.llm.client import preload
from agents.llm.fallback import FallbackClient
from agents.llm.local_model import LocalModelError
from agents.llm.profiles import ProfileError
from agents.management.local_server import served
from agents.management.options import at_least, strategy_name
from agents.management.stored import model_chain, stored_connection, stored_doors
from agents.management.terminal import Narrator
from agents.strategies import STRATEGIES, start
from agents.traces.journal import MemoryJournal
from connections.door import Door

log = structlog.get_logger(__name__)


class QuestionError(ValueError):
    """The question cannot be asked as it is."""


class Command(BaseCommand):
    help = "Ask a database a question. With a URL it needs no stored connection, server, worker or migration."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", metavar="QUESTION")
        parser.add_argument("--connection", required=True, metavar="NAME|URL")
        parser.add_argument("--strategy", type=strategy_name, choices=list(STRATEGIES), default=settings.STRATEGY)
        parser.add_argument("--model", metavar="M", help="a stored model, `local`, or a litellm id")
        parser.add_argument("--evidence", default="", metavar="TEXT", help="what the model should know besides")
        parser.add_argument(
            "--samples", type=at_least(1), metavar="N",
            help="drafts that vote (lift, reforce); else as the model's profile says",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        say = _silent if options["json"] else self._say
        try:
            document = self._ask(options, say)
        except (QuestionError, ProfileError, LocalModelError, DatabaseError) as error:
            document = failure(type(error).__name__, str(error))
        except KeyboardInterrupt:
            document = failure("RunCancelledError", "The run was stopped.", status="cancelled")
        except Exception:  # noqa: BLE001  the command's edge: whoever reads the document gets one
            log.exception("ask failed unexpectedly")
            document = failure("InternalError", "Something went wrong inside; standard error tells more.")
        self._print(document, as_json=options["json"])
        sys.exit(0 if document["status"] in ("answered", "clarify", "unanswerable") else 1)

    def _ask(self, options: dict[str, Any], say: Callable[[str], None]) -> dict[str, Any]:
        task = _task(options["question"], options["evidence"])
        chain = model_chain(options["model"], os.environ)
        threading.Thread(target=preload, daemon=True).start()  # litellm takes seconds; the database is opened meanwhile
        journal = MemoryJournal(sink=Narrator(say))
        with ExitStack() as stack:
            opened, send_values = _database(options["connection"])
            door = stack.enter_context(opened)
            stack.enter_context(served(chain[0], os.environ, say))
            model = FallbackClient(chain)
            stack.enter_context(_stopped_by_interrupt(journal.cancel, model.cancel, door.cancel))
            samples = options["samples"] or model.profile.samples
            bench = workbench(
                door, model, journal, settings=run_settings(send_values=send_values, samples=samples),
                limits=run_limits(), leave_thread=own_databases.close_all,
            )  # fmt: skip
            answer = start(task, bench, options["strategy"])
            return document_of(answer, bench, journal.events)

    def _print(self, document: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self._say(json.dumps(document, ensure_ascii=False))
            return
        if document["error"]:
            self.stderr.write(f"{document['status']}: {document['error']['message']}")
            if detail := document["error"].get("detail"):
                self.stderr.write(detail)
            return
        self._say("")
        self._say(document["answer"] or f"The run was {document['status']}.")
        for option in document["options"]:
            self._say(f"  - {option}")
        if document["table"] and document["table"]["columns"]:
            self._say("\n" + as_text(document["table"]))
        if document["sql"]:
            self._say("\n" + document["sql"])
        self._say("\n" + _spent(document))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _silent(line: str) -> None:
    """Say nothing: standard output belongs to the document."""


def _database(where: str) -> tuple[AbstractContextManager[Door], bool]:
    """A door to a URL or a stored connection, and whether values may be sent to the model."""
    if "://" in where:
        return door_to(where), True
    connection = stored_connection(where)
    return stored_doors(connection)(), connection.send_values


def _task(question: str, evidence: str) -> Task:
    text = question.strip()
    if not text:
        raise QuestionError("The question is empty. Write what you want to know.")
    if len(text) > settings.QUESTION_CHARACTERS:
        raise QuestionError(
            f"The question has {len(text):,} characters; at most {settings.QUESTION_CHARACTERS:,} can be asked. "
            "Leave out what the database knows already, or split it."
        )
    now = datetime.now().astimezone()
    return Task(question=text, evidence=evidence.strip(), today=now.date().isoformat(), time_zone=str(now.tzinfo))


@contextmanager
def _stopped_by_interrupt(*stops: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C ends the model call and the statement, so that the run ends as cancelled with its trace kept."""

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)  # a second one ends the program
        for each in stops:
            each()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _spent(document: dict[str, Any]) -> str:
    usage = document["usage"]
    cost = "" if usage["cost"] is None else f", ${usage['cost']:.4f}"
    return (
        f"{counted(document['turns'], 'turn')}, {counted(document['calls'], 'call')}, {document['seconds']:.1f} s, "
        f"{usage['input']:,} tokens in ({usage['cached']:,} cached), {usage['output']:,} out{cost}"
    )
