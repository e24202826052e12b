"""Labels a whole corpus with many processes while leases expire, processes are killed and batches are sent twice.

Afterwards the seats of every pair must be filled exactly, and each acknowledged answer must be stored once.
"""

import json
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, connections
from django.db.models import Count

from accounts.models import User
from accounts.people.registration import create_person
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, Question

LEASE_SECONDS = 1
# What goes wrong, in shares of the batches.
LATE, TWICE, KILLED = 0.05, 0.15, 0.05


@dataclass(frozen=True)
class Drained:
    """The result of a drain. `faults`: the rules that were broken, in words; empty if none was."""

    labels: int
    surplus: int
    killed: int
    seconds: float
    faults: list[str]


def drain(question: Question, *, processes: int, folder: Path, seconds: float = 600) -> Drained:
    """Labels with so many processes until no seat is open. Raises TimeoutError after `seconds`."""
    people = [create_person(username=f"drain-{question.pk}-{k}", password=None) for k in range(processes)]
    started, killed, dice = time.monotonic(), 0, random.Random(question.pk)
    fork = multiprocessing.get_context("fork")

    def start(person: User) -> multiprocessing.process.BaseProcess:
        arguments = (question.pk, person.pk, folder / f"{person.username}.jsonl", dice.random())
        worker = fork.Process(target=_work, args=arguments)
        connections.close_all()  # a connection must not be shared with a child
        worker.start()
        return worker

    workers = {person.pk: start(person) for person in people}
    by_id = {person.pk: person for person in people}
    try:
        while workers:
            if time.monotonic() - started > seconds:
                raise TimeoutError(f"After {seconds:.0f} s there are still open seats.")
            for key, worker in list(workers.items()):
                worker.join(timeout=0.01)
                if worker.exitcode is None:
                    continue
                del workers[key]
                if worker.exitcode < 0:
                    killed += 1
                    workers[key] = start(by_id[key])
                elif worker.exitcode:
                    raise RuntimeError(f"{by_id[key].username} ended with {worker.exitcode}.")
    finally:
        for worker in workers.values():
            worker.kill()
            worker.join()
    used = time.monotonic() - started
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    return Drained(
        labels=cast.filter(position__isnull=False).count(),
        surplus=cast.filter(position=None).count(),
        killed=killed,
        seconds=used,
        faults=list(_faults(question, folder)),
    )


def forget_connections() -> None:
    """Replaces inherited database connections. Call it first in a forked process: they belong to its parent.

    Closing them in the parent beforehand is not enough: while an event loop runs there (a browser of the tests),
    Django keeps another set of connections, and the child, in which no loop runs, would find the older set.
    """
    for alias in connections:
        with suppress(AttributeError):
            del connections[alias]


def _work(question: int, person: int, journal: Path, seed: float) -> None:
    forget_connections()
    settings.VALIDATION_LEASE_SECONDS = LEASE_SECONDS
    annotator, dice = User.objects.get(pk=person), random.Random(seed)
    asked = Question.objects.select_related("corpus").get(pk=question)
    while True:
        try:
            batch = claim_batch(question=asked, annotator=annotator)
        except NoWork:
            if not Label.objects.filter(question=asked).open().exists():
                return
            time.sleep(0.05)
            continue
        labels = {item.seat.token: dice.choice(asked.labels) for item in batch.items}
        chance = dice.random()
        if chance < KILLED:
            # At some moment from here on, in the middle of a statement or between two: there is no clean-up.
            signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            signal.setitimer(signal.ITIMER_REAL, dice.uniform(0.0001, 0.03))
        elif chance < KILLED + LATE:
            time.sleep(1.5 * LEASE_SECONDS)
        key = f"{batch.assignment.token}-{dice.random()}"
        twice = KILLED + LATE <= chance < KILLED + LATE + TWICE
        acknowledged = _send(annotator, batch.assignment.token, labels, key, times=2 if twice else 1)
        with journal.open("a") as file:
            file.write(json.dumps({"labels": labels, "answers": acknowledged}) + "\n")


def _send(
    annotator: User, token: str, labels: dict[str, str], key: str, times: int
) -> list[tuple[int, int, bool]]:
    """Sends the batch, perhaps twice at the same moment; returns (saved, surplus, repeated) for each request."""
    answers: list[tuple[int, int, bool]] = []

    def send() -> None:
        result = submit_batch(annotator=annotator, token=token, labels=labels, key=key)
        answers.append((result.saved, result.surplus, result.repeated))

    def send_and_close() -> None:
        try:
            send()
        finally:
            connection.close()

    others = [threading.Thread(target=send_and_close) for _ in range(times - 1)]
    for thread in others:
        thread.start()
    send()
    for thread in others:
        thread.join()
    return answers


def _faults(question: Question, folder: Path) -> list[str]:
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    to_cast = question.seats - 1
    faults = []
    per_pair = (
        cast.filter(position__isnull=False).values("pair").annotate(n=Count("pk")).values_list("n", flat=True)
    )
    wrong = Counter(n for n in per_pair if n != to_cast)
    if wrong:
        faults.append(f"pairs with another number of labels than {to_cast}: {dict(wrong)}")
    twice = cast.values("pair", "annotator").annotate(n=Count("pk")).filter(n__gt=1).count()
    if twice:
        faults.append(f"{twice} pairs have two labels of one person")
    acknowledged = 0
    for journal in folder.glob("*.jsonl"):
        for line in journal.read_text().splitlines():
            answers = json.loads(line)["answers"]
            acknowledged += sum(saved + surplus for saved, surplus, _ in answers)
            if sum(not repeated for _, _, repeated in answers) != 1:
                faults.append(f"{journal.stem}: one key was taken more than once: {answers}")
    # A process that was killed between its commit and its journal has labels without a line there.
    if cast.count() < acknowledged:
        faults.append(f"{acknowledged} labels were acknowledged, {cast.count()} are stored")
    return faults
