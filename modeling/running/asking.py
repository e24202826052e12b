"""Asks the program that answers for finished runs (`modeling.baselines.answer`), and says which runs may be asked."""

import json
import socket
import sys
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from collection.answering import Answer, Answers, CannotAnswer, FrozenRun
from modeling.folders import folder_of
from modeling.launching.regimes import scheme_of
from modeling.models import TrainingRun
from modeling.results.twins import reads_premises, twin_of
from nli.run_files import model_sha256

ANSWER = [sys.executable, "-m", "modeling.baselines.answer"]
WAIT_SECONDS = 0.5  # nobody who sends a sentence waits longer for a model
MOST_BYTES = 1_000_000


def freeze(number: int, scheme: str, alone: bool) -> FrozenRun:
    """Returns a finished run with its hypothesis-only twin, by the hashes of their files.

    `alone`: the twin is enough, as for a coach. Raises CannotAnswer where the run is not finished or not here, gives other
    labels than `scheme`, or has no twin.
    """
    run = TrainingRun.objects.select_related("snapshot__corpus").filter(pk=number).first()
    if run is None or run.status != run.Status.DONE:
        raise CannotAnswer(f"there is no finished run {number}; the page Runs lists them")
    if (labels := scheme_of(run.snapshot, run.regime)) != scheme:
        raise CannotAnswer(f"run {number} gives labels of {labels}, and the corpus has {scheme}")
    twin: TrainingRun | None = run
    if reads_premises(run):
        twin = twin_of(run)
    elif not alone:
        raise CannotAnswer(
            f"run {number} reads no premise: name one that does, and has a hypothesis-only twin"
        )
    if twin is None:
        raise CannotAnswer(
            f"run {number} has no hypothesis-only twin: train one with the same settings and seed, on its page"
        )
    try:
        ours, theirs = model_sha256(folder_of(run)), model_sha256(folder_of(twin))
    except OSError as error:
        raise CannotAnswer(f"{error.filename} is not on this machine: train the run here") from None
    return FrozenRun(run.pk, twin.pk, ours, theirs, f"{run.baseline} on {run.snapshot}"[:200])


def ask(run: FrozenRun, premise: Sequence[str], texts: Sequence[str]) -> list[Answers]:
    """Returns what the run and its twin answer to sentences about a premise. Raises CannotAnswer where they do not."""
    digests = {run.run: run.run_sha256, run.twin: run.twin_sha256}
    folders = dict(TrainingRun.objects.filter(pk__in=digests).values_list("pk", "folder"))
    if missing := digests.keys() - folders.keys():
        raise CannotAnswer(f"Run {min(missing)} is gone.")
    models = [{"folder": folders[pk], "sha256": digest} for pk, digest in digests.items()]
    said = _exchange({"models": models, "premise": list(premise), "hypotheses": list(texts)})
    if "answers" not in said:
        raise CannotAnswer(said.get("error") or "The run is being read into memory: a moment, please.")
    first, last = said["answers"][0], said["answers"][-1]  # of a run without a premise, the same
    return [Answers(_likeliest(one), _likeliest(other)) for one, other in zip(first, last, strict=True)]


def _likeliest(probabilities: dict[str, float]) -> Answer:
    label = max(probabilities, key=probabilities.__getitem__)
    return Answer(label, probabilities[label])


def _exchange(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(WAIT_SECONDS)
            line.connect(str(settings.ANSWERS_SOCKET))
            line.sendall(json.dumps(asked).encode() + b"\n")
            with line.makefile("rb") as answer:
                said: dict[str, Any] = json.loads(answer.readline(MOST_BYTES))
                return said
    except (OSError, ValueError):
        raise CannotAnswer("The program that answers for runs does not run on this machine.") from None
