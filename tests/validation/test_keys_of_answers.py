"""Each label has one key, and no key that people would press for another label."""

import pytest

from collection.templatetags.labels import MARKS
from nli.labels import SCHEMES
from tests.corpora import WORDINGS, ask, make_corpus
from validation.models import LabelWording
from validation.questions.choices import choices_of

pytestmark = pytest.mark.django_db


def keys(scheme: str, wordings: dict[str, str]) -> list[tuple[str, int]]:
    corpus = make_corpus()
    question = ask(corpus, "asked", scheme=scheme)
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=wording)
        for order, (label, wording) in enumerate(wordings.items())
    )
    return [(choice.label, choice.number) for choice in choices_of(question)]


def test_three_labels_have_their_numbers():
    assert keys("nli3", WORDINGS) == [("entailment", 1), ("neutral", 2), ("contradiction", 3)]


def test_a_degree_has_its_own_digit_for_a_key_in_whatever_order_it_stands():
    words = ("Very likely", "Likely", "Possible", "Unlikely", "Impossible")
    found = keys("ordinal5", dict(zip("54321", words, strict=True)))
    assert found == [(digit, int(digit)) for digit in "54321"]


def test_no_mark_shows_a_digit_that_is_the_key_of_another_label():
    for labels in SCHEMES.values():
        for label in labels:
            sign = MARKS[label][1]
            assert not sign.isdecimal() or sign == label
