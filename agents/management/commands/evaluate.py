"""manage.py evaluate --records FILE.jsonl --out DIR: strategies and models measured on the same questions.

With `--verified CONNECTION` the questions are the verified ones of a stored connection, and what changed is told.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections as own_databases

from agents.allowances import run_limits, run_settings
from agents.errors import ConnectionFailedError
from agents.evaluation.decoys import LEVELS, with_decoys
from agents.evaluation.doors import AddressedDoors, Doors
from agents.evaluation.harness import Harness
from agents.evaluation.judge import Judge
from agents.evaluation.records import Record, RecordError, draw, read_records
from agents.evaluation.report import changes, markdown, terminal
from agents.evaluation.results import CaseResult
from agents.evaluation.systems import VOTING, StrategySystem
from agents.llm.client import LiteLLMClient
from agents.llm.local_model import LocalModelError
from agents.llm.profiles import ProfileError
from agents.management.local_server import served
from agents.management.options import at_least, strategy_name
from agents.management.stored import model_chain, stored_doors
from agents.strategies import STRATEGIES

REPORT, DECOYS = "report.md", "decoys"


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked, and through which doors. `leave_thread` is called in each thread that has asked."""

    records: Sequence[Record]
    doors: Doors
    leave_thread: Callable[[], None] = lambda: None


class Command(BaseCommand):
    help = "Ask the questions of a file and score the answers. A stopped evaluation goes on where it was."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--records", type=Path, metavar="FILE", help="questions as JSON lines")
        asked.add_argument("--verified", metavar="CONNECTION", help="the verified questions of a stored connection")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where results and traces are kept")
        parser.add_argument("--strategy", action="append", type=strategy_name, choices=list(STRATEGIES),
                            help="may be repeated")  # fmt: skip
        parser.add_argument("--model", action="append", metavar="M", help="a stored model, `local` or a litellm id")
        parser.add_argument("--judge", metavar="M", help="the model that judges what the comparator calls different")
        parser.add_argument("--limit", type=at_least(1), metavar="N", help="at most so many questions")
        parser.add_argument("--seed", type=int, metavar="N", help="draw the questions with this seed")
        parser.add_argument("--workers", type=at_least(1), default=1, metavar="N", help="questions asked at a time")
        parser.add_argument("--decoys", choices=LEVELS, help="add misleading tables to copies of the SQLite files")
        parser.add_argument(
            "--samples", type=at_least(1), action="append", metavar="N",
            help="drafts that vote (lift, reforce), 1 by default; repeatable",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = _verified(options) if options["verified"] else _recorded(options)
            asked = replace(asked, records=draw(asked.records, options["limit"], options["seed"]))
            if options["judge"] and not all(record.send_values for record in asked.records):
                raise CommandError("The results may not be sent to a model, so none can judge: leave --judge out.")
            if options["decoys"]:
                copies = with_decoys(asked.records, options["decoys"], options["out"] / DECOYS)
                asked = replace(asked, records=copies)
        except (RecordError, ConnectionFailedError, OSError) as error:
            raise CommandError(str(error)) from error
        try:
            with ExitStack() as stack:
                systems = self._systems(asked, options, stack)
                harness = Harness(options["out"], workers=options["workers"], progress=self._progress)
                results = harness.run(systems, asked.records)
        except (ProfileError, LocalModelError, ArgumentTypeError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self._say("\nStopped. The same command goes on where this one was.")
            sys.exit(1)
        self._report(results, options)

    def _systems(self, asked: Questions, options: dict[str, Any], stack: ExitStack) -> list[StrategySystem]:
        note = f", decoys {options['decoys']}" if options["decoys"] else ""
        votes = [run_settings(samples=samples) for samples in dict.fromkeys(options["samples"] or [1])]
        judge = None
        if options["judge"]:
            judging = model_chain(options["judge"], os.environ)[0]
            stack.enter_context(served(judging, os.environ, self._say))
            judge = Judge(LiteLLMClient(judging))
        systems = []
        # No model stands in for one that is measured.
        for profile in [model_chain(name, os.environ)[0] for name in options["model"] or [None]]:
            stack.enter_context(served(profile, os.environ, self._say))
            for strategy in options["strategy"] or [strategy_name(settings.STRATEGY)]:
                client = LiteLLMClient(profile)
                systems += [
                    StrategySystem(strategy, client, settings=chosen, limits=run_limits(), judge=judge, note=note,
                                   doors=asked.doors, leave_thread=asked.leave_thread)
                    for chosen in (votes if strategy in VOTING else votes[:1])
                ]
        return systems

    def _report(self, results: list[CaseResult], options: dict[str, Any]) -> None:
        seed = "" if options["seed"] is None else f", drawn with seed {options['seed']}"
        name = options["verified"] or options["records"].name
        number = len({result.id for result in results})
        title = f"{name}: {number} question{'' if number == 1 else 's'}{seed}"
        report = options["out"] / REPORT
        report.write_text(markdown(results, title), encoding="utf-8")
        changed = f"\n\n{changes(results)}" if options["verified"] else ""
        self.stdout.write(f"\n{title}\n\n{terminal(results)}{changed}\n\n{report}")

    def _progress(self, done: int, total: int, left: float | None) -> None:
        bar = "#" * (30 * done // total) if total else ""
        eta = "" if left is None else f"  {int(left) // 60}:{int(left) % 60:02} left"
        ending = "\n" if done == total else ""
        self.stderr.write(f"\r[{bar:<30}] {done}/{total}{eta}   {ending}", ending="")
        self.stderr.flush()

    def _say(self, line: str) -> None:
        self.stderr.write(line)


def _recorded(options: dict[str, Any]) -> Questions:
    return Questions(read_records(options["records"]), AddressedDoors())


def _verified(options: dict[str, Any]) -> Questions:
    """The verified questions of a stored connection, asked as its runs are: what changes is the model alone. Copies
    with decoys are opened by their addresses, with the connection's limits and notes."""
    from agents.library.regression import UnknownConnectionError, regression_set  # it needs the product's database
    from connections import selectors, services

    try:
        found = regression_set(options["verified"])
    except UnknownConnectionError as error:
        raise CommandError(str(error)) from error
    connection = found.connection
    if not found.records:
        raise CommandError(
            f"The regression set of {connection} holds no verified question; {found.waiting} wait for a verified "
            "answer. A manager verifies answers on their pages."
        )
    opened = stored_doors(connection)
    copies = AddressedDoors(limits=services.limits_of(connection), notes=selectors.notes_of(connection))
    doors: Doors = copies if options["decoys"] else lambda record: opened()
    return Questions(found.records, doors, own_databases.close_all)
