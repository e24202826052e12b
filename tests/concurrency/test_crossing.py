"""Crossing transactions: an expert's label and a cast, an exclusion and a submission; deadlocks are retried."""

from functools import partial

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from accounts.models import User
from collection.models import Exclusion, Pair, WritingAssignment
from collection.models.withdrawal import AUTHOR_EXCLUDED
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from shared import transactions
from tests.cast import ana, rosa, vera
from tests.concurrency.threads import Beside, crossing
from tests.open_pairs import open_pairs
from validation.annotators import exclusion
from validation.annotators.exclusion import exclude
from validation.errors import ValidationError
from validation.labelling.claiming import claim_batch
from validation.labelling.drafts import keep_draft
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, DraftAnswer, Label, Question
from validation.pairs.vetting import Choice, vet
from validation.pairs.withdrawal import empty_seats, lock, withdraw_pairs
from validation.quality_control import control_items
from validation.quality_control.control_items import label_as_expert

pytestmark = pytest.mark.django_db(transaction=True)
BATCH, BONUS = 25, 100


@pytest.fixture
def question() -> Question:
    """Makes five pairs by Ana, open for four more labels each."""
    return open_pairs(5).questions.get()


@pytest.fixture
def submit(question):
    """Submits Vera's batch with all five pairs."""
    batch = claim_batch(question=question, annotator=vera())
    labels = {item.seat.token: "neutral" for item in batch.items}
    return partial(submit_batch, annotator=vera(), token=batch.assignment.token, labels=labels, key="k")


@pytest.fixture
def expert(question):
    """Labels one of the pairs as Vera does."""
    pair = Pair.objects.latest("pk")
    return partial(label_as_expert, question=question, pair=pair, label="neutral", by=rosa())


@pytest.fixture
def vetting(question):
    """Withdraws all five pairs."""
    names = tuple(Pair.objects.values_list("public_id", flat=True))
    return partial(vet, corpus=question.corpus, choice=Choice(names=names), by=rosa(), reason="x")


def waits(first, second) -> bool:
    """Begins `second` before `first` commits, and returns whether it waited. Both must succeed."""
    waited, result = crossing(first, second)
    assert not isinstance(result, Exception), result
    return waited


def test_a_vetting_that_waits_for_seats_holds_no_pair_that_an_exclusion_takes_next(question, vetting):
    retract = partial(
        exclude, corpus=question.corpus, annotator=ana(), by=rosa(), reason="x", retract_pairs=True
    )
    with transaction.atomic():
        lock(empty_seats(Pair.objects.all()))  # the first half of the exclusion
        other = Beside(vetting)
        assert other.goes_as_far_as_it_can()
        assert len(Pair.objects.select_for_update(nowait=True)) == 5
    assert other.result().pairs_withdrawn == 5
    assert retract().pairs == 0


def test_a_vetting_waits_for_an_exclusion_and_leaves_it_the_pairs(question, vetting):
    retract = partial(
        exclude, corpus=question.corpus, annotator=ana(), by=rosa(), reason="x", retract_pairs=True
    )
    waited, problem = crossing(retract, vetting)
    assert waited
    assert isinstance(problem, ValidationError)
    assert "no pair to withdraw" in str(problem)
    assert Pair.objects.filter(exclusion__isnull=False).count() == 5


@pytest.mark.thorough
def test_without_the_lock_the_bonus_is_lost(submit, expert, monkeypatch):
    """Neither transaction sees the other's uncommitted rows. If this race disappears, the tests below prove nothing."""
    monkeypatch.setattr(control_items, "lock", lambda *_: [])
    assert not waits(submit, expert)
    assert vera().ledger.total_cents() == BATCH


@pytest.mark.parametrize("order", ["cast first", "expert first"])
def test_a_bonus_is_paid_once_when_the_experts_label_and_the_cast_cross(submit, expert, order):
    assert waits(*((submit, expert) if order == "cast first" else (expert, submit)))
    assert vera().ledger.total_cents() == BATCH + BONUS


def test_a_surplus_label_and_the_experts_cross_as_well(question, submit, expert):
    with transaction.atomic():
        withdraw_pairs(pairs=Pair.objects.all(), because=AUTHOR_EXCLUDED, at=timezone.now())
    assert waits(submit, expert)
    assert Label.objects.filter(annotator=vera(), position=None, label="neutral").count() == 5
    assert vera().ledger.total_cents() == BATCH + BONUS


def backwards(*parts):
    """Locks the rows that `lock` does, in an order that a plan without ORDER BY may take."""
    keys = {pk for part in parts for pk in part.values_list("pk", flat=True)}
    for key in sorted(keys, reverse=True):
        Label.objects.select_for_update().get(pk=key)
    return lock(*parts)


def exclude_while_submitting(question, submit):
    """Lets the exclusion of the author with their pairs and a submission compete for the same five seats."""
    seats = list(Label.objects.open().filter(annotator=vera()).order_by("pk"))
    with transaction.atomic():
        Label.objects.select_for_update().get(pk=seats[2].pk)
        submission = Beside(submit)
        assert submission.goes_as_far_as_it_can()
        author = {"corpus": question.corpus, "annotator": ana(), "by": rosa(), "reason": "Copied."}
        exclusion = Beside(partial(exclude, **author, retract_pairs=True))
        assert exclusion.goes_as_far_as_it_can()
    return submission.result(), exclusion.result()


@pytest.mark.thorough
def test_without_the_order_of_ids_excluding_and_submitting_are_a_deadlock(question, submit, monkeypatch):
    """If this deadlock disappears, the tests below prove nothing."""
    monkeypatch.setattr(exclusion, "lock", backwards)
    monkeypatch.setattr(transactions, "TRIES", 1)
    errors = [each for each in exclude_while_submitting(question, submit) if isinstance(each, Exception)]
    assert [type(error) for error in errors] == [OperationalError]
    assert "deadlock detected" in str(errors[0])


def test_in_the_order_of_ids_excluding_and_submitting_both_succeed_at_once(question, submit, monkeypatch):
    monkeypatch.setattr(transactions, "TRIES", 1)
    submitted, excluded = exclude_while_submitting(question, submit)
    assert (submitted.saved, excluded.pairs) == (5, 5)


def test_what_a_deadlock_broke_off_is_done_again(question, submit, monkeypatch):
    monkeypatch.setattr(exclusion, "lock", backwards)
    submitted, excluded = exclude_while_submitting(question, submit)
    assert (submitted.saved + submitted.surplus, excluded.pairs) == (5, 5)
    assert Exclusion.objects.count() == 1
    assert vera().ledger.total_cents() == BATCH


def draft(question):
    """Stores Vera's draft: locks her batch, then the row of an earlier draft."""
    batch = claim_batch(question=question, annotator=vera())
    slot = batch.items[0].seat.token
    action = partial(
        keep_draft,
        annotator=vera(),
        token=batch.assignment.token,
        labels={slot: "neutral"},
        skips={},
        reasons={},
        active_ms={},
    )
    action()
    return action, Assignment.objects.filter(pk=batch.assignment.pk), DraftAnswer.objects.all()


def writing(question):
    """Claims a premise for Vera: locks her row, then her open assignment."""
    make_seats(premises=list(question.corpus.premises.all()))
    action = partial(claim_writing, corpus=question.corpus, annotator=vera())
    action()
    return action, User.objects.filter(pk=vera().pk), WritingAssignment.objects.all()


def in_a_deadlock(action, first, second):
    """Runs `action`, which locks rows of `first` and then of `second`, beside a transaction that does it backwards.

    PostgreSQL aborts the transaction that has waited longer than its deadlock_timeout: the action.
    """

    def impatient():
        with connection.cursor() as cursor:
            cursor.execute("SET deadlock_timeout = '2s'")
        return action()

    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '60s'")
        list(second.select_for_update(of=("self",)))
        other = Beside(impatient)
        assert other.goes_as_far_as_it_can()
        list(first.select_for_update(of=("self",)))
    return other.result()


# Each waits for seconds. That a deadlock is retried is decided in shared/transactions.py for all actions.
ACTIONS = [draft, writing]


@pytest.mark.thorough
@pytest.mark.parametrize("prepare", ACTIONS)
def test_an_action_that_is_not_retried_fails_in_a_deadlock(question, prepare, monkeypatch):
    """If this stops failing, the test below proves nothing."""
    monkeypatch.setattr(transactions, "TRIES", 1)
    error = in_a_deadlock(*prepare(question))
    assert isinstance(error, OperationalError)
    assert "deadlock detected" in str(error)


@pytest.mark.thorough
@pytest.mark.parametrize("prepare", ACTIONS)
def test_an_action_that_a_deadlock_broke_off_is_retried(question, prepare, caplog):
    result = in_a_deadlock(*prepare(question))
    assert not isinstance(result, Exception), result
    assert "is done again" in caplog.text or "is retried" in caplog.text
    assert DraftAnswer.objects.count() == (prepare is draft)
    assert WritingAssignment.objects.count() == (prepare is writing)
