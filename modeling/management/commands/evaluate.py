"""`manage.py evaluate RUN CORPUS@VERSION [--partition dev|test|train] [--by DIMENSION ...] [--file NAME=PATH] [--json]`."""

import json
from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.models import PARTITIONS
from modeling.launching.actions import why_not_frozen
from modeling.models import TrainingRun
from modeling.results.dimensions import DIMENSIONS, OWN
from modeling.results.run_scores import breakdowns, distribution_text
from modeling.results.trials import hides_test
from modeling.running.configs import CannotStart
from modeling.running.evaluating import NEEDS_TAGS, EvaluationFailed, score
from nli.lines import HELD_OUT
from shared.whole_numbers import whole
from snapshots.models import Snapshot
from snapshots.statistics.job import NoTagger
from snapshots.statistics.tag_cache import NAMES as TAGS


def own_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not name or not Path(path).is_file():
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=PATH with the path of a file")
    if len(name) > 60:
        raise ArgumentTypeError(f"the name {name!r} is longer than 60 characters")
    return name, Path(path)


class Command(BaseCommand):
    help = "Scores a finished run on a frozen snapshot with the same labels, its own or another."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=whole(0), metavar="RUN")
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument(
            "--partition",
            choices=PARTITIONS,
            action="append",
            help="may be given several times; default: dev and test",
        )
        parser.add_argument(
            "--by",
            action="append",
            default=[],
            metavar="DIMENSION",
            help=f"also by: {', '.join(DIMENSIONS)}, or {OWN}NAME of a --file; may be given several times",
        )
        parser.add_argument(
            "--file",
            type=own_file,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="a dimension of your own: a CSV file with pair id and value; may be given several times",
        )
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        run, snapshot = self.finished_run(options["run"]), self.frozen_snapshot(options["snapshot"])
        own, dimensions = dict(options["file"]), dict.fromkeys(options["by"])
        partitions = options["partition"] or list(HELD_OUT)
        if "test" in partitions and hides_test(run):
            raise CommandError(
                f"Run {run.pk} is a trial of sweep {run.parent_id} that was not chosen, so nobody sees its test scores. Say"
                " --partition dev, or evaluate the chosen one."
            )
        for by in dimensions:
            if by not in DIMENSIONS and by not in {f"{OWN}{name}" for name in own}:
                raise CommandError(
                    f"There is no dimension {by!r}. There are: {', '.join(DIMENSIONS)}; and {OWN}NAME for each --file."
                )
        try:
            tags = any(by in NEEDS_TAGS for by in dimensions)
            metrics = score(run, snapshot, partitions, tell=self.warn, tags=tags, own=own)
        except (CannotStart, EvaluationFailed, NoTagger, ValueError) as error:
            raise CommandError(str(error)) from None
        for by in dimensions:
            self.add_breakdown(run, snapshot, metrics, by)
        result = {"run": run.pk, **metrics}
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            self.print_result(result, dimensions)

    def add_breakdown(self, run: TrainingRun, snapshot: Snapshot, metrics: dict[str, Any], by: str) -> None:
        """Adds `by_DIMENSION` to each partition: the accuracy and the number of pairs of each value."""
        absent = {tag: {"accuracy": None, "pairs": 0} for tag in (TAGS if by in NEEDS_TAGS else ())}
        for shown in breakdowns(run):
            if shown.snapshot == snapshot and shown.dimension == by and shown.partition in metrics:
                found = {part.value: {"accuracy": part.accuracy, "pairs": part.pairs} for part in shown.parts}
                metrics[shown.partition].setdefault(f"by_{by}", absent | found)

    def finished_run(self, number: int) -> TrainingRun:
        run = TrainingRun.objects.newest_first().filter(pk=number).first()
        if run is None:
            raise CommandError(f"There is no run {number}. The page Runs lists all.")
        if run.is_sweep:
            raise CommandError(f"Run {number} is a sweep: name one of its runs.")
        if run.status != TrainingRun.Status.DONE:
            raise CommandError(f"Run {number} is {run.status}: only finished runs can be evaluated.")
        return run

    def frozen_snapshot(self, name: str) -> Snapshot:
        snapshot = Snapshot.objects.named(name).first()
        if snapshot is None:
            raise CommandError(
                f"There is no snapshot {name!r}. Freeze one: manage.py freeze_snapshot CORPUS."
            )
        if refusal := why_not_frozen(snapshot):
            raise CommandError(refusal)
        return snapshot

    def warn(self, event: dict[str, Any]) -> None:
        if event.get("event") == "warning":
            self.stderr.write(f"Warning: {event['message']}")

    def print_result(self, result: dict[str, Any], dimensions: Iterable[str]) -> None:
        self.stdout.write(
            f"Run {result['run']}: {result['baseline']}, trained on {result['trained_on']['name']}"
        )
        self.stdout.write(f"evaluated on {result['snapshot']} (sha256 {result['sha256']})")
        for partition in PARTITIONS:
            scores = result.get(partition) or {}
            if scores.get("accuracy") is None:
                continue
            self.stdout.write(
                f"  {partition:5}  accuracy {scores['accuracy']:.4f}  "
                f"(commonest label {scores['majority']:.4f}, {scores['pairs']:,} pairs)"
            )
            if scores.get("distribution"):
                self.stdout.write(f"         {distribution_text(scores['distribution'])}")
            for by in dimensions:
                for name, part in (scores.get(f"by_{by}") or {}).items():
                    accuracy = "no pairs" if part["accuracy"] is None else f"{part['accuracy']:.4f}"
                    self.stdout.write(f"         {name}: {accuracy}  ({part['pairs']:,} pairs)")
