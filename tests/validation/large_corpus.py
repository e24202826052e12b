"""A corpus that counts as large, so that a worker computes its statistics."""

import pytest

from tests.cast import person
from tests.corpora import LABELS, add_label, make_corpus, make_pair, make_premise
from validation.models import CachedStatistics, Question
from validation.statistics import cached, reliability_models
from validation.statistics.cached import carry_out


@pytest.fixture(name="question")
def labelled_question(monkeypatch) -> Question:
    """Makes forty pairs with five labels of five people, who sometimes disagree. MACE starts once, which is fast."""
    monkeypatch.setattr(reliability_models, "STARTS", 1)
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get(corpus=corpus)
    people = [person(f"validator{n}") for n in range(5)]
    for n in range(40):
        premise = make_premise(corpus, f"Premise {n}.")
        pair = make_pair(corpus, premise, "A sentence.")
        label_all(question, pair, people, n)
    return question


def label_all(question, pair, people, n) -> None:
    for position, who in enumerate(people, start=1):
        add_label(question, pair, LABELS[(n + (position == n % 7)) % 3], position=position, annotator=who)


@pytest.fixture(name="large")
def large_question(monkeypatch, question) -> Question:
    """Lowers the limit, so that twenty labels are too many for a page."""
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 20)
    return question


def count_all() -> None:
    for row in CachedStatistics.objects.waiting():
        carry_out(statistics_id=row.pk)
