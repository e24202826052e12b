"""Researchers who review at one moment get different sentences, and one sentence has one review. First the race."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from collection.errors import NotPossible
from collection.models import Corpus, LevelChange, Review
from collection.writing.reviews import claim_review, judge_review
from tests.cast import ana, person
from tests.collection.test_reviews import corpus, levels, write  # noqa: F401 - a fixture
from tests.concurrency.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
REVIEWERS = 6


def reviewers() -> list:
    return [person(f"r{number}", role="researcher") for number in range(REVIEWERS)]


@pytest.mark.thorough
def test_without_the_lock_researchers_get_the_same_sentence(corpus: Corpus):  # noqa: F811
    write(corpus, ana(), 2)

    def careless(reviewer) -> int:
        with transaction.atomic():
            found = Review.objects.waiting(corpus).filter(held_by=None).order_by("pk")[0]
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.1)")
            until = timezone.now() + timedelta(minutes=5)
            Review.objects.filter(pk=found.pk).update(held_by=reviewer, held_until=until)
            return found.pk

    assert len(set(at_once([partial(careless, each) for each in reviewers()]))) < REVIEWERS


def test_researchers_at_once_get_different_sentences(corpus: Corpus):  # noqa: F811
    write(corpus, ana(), 2)
    claims = at_once([partial(claim_review, corpus=corpus, reviewer=each) for each in reviewers()])
    assert len({each.pk for each in claims}) == REVIEWERS


def test_one_of_several_judgements_stands(corpus: Corpus):  # noqa: F811
    write(corpus, ana())
    review = Review.objects.select_related("corpus", "writer").order_by("pk")[0]
    found = at_once([partial(judge_review, review=review, by=each, verdict="copied") for each in reviewers()])
    assert [type(each) for each in found if each is not None] == [NotPossible] * (REVIEWERS - 1)


def test_reviews_of_one_writer_at_once_decide_one_level(corpus: Corpus):  # noqa: F811
    """Each of the first four would see the three others, or none: with the writer locked, the fourth decides."""
    levels(corpus)
    write(corpus, ana(), 2)
    reviews = list(Review.objects.select_related("corpus", "writer").order_by("pk"))[:REVIEWERS]
    found = at_once(
        [
            partial(judge_review, review=review, by=each, verdict="fine")
            for review, each in zip(reviews, reviewers(), strict=True)
        ]
    )
    assert not [each for each in found if isinstance(each, Exception)]
    assert LevelChange.objects.get().level == 1
