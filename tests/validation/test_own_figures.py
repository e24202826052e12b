"""Annotators see statistics of their own labels alone: agreement with gold, bonuses."""

import pytest
from django.utils import timezone

from accounts.models import User
from tests.cast import person
from tests.corpora import add_label, make_corpus, make_pair, make_premise
from validation.models import Label, Question
from validation.quality_control.control_items import label_as_expert
from validation.start_page.my_work import own_statistics
from validation.statistics.annotator_quality import FEWEST

pytestmark = pytest.mark.django_db

PAGE = "/work/mine/"
NAMES = {"e": "entailment", "n": "neutral", "c": "contradiction"}


@pytest.fixture
def question(vera) -> Question:
    """Makes twenty complete pairs that Vera labelled first; on five the others disagree with her."""
    make_corpus(protocol="judged")
    question = Question.objects.get()
    others = [person(f"other{n}") for n in range(4)]
    for n in range(FEWEST):
        label_pair(question, n, [vera, *others], "neeee" if n < 5 else "eeeen")
    return question


def label_pair(question: Question, n: int, people: list[User], letters: str) -> None:
    premise = make_premise(question.corpus, f"Premise {n}.")
    pair = make_pair(question.corpus, premise, "A sentence.")
    for position, (who, letter) in enumerate(zip(people, letters, strict=True), start=1):
        add_label(question, pair, NAMES[letter], position=position, annotator=who)


def test_somebody_sees_how_many_labels_equal_gold(question, vera, browser_of):
    (own,) = own_statistics(vera)
    assert (own.pairs, own.equals_gold, own.bonuses) == (20, 0.75, 0)
    page = browser_of(vera).get(PAGE).content.decode()
    assert "You chose the final answer for 75.0% of your last 20 sentences." in page


def test_open_pairs_and_pairs_without_gold_do_not_count(question, vera, browser_of):
    pairs = [label.pair for label in Label.objects.filter(annotator=vera).order_by("pk")]
    Label.objects.filter(pair=pairs[0], position=5).delete()
    for position, letter in enumerate("eennc", start=1):
        Label.objects.filter(pair=pairs[1], position=position).update(label=NAMES[letter])
    (own,) = own_statistics(vera)
    assert (own.pairs, own.equals_gold) == (18, None)
    assert (
        "So far, 18 sentences that you judged have a final answer."
        in browser_of(vera).get(PAGE).content.decode()
    )


def test_a_withdrawn_label_is_not_looked_at(question, vera):
    Label.objects.filter(annotator=vera).update(
        withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded"
    )
    assert own_statistics(vera) == []


def test_bonuses_are_counted_and_items_that_were_missed_are_not_told(question, vera, rosa, browser_of):
    pairs = [label.pair for label in Label.objects.filter(annotator=vera).order_by("pk")]
    for pair in (pairs[0], pairs[6], pairs[7]):
        label_as_expert(question=question, pair=pair, label="entailment", by=rosa)
    assert own_statistics(vera)[0].bonuses == 2
    page = browser_of(vera).get(PAGE).content.decode()
    assert "An expert agreed with you on 2 sentences" in page


def test_nobody_sees_the_code_or_figures_of_another(question, vera, ana, browser_of):
    page = browser_of(vera).get(PAGE).content.decode()
    for other in User.objects.exclude(pk=vera.pk):
        assert other.code not in page
    assert "Your answers and the final answers" not in browser_of(ana).get(PAGE).content.decode()
