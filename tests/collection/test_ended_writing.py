"""Texts that are sent after a researcher ended somebody's writing are withdrawn, and paid all the same."""

import pytest
from django.utils import timezone

from collection.models import Exclusion, LedgerEntry, Pair, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.corpora import LABELS, make_corpus, make_premise

pytestmark = pytest.mark.django_db


def test_whose_writing_ended_is_not_told_to_look_again_but_whom_to_ask(ana, rosa, browser_of, settings):
    settings.CONTACT = "lab@example.org"
    corpus = make_corpus()
    Exclusion.objects.create(
        corpus=corpus, annotator=ana, reason="Random sentences.", by=rosa, created_at=timezone.now()
    )
    page = browser_of(ana).get("/work/writing/small/").content.decode()
    assert "Your writing for this study has ended." in page
    assert "lab@example.org" in page
    assert "check again" not in page


def test_a_task_begun_before_the_end_is_paid_and_kept_apart(ana, vera, rosa):
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "A dog runs along the beach.")])
    token = claim_writing(corpus=corpus, annotator=ana).token
    Exclusion.objects.create(
        corpus=corpus, annotator=ana, reason="Random sentences.", by=rosa, created_at=timezone.now()
    )
    texts = {label: f"It is {label} that a dog is there." for label in LABELS}
    submit_writing(annotator=ana, token=token, texts=texts, key="1")
    assert LedgerEntry.objects.get(user=ana).cents == 30
    assert not Pair.objects.standing().exists()
    assert set(Pair.objects.values_list("withdrawn_because", flat=True)) == {
        "sent after a researcher had ended this person's writing"
    }
    WritingSeat.objects.update(leased_until=timezone.now())
    assert claim_writing(corpus=corpus, annotator=vera).seat.premise.text == "A dog runs along the beach."
