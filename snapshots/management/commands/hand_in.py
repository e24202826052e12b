"""`manage.py hand_in CORPUS@VERSION FILE --team TEAM --name NAME --by USERNAME [--json]`."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.lookup import researcher_of
from nli.lines import HELD_OUT
from snapshots.errors import SnapshotError
from snapshots.handing_in.actions import hand_in, predictions_in
from snapshots.management.lookup import frozen_snapshot


class Command(BaseCommand):
    help = "Scores predictions for a withheld partition of a snapshot, and keeps them for its leaderboard."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument(
            "file", type=Path, help="JSON Lines with pairID and predicted, or CSV with a head line"
        )
        parser.add_argument("--partition", choices=HELD_OUT, default="", help="where several are withheld")
        parser.add_argument("--team", required=True, help="who hands in")
        parser.add_argument("--name", required=True, help="the name of the system; a team uses it once")
        parser.add_argument("--description", default="", help="what it is; everybody sees it")
        parser.add_argument("--baseline", action="store_true", help="it is a baseline")
        parser.add_argument("--by", required=True, metavar="USERNAME", help="the researcher who hands in")
        parser.add_argument("--json", action="store_true", help="print only JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = frozen_snapshot(options["snapshot"])
        by = researcher_of(options["by"], snapshot.corpus)
        try:
            text = options["file"].read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']} cannot be read: {error}") from None
        try:
            row = hand_in(
                snapshot=snapshot, predictions=predictions_in(text), by=by, is_baseline=options["baseline"],
                **{key: options[key] for key in ("partition", "team", "name", "description")},
            )  # fmt: skip
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        pairs, right = (sum(counts[k] for counts in row.scores.values()) for k in (0, 1))
        if options["json"]:
            told = {"snapshot": str(snapshot), "partition": row.partition, "name": row.name, "pairs": pairs}
            self.stdout.write(
                json.dumps({**told, "accuracy": right / pairs if pairs else None, "genres": row.scores})
            )
        else:
            self.stdout.write(f"{row.name}: {right:,} of {pairs:,} pairs of {row.partition} are right.")
