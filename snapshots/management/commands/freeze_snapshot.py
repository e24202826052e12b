"""`manage.py freeze_snapshot CORPUS [--seed N] [--dev-from train=N] [--json]`."""

import json
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.models import Corpus
from jobs.claims import Interrupted
from nli.lines import PARTITIONS
from shared.whole_numbers import seed
from snapshots.errors import SnapshotError
from snapshots.freezing.job import FreezeInProgress, freeze_snapshot, request_freeze
from snapshots.freezing.plan import plan_freeze
from snapshots.models import Snapshot
from validation.questions.lookup import corpus_for_command


def held_out(value: str) -> int:
    """Parses `train=N` and returns N."""
    name, equals, number = value.partition("=")
    if name != "train" or not equals or not number.isdecimal() or int(number) < 1:
        raise ArgumentTypeError(f"{value!r} is not of the form train=N, with N premises to hold out")
    return int(number)


class Command(BaseCommand):
    help = (
        "Freezes a snapshot of a corpus: an immutable, numbered, hashed release. "
        "If nothing has changed, it reports the existing snapshot."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS", help="the corpus's slug")
        parser.add_argument(
            "--seed", type=seed, default=0, help="draws the partition of premises that have none"
        )
        parser.add_argument(
            "--dev-from",
            type=held_out,
            default=0,
            metavar="train=N",
            help="hold N whole premises of a published train partition out as dev",
        )
        parser.add_argument(
            "--author-disjoint",
            action="store_true",
            help="leave pairs by authors of test out of train",
        )
        parser.add_argument(
            "--derived-parses",
            action="store_true",
            help="derive parse trees for sentences without one (English only)",
        )
        parser.add_argument(
            "--trees",
            default="",
            metavar="FILE",
            help="use the trees of a file that attach_trees read, for sentences without one",
        )
        parser.add_argument("--json", action="store_true", help="print JSON only")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_for_command(options["corpus"])
        newest = Snapshot.objects.frozen().filter(corpus=corpus).order_by("-version").first()
        try:
            snapshot = self.freeze(corpus, options)
        except (SnapshotError, Interrupted) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped by hand. No snapshot was made.") from None
        self.print_result(
            snapshot, is_new=newest is None or snapshot.version > newest.version, options=options
        )

    def freeze(self, corpus: Corpus, options: dict[str, Any]) -> Snapshot:
        asked = {key: options[key] for key in ("seed", "author_disjoint", "derived_parses", "trees")}
        asked["dev_from_train"] = options["dev_from"]
        try:
            requested = request_freeze(corpus=corpus, **asked)
            for warning in plan_freeze(corpus, **asked).warnings:
                self.stderr.write(warning)
        except FreezeInProgress as error:
            if error.snapshot is None or not Snapshot.objects.stale().contains(error.snapshot):
                raise
            # The process of that freeze was killed: this command continues it, with the settings that were requested then.
            requested = error.snapshot
            self.stderr.write(f"Continues {requested}, whose process has died (seed {requested.seed}).")
        return freeze_snapshot(snapshot_id=requested.pk)

    def print_result(self, snapshot: Snapshot, *, is_new: bool, options: dict[str, Any]) -> None:
        manifest = snapshot.read_manifest()
        partitions = manifest["partitions"] if manifest else {}
        result: dict[str, Any] = {
            "snapshot": str(snapshot),
            "sha256": snapshot.sha256,
            "path": str(snapshot.folder),
            "pairs": snapshot.pair_count,
            "partitions": {
                name: partitions[name]["pairs"] if name in partitions else 0 for name in PARTITIONS
            },
        }
        if options["json"]:
            self.stdout.write(json.dumps(result))
            return
        if not is_new:
            self.stdout.write(f"Nothing has changed since {snapshot}.")
        self.stdout.write(f"{result['snapshot']}  sha256 {result['sha256']}\n{result['path']}")
        counts = ", ".join(f"{name} {number:,}" for name, number in result["partitions"].items())
        self.stdout.write(f"{snapshot.pair_count:,} pairs: {counts}")
