"""`manage.py verify_snapshot DIR [--json]`: what `python -m snapshots.verify DIR` does."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from snapshots.verify import report_lines, verify


class Command(BaseCommand):
    help = "Checks a snapshot from its files alone: hashes, lines, gold labels, counts, agreement."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder with manifest.json")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        report = verify(options["folder"])
        for line in report_lines(report, as_json=options["json"]):
            self.stdout.write(line)
        if not report.ok:
            sys.exit(1)
