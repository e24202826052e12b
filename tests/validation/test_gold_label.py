"""The gold label by SQL, case by case and compared with a count by hand."""

import random

import pytest
from django.utils import timezone

from collection.models import Pair
from tests.cast import person
from tests.corpora import LABELS, add_label, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.oracles import gold_by_hand
from validation.gold.queries import is_disputed, with_gold_label
from validation.models import Adjudication, Label

pytestmark = pytest.mark.django_db


def label_pair(pair: Pair, letters: str, *, seats: int | None = None) -> None:
    """Labels a pair by letters, the author's first: "ennec"; '.' is an empty seat."""
    question = pair.corpus.questions.get(is_main=True)
    names = {label[0]: label for label in LABELS}
    for position, letter in enumerate(letters, start=1):
        origin = "author" if position == 1 and pair.author_label else "imported" if letter != "." else "cast"
        add_label(
            question,
            pair,
            names.get(letter),
            position=position,
            origin=origin,
            turn=position,
            cast_at=timezone.now() if letter != "." else None,
        )


def gold_of(pair: Pair) -> tuple[str | None, str]:
    question = pair.corpus.questions.get(is_main=True)
    row = with_gold_label(Pair.objects.filter(pk=pair.pk), question).get()
    return row.gold_label, row.gold_source


@made_once
def pair():
    corpus = make_corpus()
    return make_pair(
        corpus, make_premise(corpus, "A dog runs."), "An animal moves.", author_label="entailment"
    )


def test_three_of_five_make_a_gold_label(pair):
    label_pair(pair, "eenec")
    assert gold_of(pair) == ("entailment", "voted")


def test_the_gold_label_may_differ_from_the_authors(pair):
    label_pair(pair, "ennen")
    assert gold_of(pair) == ("neutral", "voted")


def test_two_two_one_has_no_gold_label(pair):
    label_pair(pair, "eennc")
    assert gold_of(pair) == (None, "none")


def test_a_label_with_three_votes_stands_before_all_seats_are_filled(pair):
    label_pair(pair, "een.e")
    assert gold_of(pair) == ("entailment", "voted")


def test_while_votes_are_still_to_come_the_authors_label_stands(pair):
    label_pair(pair, "en...")
    assert gold_of(pair) == ("entailment", "author")


def test_four_imported_labels_without_majority_have_no_gold_label(pair):
    label_pair(pair, "eenn")
    assert gold_of(pair) == (None, "none")


def test_a_published_label_serves_where_there_are_no_votes(pair):
    Pair.objects.filter(pk=pair.pk).update(published_label="contradiction", author_label=None)
    assert gold_of(pair) == ("contradiction", "published")


def test_an_adjudication_goes_before_the_votes(pair):
    label_pair(pair, "eennc")
    question = pair.corpus.questions.get(is_main=True)
    Adjudication.objects.create(
        question=question,
        pair=pair,
        scheme="nli3",
        label="neutral",
        reason="Read it twice.",
        by=person("rosa"),
    )
    assert gold_of(pair) == ("neutral", "adjudicated")


def test_withdrawn_and_surplus_labels_do_not_count(pair):
    label_pair(pair, "eennc")
    question = pair.corpus.questions.get(is_main=True)
    Label.objects.filter(pair=pair, position=5).update(
        withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded", origin="imported"
    )
    add_label(question, pair, "entailment", annotator=person("vera"))
    assert gold_of(pair) == (None, "none")


def test_gold_equals_the_count_by_hand_over_many_pairs():
    dice = random.Random(11)
    corpus = make_corpus()
    expected = {}
    for number in range(60):
        letters = "".join(dice.choice("enc") for _ in range(5))
        names = {label[0]: label for label in LABELS}
        made = make_pair(
            corpus,
            make_premise(corpus, f"Premise number {number}."),
            "It is so.",
            author_label=names[letters[0]],
        )
        label_pair(made, letters)
        expected[made.pk] = gold_by_hand([names[letter] for letter in letters])
    question = corpus.questions.get(is_main=True)
    found = {row.pk: row.gold_label or "-" for row in with_gold_label(Pair.objects.all(), question)}
    assert found == expected
    disputed = with_gold_label(Pair.objects.all(), question).filter(is_disputed())
    assert {row.pk for row in disputed} == {pk for pk, gold in expected.items() if gold == "-"}
