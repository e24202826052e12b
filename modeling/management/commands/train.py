"""`manage.py train CORPUS@VERSION --baseline NAME [--set key=value ...] [--queue] [--json]`."""

import json
import os
import socket
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from modeling import actions, catalogue, queues, runner, tasks
from modeling.actions import LARGEST_SEED, ModelingError
from modeling.models import TrainingRun
from snapshots.models import Snapshot

INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended


def seed(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) <= LARGEST_SEED:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a whole number from 0 to {LARGEST_SEED}")


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError(f"{text!r} is not of the form key=value")
    return key, value


class Command(BaseCommand):
    help = (
        "Trains a baseline on a frozen snapshot, here and now, or by a worker with --queue. "
        "Ctrl-C stops it with a checkpoint; --resume goes on from there."
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
            help="settings of the baseline; what is not named takes its default",
        )
        parser.add_argument("--resume", type=int, metavar="RUN", help="go on with a stopped or failed run")
        parser.add_argument("--queue", action="store_true", help="leave the work to a worker")
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["queue"]:
                self.leave_to_a_worker(self.wanted(options), options)
            else:
                self.train_here(options)
        except ModelingError as error:
            raise CommandError(str(error)) from None

    def train_here(self, options: dict[str, Any]) -> None:
        # In one transaction: a worker's sweep must not take the run between the request and the claim.
        with transaction.atomic():
            wanted = self.wanted(options)
            run = actions.claim_run(run_id=wanted.pk, worker=f"train@{socket.gethostname()}:{os.getpid()}")
        if run is None:
            raise CommandError(f"Run {wanted.pk} is being trained by {wanted.worker}: stop it there first.")
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
                f"Stopped; its checkpoint is kept. Go on with: manage.py train --resume {run.pk}",
                returncode=INTERRUPTED,
            )
        if ended.status != TrainingRun.Status.DONE:
            raise CommandError(ended.error or f"Run {run.pk} went to another worker: {ended.worker}.")
        self.tell({"run": run.pk, **metrics}, options)

    def wanted(self, options: dict[str, Any]) -> TrainingRun:
        """A new run, or the one to resume."""
        if options["resume"] is not None:
            found = TrainingRun.objects.newest_first().filter(pk=options["resume"]).first()
            if found is None:
                raise CommandError(f"There is no run {options['resume']}.")
            return actions.resume_run(run=found)
        if not options["snapshot"] or not options["baseline"]:
            names = ", ".join(catalogue.baselines())
            raise CommandError(f"Name a snapshot (CORPUS@VERSION) and a --baseline: {names}.")
        snapshot = Snapshot.objects.named(options["snapshot"]).first()
        if snapshot is None:
            raise CommandError(
                f"There is no snapshot {options['snapshot']!r}. Freeze one: manage.py freeze_snapshot CORPUS."
            )
        config = dict(options["set"])
        if len(config) < len(options["set"]):
            raise CommandError("A key stands twice after --set: keep one of them.")
        vectors = options["vectors"]
        return actions.request_run(
            snapshot=snapshot,
            baseline=options["baseline"],
            seed=options["seed"],
            # The child works in another folder.
            vectors=str(Path(vectors).resolve()) if Path(vectors).is_file() else vectors,
            config=config,
        )

    def leave_to_a_worker(self, run: TrainingRun, options: dict[str, Any]) -> None:
        tasks.enqueue(run.pk)
        if not queues.working(tasks.QUEUE):
            self.stderr.write(
                f"Nobody is working the queue {tasks.QUEUE}. The run waits; start a worker with: "
                f"celery -A annotation_site worker -Q {tasks.QUEUE} --beat"
            )
        told = {
            "run": run.pk,
            "baseline": run.baseline,
            "snapshot": str(run.snapshot),
            "sha256": run.snapshot.sha256,
            "seed": run.seed,
            "status": run.status,
        }
        self.stdout.write(json.dumps(told) if options["json"] else f"Run {run.pk} is {run.status}.")

    def tell(self, told: dict[str, Any], options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(told))
            return
        self.stdout.write(
            f"Run {told['run']}: {told['baseline']} on {told['snapshot']} (sha256 {told['sha256']}), "
            f"seed {told['seed']}, {told['train_pairs']:,} training pairs, {told['seconds']} s on {told['device']}"
        )
        for partition in ("train", "dev", "test"):
            scores = told.get(partition) or {}
            if scores.get("accuracy") is not None:
                bar = scores.get("majority")
                beside = (
                    f"  (commonest label {bar:.4f}, {scores['pairs']:,} pairs)" if bar is not None else ""
                )
                self.stdout.write(f"  {partition:5}  accuracy {scores['accuracy']:.4f}{beside}")


def sentence(event: dict[str, Any]) -> str:
    """What a person at a terminal reads of an event of the training program."""
    match event.get("event"):
        case "started":
            begin = event.get("resumed_from_step")
            again = f", going on from step {begin:,}" if begin else ""
            return f"{event['train_pairs']:,} training pairs on {event['device']}{again}"
        case "progress":
            return (
                f"epoch {event['epoch']} of {event['epochs']}, step {event['step']:,}: loss {event['loss']:.4f}, "
                f"{event['pairs_per_second']:,.0f} pairs a second"
            )
        case "epoch":
            accuracy = event.get("dev_accuracy")
            dev = "" if accuracy is None else f", dev accuracy {accuracy:.4f}"
            return f"epoch {event['epoch']} done: loss {event['loss']:.4f}{dev}"
        case "warning":
            return f"Warning: {event['message']}"
        case "stopped":
            return f"Stopped at step {event['step']:,}."
    return ""
