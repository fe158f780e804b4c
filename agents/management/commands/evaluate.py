"""manage.py evaluate --records FILE.jsonl --out DIR: strategies and models measured on the same questions.

With `--verified CONNECTION` the questions are the verified ones of a stored connection, and what changed is told.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.allowances import run_limits, run_settings
from agents.contracts import RunSettings
from agents.errors import ConnectionFailedError
from agents.evaluation.decoys import LEVELS, with_decoys
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
from agents.management.stored import model_chain
from agents.strategies import STRATEGIES

REPORT, DECOYS = "report.md", "decoys"


class Command(BaseCommand):
    help = "Ask the questions of a file and score the answers. A stopped evaluation goes on where it was."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--records", type=Path, metavar="FILE", help="questions as JSON lines")
        asked.add_argument("--verified", metavar="CONNECTION", help="the verified questions of a stored connection")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where results and traces are kept")
        parser.add_argument("--strategy", action="append", choices=list(STRATEGIES), help="may be repeated")
        parser.add_argument("--model", action="append", metavar="M", help="a stored model, `local` or a litellm id")
        parser.add_argument("--judge", metavar="M", help="the model that judges what the comparator calls different")
        parser.add_argument("--limit", type=int, metavar="N", help="at most so many questions")
        parser.add_argument("--seed", type=int, metavar="N", help="draw the questions with this seed")
        parser.add_argument("--workers", type=int, default=1, metavar="N", help="questions asked at a time")
        parser.add_argument("--decoys", choices=LEVELS, help="add misleading tables to copies of the SQLite files")
        parser.add_argument(
            "--samples", type=int, action="append", metavar="N", help="drafts that vote (lift, reforce); repeatable"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            records = draw(self._questions(options), options["limit"], options["seed"])
            if options["decoys"]:
                records = with_decoys(records, options["decoys"], options["out"] / DECOYS)
        except (RecordError, ConnectionFailedError, OSError) as error:
            raise CommandError(str(error)) from error
        try:
            with ExitStack() as stack:
                systems = self._systems(options, stack)
                harness = Harness(options["out"], workers=max(1, options["workers"]), progress=self._progress)
                results = harness.run(systems, records)
        except (ProfileError, LocalModelError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self._say("\nStopped. The same command goes on where this one was.")
            sys.exit(1)
        self._report(results, options)

    def _questions(self, options: dict[str, Any]) -> Sequence[Record]:
        self._sends_values = True
        if options["records"]:
            return read_records(options["records"])
        from agents.library.regression import UnknownConnectionError, regression_set  # it needs the product's database

        try:
            found = regression_set(options["verified"])
        except UnknownConnectionError as error:
            raise CommandError(str(error)) from error
        if not found.records:
            raise CommandError(
                f"The regression set of {options['verified']} holds no verified question; {found.waiting} wait for a "
                "verified answer. A manager verifies answers on their pages."
            )
        self._sends_values = found.connection.send_values
        if options["judge"] and not self._sends_values:
            raise CommandError(
                f"Results of {options['verified']} may not be sent to a model, so none can judge: leave --judge out."
            )
        return found.records

    def _systems(self, options: dict[str, Any], stack: ExitStack) -> list[StrategySystem]:
        note = f", decoys {options['decoys']}" if options["decoys"] else ""
        votes = [self._settings(samples) for samples in dict.fromkeys(options["samples"] or [1])]
        judge = None
        if options["judge"]:
            judging = model_chain(options["judge"], os.environ)[0]
            stack.enter_context(served(judging, os.environ, self._say))
            judge = Judge(LiteLLMClient(judging))
        systems = []
        # No model stands in for one that is measured.
        for profile in [model_chain(name, os.environ)[0] for name in options["model"] or [None]]:
            stack.enter_context(served(profile, os.environ, self._say))
            for strategy in options["strategy"] or [settings.STRATEGY]:
                client = LiteLLMClient(profile)
                systems += [
                    StrategySystem(strategy, client, settings=chosen, limits=run_limits(), judge=judge, note=note)
                    for chosen in (votes if strategy in VOTING else votes[:1])
                ]
        return systems

    def _settings(self, samples: int) -> RunSettings:
        return run_settings(send_values=self._sends_values, samples=max(1, samples))

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
