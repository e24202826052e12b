"""`manage.py export_snapshot CORPUS@VERSION --format F --out DIR`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from snapshots.errors import SnapshotError
from snapshots.exports.formats import FORMATS, export
from snapshots.management.lookup import frozen_snapshot


class Command(BaseCommand):
    help = "Writes a frozen snapshot to a folder in a format that published corpora use."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument("--format", required=True, metavar="F", help=f"one of: {', '.join(FORMATS)}")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new or empty folder")

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = frozen_snapshot(options["snapshot"])
        try:
            source, answers = snapshot.folder, snapshot.datasheet_answers()
            names = export(source, str(snapshot), options["format"], options["out"], answers)
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror or error}.") from None
        if snapshot.retracted_at:
            self.stderr.write(f"{snapshot} was retracted: {snapshot.retracted_because}")
        self.stdout.write(f"{snapshot} is in {options['out']}: {', '.join(names)}")
