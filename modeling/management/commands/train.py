"""`manage.py train CORPUS@VERSION --baseline NAME [--seeds N] [--sizes N,N] [--set key=value ...] [--queue] [--json]`."""

import json
import math
import os
import socket
from argparse import ArgumentTypeError
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from jobs.claims import claim
from jobs.querysets import STALE_AFTER
from jobs.tasks import enqueue
from modeling import catalogue, workers
from modeling.baselines.config import STARTS
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import (
    MOST_CHILDREN,
    RunIsOver,
    request_runs,
    resume_run,
    stop_run,
)
from modeling.launching.regimes import RefusedRun, read_mixed, read_sizes
from modeling.launching.searches import read_search
from modeling.models import TrainingRun
from modeling.results.run_scores import distribution_text
from modeling.results.trials import trials
from modeling.running import runner
from modeling.watching.sweeps import sizes
from nli.lines import ALL, HELD_OUT, PARTITIONS, SETS
from shared.whole_numbers import seed, whole
from snapshots.models import Snapshot

INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError(f"{text!r} is not of the form key=value")
    return key, value


def me() -> str:
    return f"train@{socket.gethostname()}:{os.getpid()}"


class Command(BaseCommand):
    help = (
        "Trains a baseline on a frozen snapshot: in this process, or by a worker with --queue. "
        "Ctrl-C stops it with a checkpoint. --resume continues from there."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION", nargs="?")
        parser.add_argument("--baseline", metavar="NAME", help="such as majority, hypothesis_only, cbow")
        parser.add_argument("--seed", type=seed, default=1, metavar="N")
        parser.add_argument(
            "--vectors",
            default=catalogue.PACKAGED_VECTORS,
            metavar="V",
            help="an installed package of vectors, or a GloVe text file",
        )
        parser.add_argument(
            "--set",
            type=setting,
            nargs="+",
            action="extend",
            default=[],
            metavar="key=value",
            help="settings of the baseline; others have their defaults",
        )
        parser.add_argument(
            "--preset",
            choices=PRESETS,
            default="default",
            help="paper: the settings as published; --set changes them. default: the same network, trained in less time",
        )
        parser.add_argument(
            "--seeds",
            type=whole(1, MOST_CHILDREN),
            metavar="N",
            help="a sweep over this number of seeds, from --seed on, with mean and spread",
        )
        parser.add_argument(
            "--sizes",
            metavar="N,N,...",
            default="",
            help="a sweep over numbers of training pairs: a learning curve",
        )
        parser.add_argument(
            "--search",
            nargs="+",
            action="extend",
            default=[],
            metavar="key=value,value",
            help="a sweep over settings: every combination is a trial, dev chooses one; with --draws, low..high is a range",
        )
        parser.add_argument("--draws", type=whole(1), metavar="N", help="draw N of these trials by the seed")
        parser.add_argument("--genre", metavar="G", help="learn from pairs of this genre only")
        parser.add_argument(
            "--most", type=whole(1), metavar="N", help="learn from this number of pairs, drawn by the seed"
        )
        parser.add_argument(
            "--mixed",
            nargs="+",
            action="append",
            default=[],
            metavar=("CORPUS@VERSION", "share=0.15 most=1000"),
            help="learn from another snapshot, too: a share drawn anew each epoch, or a number of pairs drawn once",
        )
        start = parser.add_mutually_exclusive_group()
        start.add_argument(
            "--update", type=whole(0), metavar="RUN", help="start with the weights of a finished run"
        )
        start.add_argument(
            "--transfer", type=whole(0), metavar="RUN", help="the same with a new softmax, for other labels"
        )
        parser.add_argument(
            "--collapse",
            action="store_true",
            help="read labels of nli3 or ordinal5 as entailed and not-entailed",
        )
        parser.add_argument(
            "--soft-labels",
            nargs="?",
            const=ALL,
            default="",
            choices=SETS,
            help="learn the shares of people's labels: in the seats, the extra ones beyond, or all (the default)",
        )
        parser.add_argument(
            "--hypothesis-only",
            action="store_true",
            help="train the hypothesis-only twin: the same network, which reads each premise as empty",
        )
        parser.add_argument("--resume", type=whole(0), metavar="RUN", help="continue a stopped or failed run")
        parser.add_argument("--queue", action="store_true", help="let a worker train it")
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["queue"]:
                self.queue(self.requested(options), options)
            else:
                self.train_here(options)
        except (RefusedRun, RunIsOver) as error:
            raise CommandError(str(error)) from None

    def train_here(self, options: dict[str, Any]) -> None:
        # In one transaction: no worker may claim the run between the request and the claim here.
        with transaction.atomic():
            wanted = self.requested(options)
            if wanted.is_sweep:
                # Each child is stopped until its turn: no worker claims it, and a kill loses nothing.
                stop_run(run=wanted)
            else:
                run = claim(TrainingRun, wanted.pk, worker=me())
        if wanted.is_sweep:
            self.train_children(wanted, options)
        else:
            self.print_result(self.train_one(wanted, run), options)

    def train_children(self, sweep: TrainingRun, options: dict[str, Any]) -> None:
        """Trains the children one after the other. A failed child does not end the sweep, Ctrl-C does."""
        for child in sweep.children.order_by("most", "pk"):
            with transaction.atomic():
                row = TrainingRun.objects.select_for_update().get(pk=child.pk)
                if row.status not in (TrainingRun.Status.STOPPED, TrainingRun.Status.FAILED):
                    continue
                wanted = resume_run(run=row)
                run = claim(TrainingRun, wanted.pk, worker=me())
            try:
                self.train_one(wanted, run)
            except CommandError as error:
                if error.returncode == INTERRUPTED:
                    raise CommandError(
                        f"Stopped; checkpoints are stored. Continue with: manage.py train --resume {sweep.pk}",
                        returncode=INTERRUPTED,
                    ) from None
                self.stderr.write(f"Run {child.pk}: {error}")
        self.print_sweep(sweep, options)

    def train_one(self, wanted: TrainingRun, run: TrainingRun | None) -> dict[str, Any]:
        """Trains a claimed run. Returns its number and metrics."""
        if run is None:
            raise CommandError(_why_not_claimable(TrainingRun.objects.get(pk=wanted.pk)))
        self.stderr.write(f"Run {run.pk}: {run.baseline} on {run.snapshot}, seed {run.seed}.")
        metrics: dict[str, Any] = {}

        def tell(event: dict[str, Any]) -> None:
            metrics.update(event.get("metrics", {}))
            line = sentence(event)
            if line:
                self.stderr.write(line)

        ended = runner.carry_out(run, tell=tell, requeue=False)
        if ended.status == TrainingRun.Status.STOPPED:
            raise CommandError(
                f"Stopped; its checkpoint is stored. Continue with: manage.py train --resume {run.pk}",
                returncode=INTERRUPTED,
            )
        if ended.status != TrainingRun.Status.DONE:
            raise CommandError(ended.error or f"Run {run.pk} went to another worker: {ended.worker}.")
        return {"run": run.pk, **metrics}

    def requested(self, options: dict[str, Any]) -> TrainingRun:
        """Requests a new run, or resumes one."""
        if options["resume"] is not None:
            found = TrainingRun.objects.newest_first().filter(pk=options["resume"]).first()
            if found is None:
                raise CommandError(f"There is no run {options['resume']}. The page Runs lists all.")
            return resume_run(run=found)
        if not options["snapshot"] or not options["baseline"]:
            names = ", ".join(catalogue.baselines())
            raise CommandError(f"Name a snapshot (CORPUS@VERSION) and a --baseline: {names}.")
        snapshot = Snapshot.objects.named(options["snapshot"]).first()
        if snapshot is None:
            raise CommandError(
                f"There is no snapshot {options['snapshot']!r}. Freeze one: manage.py freeze_snapshot CORPUS."
            )
        config: dict[str, Any] = dict(options["set"])
        if len(config) < len(options["set"]):
            raise CommandError("--set names a key twice: keep one of them.")
        if Path(config.get("model", "")).is_dir() and "model" in config:
            config["model"] = str(Path(config["model"]).resolve())  # the program runs in another folder
        vectors = options["vectors"]
        request: dict[str, Any] = {
            "snapshot": snapshot,
            "baseline": options["baseline"],
            # The program runs in another folder.
            "vectors": str(Path(vectors).resolve()) if Path(vectors).is_file() else vectors,
            "preset": options["preset"],
            "config": config,
        }
        seed, count = options["seed"], options["seeds"]
        request["regime"], request["draws"] = self.regime(options), options["draws"]
        request["sizes"] = read_sizes(options["sizes"])
        request["search"] = read_search("\n".join(options["search"]))
        return request_runs(**request, seeds=range(seed, seed + (count or 1)), is_sweep=count is not None)

    def regime(self, options: dict[str, Any]) -> dict[str, Any]:
        how = next((how for how in STARTS if options[how] is not None), None)
        return {
            "start": {"run": options[how], "how": how} if how else None,
            "mixed": [read_mixed(" ".join(parts)) for parts in options["mixed"]],
            **{key: options[key] for key in ("genre", "most", "collapse", "soft_labels", "hypothesis_only")},
        }

    def queue(self, run: TrainingRun, options: dict[str, Any]) -> None:
        enqueue(run)
        if not workers.working(TrainingRun.QUEUE):
            self.stderr.write(
                f"The queue {TrainingRun.QUEUE} has no worker. The run waits. Start a worker with: "
                f"celery -A annotation_site worker -Q {TrainingRun.QUEUE} --beat"
            )
        result = {
            "run": run.pk,
            "baseline": run.baseline,
            "snapshot": str(run.snapshot),
            "sha256": run.snapshot.sha256,
            "seed": run.seed,
            "status": run.standing,
        }
        self.stdout.write(json.dumps(result) if options["json"] else f"Run {run.pk} is {run.standing}.")

    def print_sweep(self, sweep: TrainingRun, options: dict[str, Any]) -> None:
        sweep = TrainingRun.objects.newest_first().get(pk=sweep.pk)
        table, tried = sizes(sweep), trials(sweep)
        if options["json"]:
            result: dict[str, Any] = {
                "run": sweep.pk,
                "baseline": sweep.baseline,
                "snapshot": str(sweep.snapshot),
                "sha256": sweep.snapshot.sha256,
                "status": sweep.standing,
                "sweep": [asdict(size) for size in table],
                **({"trials": [asdict(trial) for trial in tried]} if tried else {}),
            }
            self.stdout.write(json.dumps(result))
        else:
            self.stdout.write(f"Sweep {sweep.pk}: {sweep.baseline} on {sweep.snapshot}, {sweep.standing}")
            for trial in tried:
                dev = "no score" if trial.dev is None else f"{trial.dev:.4f}"
                test = "" if trial.test is None else f", test {trial.test:.4f}"
                mark = "*" if trial.chosen else " "
                self.stdout.write(f"{mark} {trial.settings or 'as given'}: dev {dev}{test}")
            for size in table:
                done = sum(run["status"] == "done" for run in size.runs)
                pairs = "all pairs" if size.most is None else f"{size.most:,} pairs"
                scores = [
                    f"{name} {score.mean:.4f}" + ("" if score.spread is None else f" ± {score.spread:.4f}")
                    for name in HELD_OUT
                    if (score := size.scores.get(name))
                ]
                self.stdout.write(
                    f"  {pairs}, {done} of {len(size.runs)} seeds: {', '.join(scores) or 'no scores'}"
                )
        if sweep.standing == TrainingRun.Status.FAILED:
            raise CommandError(f"Some runs failed. Retry them with: manage.py train --resume {sweep.pk}")

    def print_result(self, result: dict[str, Any], options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(result))
            return
        self.stdout.write(
            f"Run {result['run']}: {result['baseline']} on {result['snapshot']} (sha256 {result['sha256']}), "
            f"seed {result['seed']}, {result['train_pairs']:,} training pairs, {result['seconds']} s on {result['device']}"
        )
        for partition in PARTITIONS:
            scores = result.get(partition) or {}
            if scores.get("accuracy") is not None:
                bar = scores.get("majority")
                beside = (
                    f"  (commonest label {bar:.4f}, {scores['pairs']:,} pairs)" if bar is not None else ""
                )
                self.stdout.write(f"  {partition:5}  accuracy {scores['accuracy']:.4f}{beside}")
            if scores.get("distribution"):
                self.stdout.write(f"         {distribution_text(scores['distribution'])}")


def _why_not_claimable(run: TrainingRun) -> str:
    """Returns why this process cannot train a run, and when it can."""
    if run.status != TrainingRun.Status.RUNNING or run.heartbeat_at is None:
        return run.error or f"Run {run.pk} is {run.status}: there is nothing to train."
    silent = timezone.now() - run.heartbeat_at
    wait = math.ceil(max(STALE_AFTER - silent, timedelta(0)).total_seconds()) + 1
    return (
        f"Run {run.pk} has the worker {run.worker}, whose last heartbeat was {silent.total_seconds():.0f} s ago: "
        f"stop it there first. If that worker has ended, try again in {wait} s."
    )


def sentence(event: dict[str, Any]) -> str:
    """Returns the line for a terminal about an event of the training program."""
    accuracy = event.get("dev_accuracy")
    dev = "" if accuracy is None else f", dev accuracy {accuracy:.4f}"
    match event.get("event"):
        case "started":
            begin = event.get("resumed_from_step")
            again = f", continuing from step {begin:,}" if begin else ""
            return f"{event['train_pairs']:,} training pairs on {event['device']}{again}"
        case "progress":
            return (
                f"epoch {event['epoch']} of {event['epochs']}, step {event['step']:,}: loss {event['loss']:.4f}, "
                f"{event['pairs_per_second']:,.0f} pairs a second{dev}"
            )
        case "epoch":
            return f"epoch {event['epoch']} done: loss {event['loss']:.4f}{dev}"
        case "warning":
            return f"Warning: {event['message']}"
        case "stopped":
            return f"Stopped at step {event['step']:,}."
    return ""
