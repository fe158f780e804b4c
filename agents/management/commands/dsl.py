"""`dsl run`: run a program of operations on a database and print what it returned. `dsl lift`: make one of SQL.

Needs no server, worker, user or migration. With `--json` standard output is exactly one JSON document, whatever
happens. Exit status: 0 done, 1 the program is at fault (the typed error is in the JSON), 2 wrong usage.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.engine.lift.command import lift_batch, lift_document
from agents.engine.programs import error_to_json, run_program, run_to_json
from agents.errors import DatabaseError, ModelCorrectableError
from agents.management.options import at_least, seconds

DONE, AT_FAULT, WRONG_USAGE = 0, 1, 2


class UsageError(Exception):
    """The command line itself is wrong: a missing option, a file that cannot be read."""


class Command(BaseCommand):
    help = "Run programs of the relational language (dsl run), or make them of SQL (dsl lift)"
    requires_system_checks = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """Django would print usage errors as text; `--json` promises a document."""
        self._json = "--json" in argv
        super().run_from_argv(argv)

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        if getattr(self, "_json", False):
            parser.error = self._usage_error  # type: ignore[method-assign]
        return parser

    def _usage_error(self, message: str) -> NoReturn:
        _print({"observations": [], "results": [], "error": error_to_json("UsageError", message)})
        sys.exit(WRONG_USAGE)

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        run = commands.add_parser("run", help="run a program")
        lift = commands.add_parser("lift", help="make programs of SQL")
        for command in (run, lift):
            if getattr(self, "_json", False):
                command.error = self._usage_error  # type: ignore[method-assign]
            add_database_options(command)
        run.add_argument(
            "--program", required=True, metavar="FILE", help="a JSON array of calls, or of batches of calls"
        )
        run.set_defaults(work=run_command, show=_print_text)
        add_lift_options(lift)
        lift.set_defaults(work=lift_command, show=_print_lifted)

    def handle(self, *args: Any, **options: Any) -> None:
        document, status = options["work"](Namespace(**options))
        (_print if options["json"] else options["show"])(document)
        if status:
            sys.exit(status)


def add_database_options(parser: ArgumentParser) -> None:
    """What every sub-command that reads a database takes."""
    parser.add_argument("--url", required=True, help="SQLAlchemy URL, e.g. sqlite:////folder/shop.sqlite")
    parser.add_argument("--max-rows", type=at_least(1), default=10_000, help="rows kept of a result (10,000)")
    parser.add_argument("--timeout", type=seconds, default=60.0, metavar="S", help="seconds a statement may take (60)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def add_lift_options(parser: ArgumentParser) -> None:
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--sql", help="one SELECT")
    given.add_argument("--batch", metavar="FILE", help='JSON lines {"id", "url"?, "sql"}: lift, run both, compare')
    parser.add_argument("--run", action="store_true", help="run the program, too")
    parser.add_argument("--lenient", action="store_true", help="accept SQL that only the database's leniency accepts")
    parser.add_argument("--out", metavar="FILE", help="where --batch writes a verdict for each line")


def lift_command(options: Namespace) -> tuple[dict[str, Any], int]:
    """The document of `dsl lift` and the exit status."""
    if options.batch is None:
        document = lift_document(
            options.url,
            options.sql,
            run=options.run,
            max_rows=options.max_rows,
            seconds=options.timeout,
            strict=not options.lenient,
        )
        return document, AT_FAULT if document["error"] else DONE
    try:
        if not options.out:
            raise UsageError("--batch needs --out, the file for the verdicts")
        with open(options.batch, encoding="utf-8") as source, open(options.out, "w", encoding="utf-8") as target:
            return lift_batch(source, target, sys.stderr, url=options.url, seconds=options.timeout), DONE
    except (UsageError, OSError, UnicodeDecodeError) as error:
        return {"error": error_to_json("UsageError", str(error))}, WRONG_USAGE


def run_command(options: Namespace) -> tuple[dict[str, Any], int]:
    """The document of `dsl run` and the exit status."""
    blank: dict[str, Any] = {"observations": [], "results": []}
    try:
        program = _read_json(options.program)
        run = run_program(options.url, program, max_rows=options.max_rows, seconds=options.timeout)
    except UsageError as error:
        return blank | {"error": error_to_json("UsageError", str(error))}, WRONG_USAGE
    except json.JSONDecodeError as error:
        message = f"{options.program} is not JSON: {error}"
        return blank | {"error": error_to_json("InvalidArgumentError", message)}, AT_FAULT
    except (ModelCorrectableError, DatabaseError) as error:
        return blank | {"error": error_to_json(type(error).__name__, str(error))}, AT_FAULT
    document = run_to_json(run)
    return document, AT_FAULT if document["error"] else DONE


def _read_json(name: str) -> Any:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} cannot be read: {error}") from error
    try:
        return json.loads(text)
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", text[:20], 0) from error


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=True, allow_nan=False) + "\n")


def _print_lifted(document: dict[str, Any]) -> None:
    for call in document.get("program") or ():
        sys.stdout.write(json.dumps(call, ensure_ascii=False) + "\n")
    for warning in document.get("warnings", ()):
        sys.stdout.write(f"warning: {warning}\n")
    if "statements" in document:
        sys.stdout.write("\n".join(f"{key}: {value}" for key, value in document.items() if key != "error") + "\n")
    if document.get("observations"):
        _print_text(document)
    elif document["error"]:
        raise CommandError(document["error"]["message"])


def _print_text(document: dict[str, Any]) -> None:
    for observation in document["observations"]:
        sys.stdout.write(observation["text"] + "\n")
        for warning in observation["warnings"]:
            sys.stdout.write(f"warning: {warning}\n")
    if document["error"] and not document["observations"]:
        raise CommandError(document["error"]["message"])
