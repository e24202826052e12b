"""No premise gets too many writers. First the race without the lock, then with it."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.idempotency import KeyReused
from collection.errors import NoWork
from collection.models import Corpus, Pair, WritingAssignment, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(6)])
    return corpus


def write(corpus: Corpus, name: str) -> int:
    """Lets one writer write until nothing is left; returns how many premises they wrote for."""
    writer, done = person(name), 0
    while True:
        try:
            assignment = claim_writing(corpus=corpus, annotator=writer)
        except NoWork:
            return done
        submit_writing(annotator=writer, token=assignment.token, texts=TEXTS, key=assignment.token)
        done += 1


def expire_leases() -> None:
    WritingSeat.objects.filter(leased_until__isnull=False).update(
        leased_until=timezone.now() - timedelta(minutes=1)
    )


@pytest.mark.thorough
def test_without_the_guard_two_writers_get_one_premise(corpus):
    def careless(writer):
        with transaction.atomic():
            seat = WritingSeat.objects.unwritten().unheld_at(timezone.now()).order_by("turn").first()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.05)")
            WritingSeat.objects.filter(pk=seat.pk).update(annotator=writer, leased_until=timezone.now())
            return seat.pk

    writers = [person(f"w{number}") for number in range(6)]
    taken = at_once([lambda writer=writer: careless(writer) for writer in writers])
    assert max(Counter(taken).values()) > 1, taken


def test_every_premise_gets_exactly_one_writer(corpus):
    names = [f"w{number}" for number in range(8)]
    for name in names:
        person(name)
    done = at_once([lambda name=name: write(corpus, name) for name in names])
    assert sum(done) == 6, done
    assert Pair.objects.standing().count() == 18
    assert WritingSeat.objects.unwritten().count() == 0


def test_two_tabs_are_one_assignment(corpus):
    ana = person("ana")
    got = at_once([lambda: claim_writing(corpus=corpus, annotator=ana).token for _ in range(6)])
    assert len(set(got)) == 1


def test_a_double_submit_saves_and_pays_once(corpus):
    ana = person("ana")
    token = claim_writing(corpus=corpus, annotator=ana).token
    results = at_once(
        [lambda: submit_writing(annotator=ana, token=token, texts=TEXTS, key="one") for _ in range(6)]
    )
    assert sorted(result.repeated for result in results) == [False] + [True] * 5
    assert Pair.objects.count() == 3
    assert ana.ledger.total_cents() == 30


def test_the_same_key_with_other_texts_is_refused(corpus):
    ana = person("ana")
    token = claim_writing(corpus=corpus, annotator=ana).token
    submit_writing(annotator=ana, token=token, texts=TEXTS, key="one")
    with pytest.raises(KeyReused):
        submit_writing(annotator=ana, token=token, texts={**TEXTS, "neutral": "It is blue."}, key="one")
    assert Pair.objects.count() == 3


def test_a_lease_that_ran_out_does_no_harm_while_the_seat_is_free(corpus):
    ana = person("ana")
    token = claim_writing(corpus=corpus, annotator=ana).token
    expire_leases()
    result = submit_writing(annotator=ana, token=token, texts=TEXTS, key="one")
    assert not result.surplus
    assert Pair.objects.standing().count() == 3


def test_when_somebody_else_took_the_seat_the_text_is_kept_and_paid(corpus):
    WritingSeat.objects.exclude(pk=WritingSeat.objects.order_by("turn").first().pk).update(
        submitted_at=timezone.now(), annotator=person("old"), leased_until=timezone.now()
    )
    ana, ben = person("ana"), person("ben")
    token = claim_writing(corpus=corpus, annotator=ana).token
    expire_leases()
    theirs = claim_writing(corpus=corpus, annotator=ben).token
    submit_writing(annotator=ben, token=theirs, texts=TEXTS, key="ben")
    result = submit_writing(annotator=ana, token=token, texts=TEXTS, key="ana")
    assert result.surplus
    assert Pair.objects.standing().count() == 3
    assert Pair.objects.filter(author=ana).count() == 3
    assert ana.ledger.total_cents() == 30
    assert WritingAssignment.objects.get(token=token).outcome == "surplus"


def test_a_draft_finds_its_premise_again_after_the_lease(corpus):
    ana = person("ana")
    token = claim_writing(corpus=corpus, annotator=ana).token
    expire_leases()
    assert claim_writing(corpus=corpus, annotator=ana).token == token


def test_a_skipped_premise_goes_to_somebody_else_and_never_back(corpus):
    ana = person("ana")
    seen = set()
    for _ in range(6):
        assignment = claim_writing(corpus=corpus, annotator=ana)
        seen.add(assignment.seat.premise_id)
        skip_writing(annotator=ana, token=assignment.token, problem="There are two lines in it.")
    assert len(seen) == 6
    with pytest.raises(NoWork, match="you have seen them all"):
        claim_writing(corpus=corpus, annotator=ana)
    assert claim_writing(corpus=corpus, annotator=person("ben")).seat.premise_id in seen
    assert WritingAssignment.objects.filter(outcome="reported").count() == 6


def test_paused_premises_are_not_handed_out(corpus):
    corpus.premises.update(status="paused")
    with pytest.raises(NoWork):
        claim_writing(corpus=corpus, annotator=person("ana"))
