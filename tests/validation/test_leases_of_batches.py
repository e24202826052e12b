"""A batch is leased: it continues on another device, and a late label counts, or is stored and paid as surplus."""

from datetime import timedelta

import pytest
from django.utils import timezone

from collection.models import Pair
from tests.cast import ana, person, vera
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.open_pairs import open_pairs, send_all
from tests.validation.votes import gold_of
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import BatchItem, Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db


@made_once
def question() -> Question:
    """Makes one pair with one seat left, for which two annotators compete."""
    corpus = make_corpus()
    make_pair(
        corpus, make_premise(corpus, "A dog barks."), "It is loud.", author=ana(), author_label="neutral"
    )
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    for n in range(3):
        send_all(claim_batch(question=question, annotator=person(f"v{n}")), person(f"v{n}"), "contradiction")
    return question


def let_leases_end() -> None:
    Label.objects.filter(label=None).update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_batch_goes_on_elsewhere_with_what_is_left_of_it(browser_of, vera):
    question = open_pairs(5).questions.get()
    here = claim_batch(question=question, annotator=vera)
    slots = [item.seat.token for item in here.items]
    submit_batch(
        annotator=vera, token=here.assignment.token, labels=dict.fromkeys(slots[:2], "neutral"), key="one"
    )
    there = (
        browser_of(vera)
        .post("/api/v1/work/validation/next", {"corpus": "small"}, content_type="application/json")
        .json()
    )
    assert there["assignment"] == here.assignment.token
    assert [pair["slot"] for pair in there["pairs"]] == slots[2:]


def test_what_comes_late_counts_while_the_seat_is_free(question):
    batch = claim_batch(question=question, annotator=vera())
    let_leases_end()
    result = send_all(batch, vera(), "contradiction")
    assert (result.saved, result.surplus, result.cents) == (1, 0, 5)
    assert Label.objects.seats().filter(annotator=vera(), label="contradiction").exists()


def test_what_comes_after_somebody_else_filled_the_seat_is_surplus_paid_and_never_in_the_gold(question):
    batch = claim_batch(question=question, annotator=vera())
    let_leases_end()
    send_all(claim_batch(question=question, annotator=person("fast")), person("fast"), "neutral")
    result = send_all(batch, vera(), "entailment")
    assert (result.saved, result.surplus, result.cents) == (0, 1, 5)
    kept = Label.objects.get(annotator=vera(), label="entailment")
    assert (kept.position, kept.withdrawn_at) == (None, None)
    assert vera().ledger.total_cents() == 5
    assert gold_of(Pair.objects.get(), question) == ("contradiction", "voted")
    assert Label.objects.filter(question=question).counted().count() == 5


def test_what_comes_while_somebody_else_holds_the_seat_is_surplus_too(question):
    batch = claim_batch(question=question, annotator=vera())
    let_leases_end()
    others = claim_batch(question=question, annotator=person("holds"))
    assert send_all(batch, vera(), "neutral").surplus == 1
    assert send_all(others, person("holds"), "neutral").saved == 1


def test_a_seat_that_was_lost_is_not_shown_again(question):
    claim_batch(question=question, annotator=vera())
    let_leases_end()
    send_all(claim_batch(question=question, annotator=person("fast")), person("fast"), "neutral")
    premise = make_premise(question.corpus, "Another.")
    make_pair(question.corpus, premise, "More.", author=ana(), author_label="neutral")
    open_for_validation(question=question, pairs=Pair.objects.all())
    new = claim_batch(question=question, annotator=vera())
    assert [item.seat.pair.hypothesis for item in new.items] == ["More."]
    assert BatchItem.objects.filter(lost=True).count() == 1
