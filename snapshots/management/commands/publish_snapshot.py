"""`manage.py publish_snapshot CORPUS@VERSION --by USERNAME`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.lookup import researcher_of
from snapshots.errors import SnapshotError
from snapshots.management.lookup import frozen_snapshot
from snapshots.publishing.actions import publish


class Command(BaseCommand):
    help = (
        "Publishes a frozen snapshot. Its datasheet keeps the answers of this moment. "
        "All questions of the datasheet must have an answer."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument("--by", required=True, metavar="USERNAME", help="the researcher who decides this")

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = frozen_snapshot(options["snapshot"])
        by = researcher_of(options["by"], snapshot.corpus)
        try:
            published = publish(snapshot=snapshot, by=by)
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        assert published.published_at is not None  # publish sets it
        self.stdout.write(f"{snapshot} was published on {published.published_at.date()}.")
