"""Five labels never become six. First the race without the lock, then with it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from collection.models import Pair
from tests.cast import person
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_pair, make_premise
from validation.errors import NoWork
from validation.labelling.claiming import Batch, claim_batch
from validation.labelling.submitting import submit_and_claim, submit_batch
from validation.models import BatchItem, Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def question() -> Question:
    """Makes twelve premises with two pairs each, open for four more labels."""
    author = person("ana")
    corpus = make_corpus()
    for number in range(12):
        premise = make_premise(corpus, f"Premise number {number}.")
        for label in ("entailment", "contradiction"):
            make_pair(corpus, premise, f"It is {label}.", author=author, author_label=label)
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    return question


def work_until_empty(question: Question, name: str) -> int:
    """One annotator labels until nothing is left; returns how many labels were acknowledged."""
    annotator, done = person(name), 0
    while True:
        try:
            batch = claim_batch(question=question, annotator=annotator)
        except NoWork as no_work:
            if no_work.retry_after >= 3600:
                return done
            continue
        labels = {item.seat.token: "neutral" for item in batch.items}
        result = submit_batch(
            annotator=annotator, token=batch.assignment.token, labels=labels, key=batch.assignment.token
        )
        done += result.saved


@pytest.mark.thorough
def test_without_the_guard_two_annotators_take_one_seat(question):
    """Reads, then writes, as most annotation systems do. If this race disappears, the tests below prove nothing."""

    def careless(annotator):
        with transaction.atomic():
            seat = (
                Label.objects.filter(question=question)
                .open()
                .filter(leased_until=None)
                .order_by("turn")
                .first()
            )
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.05)")
            Label.objects.filter(pk=seat.pk).update(annotator=annotator, leased_until=timezone.now())
            return seat.pk

    people = [person(f"v{number}") for number in range(8)]
    taken = at_once([lambda annotator=annotator: careless(annotator) for annotator in people])
    assert max(Counter(taken).values()) > 1, taken


def test_with_claims_nobody_shares_a_seat(question):
    people = [person(f"v{number}") for number in range(8)]
    batches = at_once([lambda who=who: claim_batch(question=question, annotator=who) for who in people])
    seats = [item.seat_id for batch in batches for item in batch.items]
    assert len(seats) == len(set(seats)) == 40


def test_sixteen_annotators_drain_the_work_to_exactly_five_labels(question):
    names = [f"v{number}" for number in range(16)]
    for name in names:
        person(name)
    done = at_once([lambda name=name: work_until_empty(question, name) for name in names])
    assert sum(done) == 24 * 4, done
    for pair in Pair.objects.prefetch_related("labels"):
        labels = list(pair.labels.all())
        assert sorted(label.position for label in labels) == [1, 2, 3, 4, 5]
        assert all(label.label for label in labels)
        assert len({label.annotator_id for label in labels}) == 5


def test_two_tabs_get_one_batch(question):
    vera = person("vera")
    batches = at_once([lambda: claim_batch(question=question, annotator=vera) for _ in range(6)])
    assert len({batch.assignment.pk for batch in batches}) == 1
    assert Label.objects.filter(annotator=vera).count() == 5


def test_a_double_click_saves_and_pays_once(question):
    vera = person("vera")
    batch = claim_batch(question=question, annotator=vera)
    labels = {item.seat.token: "neutral" for item in batch.items}
    results = at_once(
        [
            lambda: submit_batch(annotator=vera, token=batch.assignment.token, labels=labels, key="one")
            for _ in range(6)
        ]
    )
    assert sorted(result.repeated for result in results) == [False] + [True] * 5
    assert sum(result.saved for result in results) == 5
    assert vera.ledger.total_cents() == 25


def test_one_tab_sends_while_others_open_the_page_and_none_waits_for_ever(question):
    vera = person("vera")
    batch = claim_batch(question=question, annotator=vera)
    for _ in range(8):
        sent = {
            "annotator": vera,
            "token": batch.assignment.token,
            "labels": {item.seat.token: "neutral" for item in batch.items},
            "key": batch.assignment.token,
        }
        calls: list[Callable[[], Any]] = [
            lambda sent=sent: submit_and_claim(**sent),
            lambda sent=sent: submit_batch(**sent),
            *[lambda: claim_batch(question=question, annotator=vera)] * 3,
        ]
        (first, then), second, *_ = at_once(calls)
        assert sorted([first.repeated, second.repeated]) == [False, True]
        assert first.saved + second.saved == len(batch.items)
        if not isinstance(then, Batch):
            break
        batch = then
    assert Label.objects.filter(annotator=vera, label="neutral").count() == 24


def test_the_database_itself_refuses_a_second_label_by_one_person(question):
    vera = person("vera")
    seats = list(Label.objects.filter(pair=Pair.objects.first()).open()[:2])
    now = timezone.now()

    def grab(seat):
        return Label.objects.filter(pk=seat.pk).update(annotator=vera, leased_until=now)

    results = at_once([lambda seat=seat: grab(seat) for seat in seats])
    assert sorted(isinstance(result, IntegrityError) for result in results) == [False, True]


def test_the_database_itself_refuses_an_author_who_validates(question):
    seat = Label.objects.open().first()
    with pytest.raises(IntegrityError, match="author_never_validates_own_pair"), transaction.atomic():
        Label.objects.filter(pk=seat.pk).update(annotator=seat.author, leased_until=timezone.now())


def test_an_author_meets_no_own_pair(question):
    with pytest.raises(NoWork):
        claim_batch(question=question, annotator=person("ana"))


def test_no_batch_holds_two_pairs_of_one_premise(question):
    for number in range(6):
        claim_batch(question=question, annotator=person(f"v{number}"))
    for batch in BatchItem.objects.values_list("assignment", flat=True).distinct():
        premises = BatchItem.objects.filter(assignment=batch).values_list("seat__premise", flat=True)
        assert len(premises) == len(set(premises))
