"""`manage.py evaluate RUN CORPUS@VERSION [--partition dev|test|train] [--by genre|tag|label] [--json]`."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.models import PARTITIONS
from modeling.launching.actions import SnapshotNotFrozen
from modeling.launching.regimes import scheme_of
from modeling.models import TrainingRun
from modeling.results.actions import record_evaluation
from modeling.results.predictions import accuracy_by_tag
from modeling.results.tables import distribution_text
from modeling.running.configs import CannotStart
from modeling.running.evaluating import EvaluationFailed, evaluate, evaluation_folder
from nli.labels import COLLAPSED, COLLAPSIBLE
from snapshots.models import Snapshot
from snapshots.statistics.job import NoTagger, check_tagger
from snapshots.statistics.tag_cache import NAMES as TAGS
from snapshots.statistics.tag_cache import tags_of_pairs

HELD_OUT = ("dev", "test")


class Command(BaseCommand):
    help = "Scores a finished run on a frozen snapshot with the same labels, its own or another."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument(
            "--partition",
            choices=PARTITIONS,
            action="append",
            help="may be given several times; default: dev and test",
        )
        parser.add_argument(
            "--by", choices=["genre", "tag", "label"], help="also each genre, annotation tag or gold label"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        run, snapshot = self.finished_run(options["run"]), self.frozen_snapshot(options["snapshot"])
        theirs, ours = scheme_of(run.snapshot, run.regime), snapshot.corpus.scheme
        if theirs != ours and not {theirs, ours} <= {COLLAPSED, *COLLAPSIBLE}:
            raise CommandError(
                f"Run {run.pk} predicts labels of {theirs}, {snapshot} has {ours}, and these cannot be read as the same two"
                " classes: name a snapshot with the same labels."
            )
        try:
            if options["by"] == "tag":
                check_tagger(snapshot)
            metrics = evaluate(run, snapshot, options["partition"] or list(HELD_OUT), tell=self.warn)
        except (CannotStart, EvaluationFailed, NoTagger) as error:
            raise CommandError(str(error)) from None
        record_evaluation(run=run, snapshot=snapshot, metrics=metrics)
        if options["by"] == "tag":
            self.add_tags(run, snapshot, metrics)
        told = {"run": run.pk, **metrics}
        if options["json"]:
            self.stdout.write(json.dumps(told))
        else:
            self.tell(told, options["by"])

    def add_tags(self, run: TrainingRun, snapshot: Snapshot, metrics: dict[str, Any]) -> None:
        """Adds `by_tag` to each partition: the accuracy where premise or hypothesis has the tag (MultiNLI, Table 6)."""
        evaluated = [name for name in PARTITIONS if name in metrics]
        folder = evaluation_folder(run, snapshot, evaluated)
        for partition in evaluated:
            path = folder / f"predictions-{partition}.jsonl"
            if path.exists():
                found = tags_of_pairs(snapshot, partition)
                metrics[partition]["by_tag"] = accuracy_by_tag(path, found, TAGS)

    def finished_run(self, number: int) -> TrainingRun:
        run = TrainingRun.objects.newest_first().filter(pk=number).first()
        if run is None:
            raise CommandError(f"There is no run {number}.")
        if run.is_sweep:
            raise CommandError(f"Run {number} is a sweep: name one of its runs.")
        if run.status != TrainingRun.Status.DONE:
            raise CommandError(f"Run {number} is {run.status}: only finished runs can be evaluated.")
        return run

    def frozen_snapshot(self, name: str) -> Snapshot:
        snapshot = Snapshot.objects.named(name).first()
        if snapshot is None:
            raise CommandError(f"There is no snapshot {name!r}.")
        if snapshot.status != Snapshot.Status.FROZEN:
            raise CommandError(str(SnapshotNotFrozen(snapshot)))
        return snapshot

    def warn(self, event: dict[str, Any]) -> None:
        if event.get("event") == "warning":
            self.stderr.write(f"Warning: {event['message']}")

    def tell(self, told: dict[str, Any], by: str | None) -> None:
        self.stdout.write(f"Run {told['run']}: {told['baseline']}, trained on {told['trained_on']['name']}")
        self.stdout.write(f"evaluated on {told['snapshot']} (sha256 {told['sha256']})")
        for partition in PARTITIONS:
            scores = told.get(partition) or {}
            if scores.get("accuracy") is None:
                continue
            self.stdout.write(
                f"  {partition:5}  accuracy {scores['accuracy']:.4f}  "
                f"(commonest label {scores['majority']:.4f}, {scores['pairs']:,} pairs)"
            )
            if scores.get("distribution"):
                self.stdout.write(f"         {distribution_text(scores['distribution'])}")
            for name, part in scores.get(f"by_{by}", {}).items():
                accuracy = "no pairs" if part["accuracy"] is None else f"{part['accuracy']:.4f}"
                self.stdout.write(f"         {name}: {accuracy}  ({part['pairs']:,} pairs)")
