"""`manage.py retract_snapshot CORPUS@VERSION --because NOTICE --by USERNAME`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.lookup import researcher_of
from snapshots.errors import SnapshotError
from snapshots.management.lookup import frozen_snapshot
from snapshots.publishing.actions import retract


class Command(BaseCommand):
    help = "Puts a permanent notice on a published snapshot that says what is wrong with it. No file changes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument(
            "--because", required=True, metavar="NOTICE", help="what is wrong; everybody sees it"
        )
        parser.add_argument("--by", required=True, metavar="USERNAME", help="the researcher who decides this")

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = frozen_snapshot(options["snapshot"])
        by = researcher_of(options["by"], snapshot.corpus)
        try:
            retracted = retract(snapshot=snapshot, because=options["because"], by=by)
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        assert retracted.retracted_at is not None  # retract sets it
        self.stdout.write(
            f"{snapshot} was retracted on {retracted.retracted_at.date()}: {retracted.retracted_because}"
        )
