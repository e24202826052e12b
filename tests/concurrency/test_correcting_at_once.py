"""A correction beside another one, an exclusion, a decision, an expert's label, and a freeze."""

from contextlib import nullcontext
from functools import partial

import pytest
from django.db import IntegrityError

from collection.models import Pair
from collection.models.withdrawal import CORRECTED
from snapshots.freezing import copying, job
from snapshots.models import SnapshotAnswer, SnapshotLabel
from tests.cast import ana, rosa, vera
from tests.concurrency.threads import at_once, crossing
from tests.corpora import make_corpus, make_pair, make_premise
from tests.open_pairs import send_all
from tests.snapshots.material import corpus_of, freeze, label_pair
from validation.annotators.exclusion import exclude
from validation.errors import AlreadyDecided, CannotCorrect
from validation.labelling import correcting, seats
from validation.labelling.claiming import claim_batch
from validation.labelling.correcting import correct_batch
from validation.models import Adjudication, Assignment, Label, Question
from validation.pairs import adjudication
from validation.pairs.adjudication import adjudicate
from validation.pairs.opening import open_for_validation
from validation.quality_control.control_items import label_as_expert

pytestmark = pytest.mark.django_db(transaction=True)
ENTAILED, NEUTRAL, CONTRADICTED = "entailment", "neutral", "contradiction"


@pytest.fixture
def question() -> Question:
    """Makes a pair with the labels e, e, n, n, whose fifth seat waits for Vera; with hers a researcher must decide."""
    corpus = make_corpus()
    Question.objects.update(gold_rule="adjudicated")
    pair = make_pair(corpus, make_premise(corpus, "A line."), "So.", author=ana(), author_label=ENTAILED)
    label_pair(pair, "eenn")
    question = corpus.questions.get()
    seat = {"premise": pair.premise, "author": pair.author, "scheme": "nli3", "position": 5, "turn": 1}
    Label.objects.create(question=question, pair=pair, **seat)
    return question


@pytest.fixture
def batch(question) -> Assignment:
    """Sends Vera's batch with the pair; she says that it is contradicted."""
    return send(question)


def send(question: Question) -> Assignment:
    given = claim_batch(question=question, annotator=vera())
    send_all(given, vera(), CONTRADICTED, key="k")
    return given.assignment


def correction(batch: Assignment, label: str = ENTAILED):
    (slot,) = batch.items.values_list("seat__token", flat=True)
    return partial(correct_batch, annotator=vera(), token=batch.token, labels={slot: label})


def unlocked(monkeypatch):
    monkeypatch.setattr(seats, "_lock", lambda *_: "")
    monkeypatch.setattr(correcting, "lock", lambda *_: [])


def standing() -> list[str]:
    return list(Label.objects.standing().cast_by(vera()).values_list("label", flat=True))


@pytest.mark.thorough
def test_without_the_locks_two_corrections_replace_one_label(batch, monkeypatch):
    """Both read the first label, and only constraints stop the second. Else the test below proves nothing."""
    unlocked(monkeypatch)
    _, came = crossing(correction(batch), correction(batch, NEUTRAL))
    assert isinstance(came, IntegrityError)


def test_two_corrections_come_one_after_the_other(batch):
    waited, came = crossing(correction(batch), correction(batch, NEUTRAL))
    assert (waited, came, standing()) == (True, 1, [NEUTRAL])
    assert Label.objects.filter(withdrawn_because=CORRECTED).count() == 2


def test_many_corrections_at_once_leave_one_label_that_counts(batch):
    labels = [ENTAILED, NEUTRAL, CONTRADICTED] * 4
    came = at_once([correction(batch, label) for label in labels])
    assert not [each for each in came if isinstance(each, Exception)]
    assert len(standing()) == 1
    assert Label.objects.filter(withdrawn_because=CORRECTED).count() == sum(came)
    assert vera().ledger.total_cents() == batch.question.pay_cents


def exclusion(batch):
    return partial(
        exclude, corpus=batch.question.corpus, annotator=vera(), by=rosa(), reason="Guesses at random."
    )


@pytest.mark.thorough
def test_without_the_locks_the_correction_of_somebody_excluded_counts(batch, monkeypatch):
    """The exclusion does not see the new label. If this race disappears, the test below proves nothing."""
    unlocked(monkeypatch)
    crossing(correction(batch), exclusion(batch))
    assert standing() == [ENTAILED]


def test_an_exclusion_takes_a_correction_that_is_being_written(batch):
    waited, came = crossing(correction(batch), exclusion(batch))
    assert (waited, came.labels, standing()) == (True, 1, [])


def test_a_correction_that_waits_for_an_exclusion_changes_nothing(batch):
    waited, came = crossing(exclusion(batch), correction(batch))
    assert waited
    assert isinstance(came, CannotCorrect)
    assert standing() == []


def decision(batch):
    return partial(
        adjudicate,
        question=batch.question,
        pair=Pair.objects.get(),
        label=NEUTRAL,
        reason="Two against two.",
        by=rosa(),
    )


@pytest.mark.thorough
def test_without_the_lock_a_decision_is_about_votes_that_are_gone(batch, monkeypatch):
    """The votes make a majority meanwhile. If this race disappears, the tests below prove nothing."""
    monkeypatch.setattr(adjudication, "lock", lambda *_: [])
    waited, came = crossing(correction(batch), decision(batch))
    assert not waited
    assert isinstance(came, Adjudication)


def test_a_decision_sees_the_correction_that_made_it_needless(batch):
    waited, came = crossing(correction(batch), decision(batch))
    assert waited
    assert isinstance(came, AlreadyDecided)


def test_a_correction_after_the_decision_is_refused(batch):
    waited, came = crossing(decision(batch), correction(batch))
    assert waited
    assert isinstance(came, CannotCorrect)
    assert standing() == [CONTRADICTED]


@pytest.mark.parametrize("order", ["correction first", "expert first"])
def test_an_experts_label_and_a_correction_pay_one_bonus_at_most(batch, order):
    expert = partial(
        label_as_expert, question=batch.question, pair=Pair.objects.get(), label=ENTAILED, by=rosa()
    )
    both = [correction(batch), expert]
    waited, came = crossing(*(both if order == "correction first" else reversed(both)))
    assert waited
    assert not isinstance(came, Exception), came
    bonus = 100 if order == "correction first" else 0
    assert vera().ledger.total_cents() == batch.question.pay_cents + bonus


def corpus_with_a_sent_label() -> tuple[Question, Assignment]:
    corpus = corpus_of(1, dev=0, test=0)
    question = corpus.questions.get()
    pair = make_pair(corpus, make_premise(corpus, "A line."), "So.", author=ana(), author_label=ENTAILED)
    open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))
    return question, send(question)


def freeze_with_a_correction_in_the_middle(question, batch, monkeypatch):
    """Corrects the label between the two statements that copy labels and answers."""
    copy_answers = copying._copy_answers

    def later(*given):
        assert at_once([correction(batch)]) == [1]
        copy_answers(*given)

    monkeypatch.setattr(copying, "_copy_answers", later)
    snapshot = freeze(question.corpus)
    pair = Label.objects.get(corrects__isnull=False).pair
    labels = SnapshotLabel.objects.filter(row__snapshot=snapshot, row__pair=pair, position=2)
    answers = SnapshotAnswer.objects.filter(row__snapshot=snapshot, row__pair=pair)
    return (
        list(labels.values_list("label", flat=True)),
        sorted(answers.values_list("label", "withdrawn_because")),
    )


@pytest.mark.thorough
def test_without_one_moment_a_freeze_has_the_old_label_twice(monkeypatch):
    """It counts in one table and is withdrawn in the other. If this race disappears, the test below proves nothing."""
    monkeypatch.setattr(job, "consistent_read", nullcontext)
    labels, answers = freeze_with_a_correction_in_the_middle(*corpus_with_a_sent_label(), monkeypatch)
    assert (labels, answers) == ([CONTRADICTED], [(CONTRADICTED, CORRECTED)])


def test_a_freeze_sees_all_of_a_correction_or_nothing(monkeypatch):
    question, batch = corpus_with_a_sent_label()
    labels, answers = freeze_with_a_correction_in_the_middle(question, batch, monkeypatch)
    assert (labels, answers) == ([CONTRADICTED], [])
    monkeypatch.undo()
    again = freeze(question.corpus)
    pair = Label.objects.get(corrects__isnull=False).pair
    assert SnapshotLabel.objects.get(row__snapshot=again, row__pair=pair, position=2).label == ENTAILED
    history = SnapshotAnswer.objects.filter(row__snapshot=again, withdrawn_because=CORRECTED)
    assert [(row.label, row.counts, row.position) for row in history] == [(CONTRADICTED, False, 2)]
