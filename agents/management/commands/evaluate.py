"""manage.py evaluate --records FILE.jsonl --out DIR: strategies and models measured on the same questions."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.allowances import run_limits, run_settings
from agents.errors import ConnectionFailedError
from agents.evaluation.decoys import LEVELS, with_decoys
from agents.evaluation.harness import Harness
from agents.evaluation.judge import Judge
from agents.evaluation.records import RecordError, draw, read_records
from agents.evaluation.report import markdown, terminal
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
        parser.add_argument("--records", required=True, type=Path, metavar="FILE", help="questions as JSON lines")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where results and traces are kept")
        parser.add_argument("--strategy", action="append", choices=list(STRATEGIES), help="may be repeated")
        parser.add_argument("--model", action="append", metavar="M", help="a stored model, `local` or a litellm id")
        parser.add_argument("--judge", metavar="M", help="the model that judges what the comparator calls different")
        parser.add_argument("--limit", type=int, metavar="N", help="at most so many questions")
        parser.add_argument("--seed", type=int, metavar="N", help="draw the questions with this seed")
        parser.add_argument("--workers", type=int, default=1, metavar="N", help="questions asked at a time")
        parser.add_argument("--decoys", choices=LEVELS, help="add misleading tables to copies of the SQLite files")
        parser.add_argument(
            "--samples", type=int, action="append", metavar="N", help="drafts that vote (lift); may be repeated"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            records = draw(read_records(options["records"]), options["limit"], options["seed"])
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

    def _systems(self, options: dict[str, Any], stack: ExitStack) -> list[StrategySystem]:
        note = f", decoys {options['decoys']}" if options["decoys"] else ""
        votes = [run_settings(samples=max(1, samples)) for samples in dict.fromkeys(options["samples"] or [1])]
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

    def _report(self, results: list[CaseResult], options: dict[str, Any]) -> None:
        seed = "" if options["seed"] is None else f", drawn with seed {options['seed']}"
        title = f"{options['records'].name}: {len({result.id for result in results})} questions{seed}"
        report = options["out"] / REPORT
        report.write_text(markdown(results, title), encoding="utf-8")
        self.stdout.write(f"\n{title}\n\n{terminal(results)}\n\n{report}")

    def _progress(self, done: int, total: int, left: float | None) -> None:
        bar = "#" * (30 * done // total) if total else ""
        eta = "" if left is None else f"  {int(left) // 60}:{int(left) % 60:02} left"
        ending = "\n" if done == total else ""
        self.stderr.write(f"\r[{bar:<30}] {done}/{total}{eta}   {ending}", ending="")
        self.stderr.flush()

    def _say(self, line: str) -> None:
        self.stderr.write(line)
