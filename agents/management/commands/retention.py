"""`manage.py retention --dry-run`: what would be deleted for its age now; without it, deletes that. Workers do the
same every hour."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents import retention


class Command(BaseCommand):
    help = "Delete what is older than QUESTION_DAYS, RESULT_DAYS, LINK_DAYS and LOG_DAYS allow."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")

    def handle(self, *args: Any, **options: Any) -> None:
        for due in retention.due():
            kept = f"kept {due.days} days" if due.days else "kept for ever"
            oldest = f", oldest of {due.oldest:%Y-%m-%d}" if due.oldest else ""
            self.stdout.write(f"{due.number:>8,} {due.kind.name} ({due.kind.setting}, {kept}{oldest})")
        if options["dry_run"]:
            self.stdout.write("Nothing was deleted.")
            return
        gone = retention.apply()
        self.stdout.write(f"Deleted {sum(gone.values()):,}.")
