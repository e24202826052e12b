"""A simulated crowd for a corpus: makes its accounts, and has them work through the real pages."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import requests
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from accounts.people.registration import create_person
from annotation_site.operation.server import site
from annotation_site.simulated_crowd import (
    Annotator,
    CrowdError,
    Replay,
    Tally,
    made_up,
    mostly_agreeing,
    run_crowd,
    telling,
)
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine
from collection.formats.registry import FORMATS
from collection.models import Corpus, PromptVersion
from collection.writing.arms import arms_of
from validation.annotators.membership import invite
from validation.models import Label, Question
from validation.questions.addresses import address_of
from validation.questions.lookup import main_question

MOST_PEOPLE = 10_000
PEOPLE, AT_ONCE, REPLAYED = 20, 16, "snli"  # unless others are asked for


@dataclass(frozen=True)
class CrowdOrder:
    """How many people work, and at what. replay: files whose labels 2 to 5 are cast, in the format; without them labels are
    made up. write: they write for open premises first, at most `texts` each. arms: arm -> of a hundred hypotheses,
    how many tell their label by themselves. seed: of chance."""

    corpus: Corpus
    annotators: int = PEOPLE
    at_once: int = AT_ONCE
    write: bool = False
    texts: int | None = None
    arms: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    replay: Sequence[Path] = ()
    format: str = REPLAYED


def simulate(
    order: CrowdOrder, tell: Callable[[str], None] = lambda text: None, url: str = ""
) -> dict[str, Any]:
    """Lets the crowd work until nothing is left to do. Returns what it did. Raises FieldError.

    url: of a running site; without it one is started. Calls `tell` with the progress every second; if it raises, the crowd
    stops after the batches in hand.
    """
    corpus = order.corpus
    replay = Replay(published_labels(order.format, order.replay)) if order.replay else None
    questions = [main_question(corpus)] if replay else asked(corpus)
    judges = {
        address_of("labelling", question): replay.judge
        if replay
        else mostly_agreeing(question.labels, order.seed)
        for question in questions
    }
    people = [simulated(corpus, number, questions) for number in range(1, order.annotators + 1)]
    say = telling(_shares(corpus, order.arms), corpus.labels) if order.arms else made_up
    tally, start = Tally(), time.monotonic()

    def day(annotator: Annotator) -> None:
        if order.write:
            annotator.write(corpus.slug, tally, order.seed, say, order.texts)
        for address, judge in judges.items():
            annotator.label(address, judge, tally)

    with nullcontext(url) if url else site() as at:
        try:
            run_crowd([Annotator(at, *person) for person in people], order.at_once, day, tally, tell)
        except (CrowdError, requests.RequestException) as error:
            raise FieldError(f"The crowd could not go on: {error}") from None
    seconds = time.monotonic() - start
    return {
        "corpus": corpus.slug,
        "annotators": len(people),
        "labels": tally.labels,
        "skipped": tally.skipped,
        "batches": tally.batches,
        "premises_written": tally.written,
        "arms": {each.arm.slug: each.sent for each in arms_of(corpus, timezone.now())},
        "labels_not_dealt": replay.undealt() if replay else 0,
        "seconds": round(seconds, 2),
        "labels_per_second": round(tally.labels / seconds, 1),
    }


def _shares(corpus: Corpus, arms: Mapping[str, int]) -> dict[int, float]:
    """Returns version -> share, of the newest version of each of these arms. Raises FieldError for another arm."""
    versions = dict(
        PromptVersion.objects.newest().filter(prompt__corpus=corpus).values_list("prompt__slug", "pk")
    )
    least = math.ceil(100 / len(corpus.labels))
    for arm, share in arms.items():
        if arm not in versions:
            raise FieldError(
                f'there is no arm "{arm}"; the prompts are: {", ".join(sorted(versions))}.', "arms"
            )
        if not least <= share <= 100:
            raise FieldError(f"{arm}={share}: name a share from {least}, which is chance, to 100.", "arms")
    return {versions[arm]: share / 100 for arm, share in arms.items()}


def lines(facts: dict[str, Any]) -> list[str]:
    """Returns what the crowd did, for a person."""
    found = [
        f"{facts['annotators']} simulated annotators cast {facts['labels']:,} labels in {facts['batches']:,} batches"
        f" ({facts['skipped']:,} pairs skipped) and wrote for {facts['premises_written']:,} premises in"
        f" {facts['seconds']:.1f} s."
    ]
    if facts["premises_written"] and facts["arms"]:
        sent = ", ".join(f"{arm} {tasks:,}" for arm, tasks in facts["arms"].items())
        found.append(
            f"Premises written for under each arm: {sent}. What is found between them:"
            f" manage.py figure bias-alone-compared {facts['corpus']} by=arm"
        )
    if facts["labels_not_dealt"]:
        found.append(f"{facts['labels_not_dealt']:,} labels of the file found no open seat.")
    return found


def published_labels(format_name: str, files: Sequence[Path]) -> Iterator[tuple[str, str, list[str]]]:
    """Yields (premise, hypothesis, labels without the author's) of every pair of the files."""
    for path in files:
        for pair in FORMATS[format_name].read(path):
            if not isinstance(pair, BadLine):
                labels = [label for label in pair.labels[1:] if label]
                yield " ".join(pair.premise), pair.hypothesis, labels


def asked(corpus: Corpus) -> list[Question]:
    """Returns the main question, and those beside it under which pairs are open."""
    main = main_question(corpus)
    open_seats = Label.objects.open().filter(question=OuterRef("pk"))
    beside = Question.objects.filter(Exists(open_seats), corpus=corpus).exclude(pk=main.pk)
    return [main, *beside.order_by("slug")]


def simulated(corpus: Corpus, number: int, questions: Sequence[Question]) -> tuple[str, str]:
    """Makes simulated annotator `number` of the corpus if there is none, sets a new password, and invites them.

    Returns user name and password.
    """
    name, password = f"simulated-{corpus.slug}-{number}", token_urlsafe(12)
    user = User.objects.filter(username=name, kind=User.Kind.SIMULATED).first()
    if user is None:
        user = create_person(username=name, password=password, kind=User.Kind.SIMULATED)
    else:
        user.set_password(password)
        user.save(update_fields=["password"])
    for question in questions:
        invite(question=question, annotator=user)
    return name, password
