"""No annotator gets a withdrawn pair, however it was withdrawn."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from annotation_site.operation.invariants import INVARIANTS
from collection.models import Corpus, Exclusion, Pair
from tests.cast import ana, vera
from tests.made_once import made_once
from tests.open_pairs import label_all, open_pairs, send_all
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.models import Label
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db
HANDED_OUT = "No pair was handed out after it was withdrawn"
NO_GAP = "The label positions of an opened pair have no gap"


corpus = made_once(partial(open_pairs, 3))


def withdraw(pairs, *, minutes_ago: int = 0) -> None:
    """Withdraws a pair as a hand-written statement would, which changes the pair alone."""
    when = timezone.now() - timedelta(minutes=minutes_ago)
    pairs.update(withdrawn_at=when, withdrawn_because="set aside by a researcher")


def test_its_open_seats_are_given_to_nobody(corpus):
    gone = Pair.objects.first()
    withdraw(Pair.objects.filter(pk=gone.pk))
    batch = claim_batch(question=corpus.questions.get(), annotator=vera())
    assert len(batch.items) == 2
    assert gone.pk not in [item.seat.pair.pk for item in batch.items]


def test_when_all_are_withdrawn_there_is_nothing_to_do_and_nothing_on_offer(corpus):
    assert [len(offer.questions) for offer in offers_for(vera())] == [1]
    withdraw(Pair.objects.all())
    assert offers_for(vera()) == []
    with pytest.raises(NoWork, match="All sentences are judged"):
        claim_batch(question=corpus.questions.get(), annotator=vera())


def test_what_is_in_hand_is_not_shown_again_and_a_late_answer_is_paid_as_surplus(corpus):
    question = corpus.questions.get()
    batch = claim_batch(question=question, annotator=vera())
    gone = batch.items[0].seat
    withdraw(Pair.objects.filter(pk=gone.pair.pk))
    result = send_all(batch, vera(), key="1")
    assert (result.saved, result.surplus, result.cents) == (2, 1, 15)
    assert not Label.objects.seats().filter(pair=gone.pair.pk, annotator=vera(), label="neutral").exists()


def test_a_renewed_batch_leaves_it_out(corpus):
    question = corpus.questions.get()
    gone = claim_batch(question=question, annotator=vera()).items[0].seat
    withdraw(Pair.objects.filter(pk=gone.pair.pk))
    again = claim_batch(question=question, annotator=vera())
    assert gone.token not in [item.seat.token for item in again.items]
    assert len(again.items) == 2


def test_doctor_counts_pairs_that_were_handed_out_after_they_were_withdrawn(corpus):
    claim_batch(question=corpus.questions.get(), annotator=vera())
    withdraw(Pair.objects.filter(pk=Pair.objects.first().pk))
    assert INVARIANTS[HANDED_OUT].count() == 0
    withdraw(Pair.objects.filter(pk=Pair.objects.first().pk), minutes_ago=5)
    assert INVARIANTS[HANDED_OUT].count() == 1


def open_seats() -> int:
    """Returns the open seats of the table, without any queryset's conditions."""
    return Label.objects.filter(label=None, withdrawn_at=None, position__isnull=False).count()


def test_its_empty_seats_close_with_it_and_open_again_when_it_comes_back(corpus, rosa):
    label_all(corpus, vera())
    assert open_seats() == 9
    exclusion = exclude_with_pairs(corpus, ana(), rosa)
    assert open_seats() == 0
    assert Label.objects.open().count() == 0
    undo_exclusion(exclusion=exclusion, by=rosa)
    assert open_seats() == 9
    assert Label.objects.seats().count() == 15


def exclude_with_pairs(corpus: Corpus, who, by) -> Exclusion:
    exclude(corpus=corpus, annotator=who, by=by, reason="Random sentences.", retract_pairs=True)
    return Exclusion.objects.get(annotator=who, undone_at=None)


def test_a_label_withdrawn_from_a_withdrawn_pair_leaves_no_open_seat(corpus, rosa):
    label_all(corpus, vera())
    writers = exclude_with_pairs(corpus, ana(), rosa)
    done = exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Guessed.")
    assert (done.labels, done.seats) == (3, 0)
    assert open_seats() == 0
    undo_exclusion(exclusion=writers, by=rosa)  # Ana's pairs come back, without what Vera said
    assert open_seats() == 12
    undo_exclusion(exclusion=Exclusion.objects.get(annotator=vera()), by=rosa)
    assert open_seats() == 9
    assert Label.objects.seats().filter(annotator=vera()).count() == 3
    assert INVARIANTS[NO_GAP].count() == 0


def test_undone_in_the_other_order_every_place_has_one_row_again(corpus, rosa):
    label_all(corpus, vera())
    writers = exclude_with_pairs(corpus, ana(), rosa)
    exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Guessed.")
    undo_exclusion(exclusion=Exclusion.objects.get(annotator=vera()), by=rosa)
    assert open_seats() == 0
    undo_exclusion(exclusion=writers, by=rosa)
    assert open_seats() == 9
    assert Label.objects.seats().count() == 15


def test_somebody_who_holds_such_a_seat_does_not_hold_it_again_when_it_comes_back(corpus, rosa):
    claim_batch(question=corpus.questions.get(), annotator=vera())
    writers = exclude_with_pairs(corpus, ana(), rosa)
    undo_exclusion(exclusion=writers, by=rosa)
    assert not Label.objects.open().filter(annotator=vera()).exists()


def test_doctor_takes_the_closed_places_of_a_withdrawn_pair_for_no_gap(corpus, rosa):
    label_all(corpus, vera())
    exclude_with_pairs(corpus, ana(), rosa)
    assert INVARIANTS[NO_GAP].count() == 0
