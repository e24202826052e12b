"""A simulated pool with known guessers labels on the pages: flags find the guessers, and without them gold is right."""

from collections import Counter

import pytest
from django.db import connection
from django.test import Client

from collection.models import Pair
from tests.cast import person, rosa, signed_in
from tests.corpora import LABELS, make_corpus, make_pair, make_premise
from tests.validation.guessers import Worker, drain, flagged, guessing, truth
from validation.gold.queries import with_gold_label
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

PAIRS = 70
FULL = 5
right = truth(LABELS)


def pool(slug: str) -> Question:
    """Makes a corpus of machine-made pairs with five open seats each. Both corpora of a test have the same texts."""
    corpus = make_corpus(slug=slug, protocol="judged")
    for number in range(PAIRS):
        make_pair(corpus, make_premise(corpus, f"Premise {number}."), f"Hypothesis {number}.")
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.filter(corpus=corpus))
    return question


def careful(names: range) -> list[Worker]:
    return [Worker(person(f"careful{name}"), right) for name in names]


def guessers() -> list[Worker]:
    """Makes three guessers: one at random, one always neutral, one in a hurry. All label more than careful people."""
    answers = [guessing(LABELS, weights, sum(weights)) for weights in ((1, 1, 1), (0, 1, 0), (1, 2, 1))]
    return [
        Worker(person(name), answer, name, milliseconds=pace, batches=2)
        for name, answer, pace in zip(("lots", "neutral", "hurries"), answers, (6000, 6000, 500), strict=True)
    ]


def golds(question: Question) -> dict[str, str | None]:
    rows = with_gold_label(Pair.objects.filter(corpus=question.corpus), question)
    return {row.hypothesis: row.gold_label for row in rows}


def counted_by_hand(question: Question) -> dict[str, str | None]:
    """Computes gold labels by three of five, over the labels that count now."""
    votes: dict[str, Counter[str]] = {f"Hypothesis {number}.": Counter() for number in range(PAIRS)}
    standing = Label.objects.filter(question=question, withdrawn_at=None, label__isnull=False)
    for hypothesis, label in standing.values_list("pair__hypothesis", "label"):
        votes[hypothesis][label] += 1
    return {
        hypothesis: next((label for label, number in fallen.items() if number >= 3), None)
        for hypothesis, fallen in votes.items()
    }


def exclude_on_the_page(researcher: Client, question: Question, code: str) -> None:
    """Previews the exclusion on the page, then excludes, and checks that the preview was right."""
    address = f"/corpora/{question.corpus.slug}/pool/{code}/"
    theirs = Label.objects.filter(question=question, annotator__code=code).standing().count()
    preview = researcher.post(address, {"do": "preview"}).content.decode()
    assert f"{theirs} labels" in preview
    assert researcher.post(address, {"reason": "Guessed.", "code": code}).status_code == 302
    assert not Label.objects.filter(question=question, annotator__code=code).standing().exists()


@pytest.mark.thorough
def test_flags_find_the_guessers_and_excluding_them_makes_gold_that_of_a_run_without_them():
    with connection.cursor() as cursor:  # the order of seats comes from the pairs' ids
        cursor.execute("ALTER SEQUENCE collection_pair_id_seq RESTART WITH 9100500001")
    question, workers = pool("guessed"), [*careful(range(9)), *guessers()]
    assert drain(question, workers) == PAIRS * FULL

    found = flagged(question)
    assert found.keys() == {worker.user.code for worker in workers if worker.guesses}

    theirs, before = Label.objects.filter(annotator__code__in=found).count(), golds(question)
    researcher = signed_in(rosa())
    for code in found:
        exclude_on_the_page(researcher, question, code)
    assert golds(question) == counted_by_hand(question)
    assert golds(question) != before
    assert Label.objects.filter(question=question).open().count() == theirs >= 60

    assert drain(question, careful(range(14))) == theirs
    without = pool("clean")
    assert drain(without, careful(range(9))) == PAIRS * FULL
    assert golds(question) == golds(without) == counted_by_hand(question)
    assert None not in golds(question).values()
