"""Measures whether the flags find guessers: a simulated pool with known guessers works through the labelling pages.

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
from accounts.people.registration import create_person
from annotation_site.simulated_crowd import folded, labelling_form, pairs_of
from bench.corpora import make_corpus, open_all
from collection.models import Pair
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


def as_written(question: Question) -> Answer:
    """Returns the label that a careful reader gives if authors wrote what they were asked for."""
    rows = Pair.objects.filter(corpus=question.corpus).values_list(
        "premise__text", "hypothesis", "author_label"
    )
    known = {(folded(premise), folded(hypothesis)): label for premise, hypothesis, label in rows}
    return lambda *texts: known[texts] or ""


def mostly(answer: Answer, labels: tuple[str, ...], share: float, seed: int) -> Answer:
    """Returns a judge who answers `answer` with this probability, and any label otherwise."""

    def judge(*texts: str) -> str:
        dice = _dice(seed, texts)
        return answer(*texts) if dice.random() < share else dice.choice(labels)

    return judge


def guessing(labels: tuple[str, ...], weights: tuple[int, ...], seed: int) -> Answer:
    """Returns a judge who does not read, and draws labels with these weights."""
    return lambda *texts: _dice(seed, texts).choices(labels, weights)[0]


def _dice(seed: int, texts: tuple[str, ...]) -> random.Random:
    """Returns dice for one pair: the pages show the pairs of a batch in an order that no seed fixes."""
    return random.Random("\n".join([str(seed), *texts]))


WAYS = ("lots", "one label", "hurries", "reads half")


def make_pool(slug: str, right: Answer, labels: tuple[str, ...], seed: int) -> list[Worker]:
    """Makes thirty people: eight guess, two in each of WAYS; the others read 60 to 95% of the time."""
    dice = random.Random(seed)
    people = [create_person(username=f"{slug}-{number}", password=None) for number in range(30)]
    readers = [
        Worker(
            user,
            mostly(right, labels, dice.uniform(0.6, 0.95), number),
            milliseconds=dice.randint(3000, 9000),
        )
        for number, user in enumerate(people[8:])
    ]
    for number, user in enumerate(people[:8]):
        way = WAYS[number % len(WAYS)]
        answer = {
            "lots": guessing(labels, (1, 1, 1), number),
            "one label": guessing(labels, (1, 18, 1), number),
            "hurries": mostly(right, labels, 0.25, number),
            "reads half": mostly(right, labels, 0.5, number),
        }[way]
        readers.append(Worker(user, answer, way, milliseconds=700 if way == "hurries" else 5000))
    dice.shuffle(readers)
    return readers


@dataclass
class Flags:
    """The result over all pools: readers who were flagged, and way -> (found, of how many)."""

    labels_each: float = 0
    wrongly: int = 0
    readers: int = 0
    found: dict[str, tuple[int, int]] = field(default_factory=lambda: dict.fromkeys(WAYS, (0, 0)))

    @property
    def precision(self) -> float:
        right = sum(found for found, _ in self.found.values())
        return right / (right + self.wrongly) if right + self.wrongly else 1.0

    @property
    def recall(self) -> float:
        return sum(found for found, _ in self.found.values()) / sum(
            number for _, number in self.found.values()
        )


def measure_flags(pairs: int, pools: int) -> Flags:
    """Simulates `pools` pools, each of which labels a corpus of `pairs` pairs; returns which people were flagged."""
    sums = Flags()
    for seed in range(pools):
        slug = f"pool-{pairs}-{seed}"
        question = make_corpus(slug, pairs)
        open_all(question)
        workers = make_pool(slug, as_written(question), question.labels, seed)
        sums.labels_each = drain(question, workers) / len(workers)
        named = flagged(question)
        sums.wrongly += sum(worker.user.code in named for worker in workers if not worker.guesses)
        sums.readers += sum(not worker.guesses for worker in workers)
        for worker in workers:
            if worker.guesses:
                found, number = sums.found[worker.guesses]
                sums.found[worker.guesses] = found + (worker.user.code in named), number + 1
    return sums


def measure_pool(sizes: tuple[int, ...] = (150, 300, 900), pools: int = 5) -> None:
    """Measures precision and recall of the flags in pools of 30 people, 8 of whom guess."""
    print(f"| pairs | labels of each | precision | recall | readers flagged | {' | '.join(WAYS)} |")
    print("|---|---|---|---|---|" + "---|" * len(WAYS))
    for pairs in sizes:
        flags = measure_flags(pairs, pools)
        found = " | ".join(f"{named} of {number}" for named, number in flags.found.values())
        print(
            f"| {pairs:,} | {flags.labels_each:.0f} | {flags.precision:.2f} | {flags.recall:.2f} "
            f"| {flags.wrongly} of {flags.readers} | {found} |",
            flush=True,
        )
    print()
