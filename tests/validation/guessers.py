"""A simulated pool with known guessers works through the labelling pages.

Everybody uses the site's own pages, one after another in this process, so a run with the same seed gives the same
result. Only this module knows who guesses.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import lxml.html
from django.test import Client

from accounts.models import User
from annotation_site.simulated_crowd import folded, labelling_form, pairs_of
from validation.models import Question
from validation.statistics.annotator_quality import annotators

# (premise, hypothesis) -> label
Answer = Callable[[str, str], str]


@dataclass
class Worker:
    """Somebody who labels. `guesses`: in which way; empty for a reader.

    `milliseconds`: the typical time for a label. `batches`: how many they label while others label one.
    """

    user: User
    answer: Answer
    guesses: str = ""
    milliseconds: int = 6000
    batches: int = 1
    client: Client = field(default_factory=lambda: Client(SERVER_NAME="localhost"))

    def come(self, question: Question) -> None:
        """Signs in and confirms that the instructions were read."""
        self.client.force_login(self.user)
        self.client.post(f"/work/validation/{question.corpus.slug}/instructions/", {"agree": "yes"})

    def label_a_batch(self, question: Question) -> int:
        """Labels one batch on the page. Returns the number of labels: 0 if there was nothing to do."""
        address = f"/work/validation/{question.corpus.slug}/"
        answer = self.client.get(address)
        if answer.status_code != 200:
            raise RuntimeError(f"The page answered {answer.status_code} to {self.user}.")
        page: Any = lxml.html.fromstring(answer.content.decode())
        form = labelling_form(page)
        if form is None:
            return 0
        slots = list(pairs_of(form))
        for number, (slot, premise, hypothesis) in enumerate(slots):
            form.fields[f"label-{slot}"] = self.answer(folded(premise), folded(hypothesis))
            form.fields[f"ms-{slot}"] = str(self.milliseconds + 100 * number)
        sent = self.client.post(address, dict(form.form_values()))
        if sent.status_code != 302:
            raise RuntimeError(f"The page answered {sent.status_code} to a batch of {self.user}.")
        return len(slots)


def drain(question: Question, workers: Iterable[Worker]) -> int:
    """Lets everybody label a batch in turn until nothing is left. Returns the number of labels."""
    labels, at_work = 0, list(workers)
    for worker in at_work:
        worker.come(question)
    while at_work:
        turn = [worker for worker in at_work for _ in range(worker.batches)]
        done = [(worker, worker.label_a_batch(question)) for worker in turn]
        labels += sum(number for _, number in done)
        idle = {worker.user.pk for worker, number in done if not number}
        at_work = [worker for worker in at_work if worker.user.pk not in idle]
    return labels


def flagged(question: Question) -> dict[str, tuple[str, ...]]:
    """Returns the codes that validation/statistics/annotator_quality.py flags, with their flags."""
    return {each.code: each.flags for each in annotators(question) if each.flags}


def truth(labels: tuple[str, ...]) -> Answer:
    """Returns the label that a careful reader gives; the texts alone decide it."""
    return lambda premise, hypothesis: random.Random(f"{premise}\n{hypothesis}").choice(labels)


def guessing(labels: tuple[str, ...], weights: tuple[int, ...], seed: int) -> Answer:
    """Returns a judge who does not read, and draws labels with these weights."""
    return lambda *texts: _dice(seed, texts).choices(labels, weights)[0]


def _dice(seed: int, texts: tuple[str, ...]) -> random.Random:
    """Returns dice for one pair: the pages show the pairs of a batch in an order that no seed fixes."""
    return random.Random("\n".join([str(seed), *texts]))
