"""Agreement counts the gold label of gold.py under every rule."""

import random

import pytest

from collection.models import Pair
from tests.corpora import LABELS, add_label, make_corpus, make_pair, make_premise
from validation.gold.queries import with_gold_label
from validation.models import Question
from validation.statistics.agreement import report

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rule", Question.GoldRule.values)
def test_gold_labels_of_the_report_are_those_of_the_pairs(rule):
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get(corpus=corpus)
    Question.objects.filter(pk=question.pk).update(gold_rule=rule)
    question.refresh_from_db()
    dice = random.Random(2)
    for n in range(40):
        premise = make_premise(corpus, f"Premise {n}.")
        pair = make_pair(corpus, premise, "H.", published_label="neutral" if n % 9 == 0 else None)
        likely = dice.choice(LABELS)
        for position in range(1, 6):
            label = likely if dice.random() < 0.7 else dice.choice(LABELS)
            add_label(question, pair, label, position=position, origin="imported")
    found = report(Pair.objects.all(), question)
    pairs = list(with_gold_label(Pair.objects.all(), question))
    for label in LABELS:
        expected = sum(pair.gold_label == label for pair in pairs) / 40
        assert found.breakdown["gold_labels"][label] == pytest.approx(expected), label
    sources = [
        f"{pair.gold_source}, {pair.gold_note}" if pair.gold_note else pair.gold_source for pair in pairs
    ]
    assert found.breakdown["gold_sources"] == {source: sources.count(source) for source in set(sources)}
    assert found.figures["no_gold"] == pytest.approx(sources.count("none") / 40)
    assert {"voted", "none"} <= set(sources)
