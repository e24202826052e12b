"""Writers in processes of their own, on PostgreSQL: no premise gets too many writers, and no limit is exceeded."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import Count
from django.utils import timezone

from collection.errors import NoWork
from collection.models import (
    Corpus,
    Pair,
    Premise,
    ProblemReport,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person
from tests.concurrency.processes import in_processes
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}
WRITERS = 6


def make(premises: int, **fields: object) -> Corpus:
    corpus = make_corpus(**fields)
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(premises)])
    for number in range(WRITERS):
        person(f"w{number}")
    return corpus


def pause() -> None:
    """Waits long enough for the others to come between reading and writing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.1)")


def careless(corpus: Corpus, name: str) -> int:
    """Reads a free seat, then writes to it, as a naive program does."""
    with transaction.atomic():
        seat = WritingSeat.objects.unwritten().unheld_at(timezone.now()).order_by("turn").first()
        pause()
        later = timezone.now() + timedelta(minutes=1)
        WritingSeat.objects.filter(pk=seat.pk).update(annotator=person(name), leased_until=later)
        return seat.premise_id


@pytest.mark.thorough
def test_without_the_guard_processes_take_one_premise_together():
    corpus = make(WRITERS)
    taken = in_processes([lambda name=f"w{k}": careless(corpus, name) for k in range(WRITERS)])
    assert max(Counter(taken).values()) > 1, taken


def write_all(corpus: Corpus, name: str) -> int:
    """Writes until nothing is left; loses every fourth lease on the way. Returns how many were sent."""
    writer, sent = person(name), 0
    for turn in range(1, 200):
        try:
            token = claim_writing(corpus=corpus, annotator=writer).token
        except NoWork as nothing:
            if "Others are writing" not in nothing.why:
                return sent
            pause()
            continue
        if turn % 4 == 0:
            past = timezone.now() - timedelta(seconds=1)
            WritingSeat.objects.filter(annotator=writer, submitted_at=None).update(leased_until=past)
            pause()
        submit_writing(annotator=writer, token=token, texts=TEXTS, key=token)
        sent += 1
    return sent


@pytest.mark.parametrize("wanted", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_no_premise_gets_more_writers_than_it_wants(wanted):
    corpus = make(12, writers_per_premise=wanted)
    sent = in_processes([lambda name=f"w{k}": write_all(corpus, name) for k in range(WRITERS)])
    standing = Pair.objects.standing().values("premise").annotate(writers=Count("author", distinct=True))
    assert set(standing.values_list("writers", flat=True)) == {wanted}
    assert standing.count() == 12
    # Everything that was sent is stored and paid, even if somebody else was faster.
    assert Pair.objects.count() == 3 * sum(sent)
    assert sum(person(f"w{k}").ledger.total_cents() for k in range(WRITERS)) == 30 * sum(sent)
    assert WritingAssignment.objects.sent().count() == sum(sent)


@pytest.mark.thorough
def test_without_the_lock_on_the_writer_two_devices_pass_the_daily_cap():
    corpus, writer = make(6, max_tasks_per_day=1), person("w0")

    def careless_claim() -> bool:
        with transaction.atomic():
            given = WritingAssignment.objects.filter(annotator=writer).count()
            pause()
            if given >= corpus.max_tasks_per_day:
                return False
            seat = WritingSeat.objects.unwritten().unheld_at(timezone.now()).order_by("turn").first()
            WritingAssignment.objects.create(
                corpus=corpus,
                annotator=writer,
                seat=seat,
                prompt_version=PromptVersion.objects.get(),
                closed_at=timezone.now(),
                outcome="skipped",
            )
            return True

    assert sum(in_processes([careless_claim] * 3)) > 1


def test_the_daily_cap_holds_for_somebody_on_many_devices():
    corpus, writer = make(12, max_tasks_per_day=3), person("w0")

    def claim_and_skip() -> int:
        skipped = 0
        try:
            for _ in range(4):
                token = claim_writing(corpus=corpus, annotator=writer).token
                skip_writing(annotator=writer, token=token)
                skipped += 1
        except NoWork:
            pass
        return skipped

    in_processes([claim_and_skip] * 4)
    assert WritingAssignment.objects.count() == 3


def test_upsetting_skips_are_paid_no_more_often_than_the_prompt_says():
    corpus, writer = make(12), person("w0")
    PromptVersion.objects.update(skip_pay_cents=10, paid_skips_per_day=2)

    def skip_often() -> None:
        for _ in range(3):
            token = claim_writing(corpus=corpus, annotator=writer).token
            skip_writing(annotator=writer, token=token, reason="upsetting")

    in_processes([skip_often] * 3)
    assert writer.ledger.total_cents() == 20


def test_reports_at_one_moment_pause_the_premise():
    corpus = make(1, writers_per_premise=WRITERS, pause_after_reports=WRITERS)
    tokens = {f"w{k}": claim_writing(corpus=corpus, annotator=person(f"w{k}")).token for k in range(WRITERS)}
    at_once(
        [
            lambda name=name: skip_writing(annotator=person(name), token=tokens[name], problem="Odd.")
            for name in tokens
        ]
    )
    assert ProblemReport.objects.count() == WRITERS
    assert Premise.objects.get().status == "paused"
