"""Correcting labels of a sent batch: the old one is history, one counts, and pay, bonus and other people's seats stay."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.people.consents import ConsentMissing, withdraw_consent
from annotation_site.personal_data.records import everything_about
from collection.models import Pair
from collection.models.withdrawal import CORRECTED, VETTED
from tests.cast import rosa, signed_in, stan, vera, with_token
from tests.corpora import agreed
from tests.made_once import made_once
from tests.open_pairs import open_pairs, send_all
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.annotators.pool import pool_of
from validation.errors import CannotCorrect, UnknownAssignment, UnknownSlot, WrongLabel
from validation.labelling.claiming import claim_batch
from validation.labelling.correcting import correct_batch, sent_answers
from validation.labelling.submitting import submit_batch
from validation.models import (
    Adjudication,
    Assignment,
    CachedStatistics,
    CalibrationAnswer,
    CalibrationItem,
    Gold,
    Label,
    Question,
)
from validation.pairs.withdrawal import withdraw_pairs
from validation.quality_control.control_items import label_as_expert
from validation.start_page.my_work import days_of

pytestmark = pytest.mark.django_db

MINE, CORRECT = "/work/mine/", "/api/v1/work/validation/correct/"


@made_once
def question() -> Question:
    corpus = open_pairs(3, with_consent=True)
    for who in (vera(), stan()):
        agreed(who, corpus)
    return corpus.questions.get()


def send(question: Question, who=None, label: str = "neutral", but: int = 0) -> Assignment:
    """Sends a batch with one label throughout; the first `but` pairs are skipped."""
    who = who or vera()
    batch = claim_batch(question=question, annotator=who)
    slots = [item.seat.token for item in batch.items]
    token = batch.assignment.token
    skips = dict.fromkeys(slots[:but], "unclear")
    labels = dict.fromkeys(slots[but:], label)
    submit_batch(annotator=who, token=token, labels=labels, skips=skips, key=token)
    return Assignment.objects.get(token=token)


def slots_of(batch: Assignment) -> list[str]:
    return list(sent_answers(batch, timezone.now()))


def correct(batch: Assignment, label: str = "entailment", number: int = 1, **sent) -> int:
    """Changes the first `number` answers of a batch."""
    labels = dict.fromkeys(slots_of(batch)[:number], label)
    return correct_batch(annotator=batch.annotator, token=batch.token, labels=labels, **sent)


def later(minutes: int) -> None:
    """Lets time pass since everything was sent."""
    for row in Label.objects.filter(cast_at__isnull=False):
        Label.objects.filter(pk=row.pk).update(cast_at=row.cast_at - timedelta(minutes=minutes))
    for pk, closed_at in Assignment.objects.exclude(closed_at=None).values_list("pk", "closed_at"):
        Assignment.objects.filter(pk=pk).update(closed_at=closed_at - timedelta(minutes=minutes))


def test_the_old_label_is_history_and_the_new_one_has_its_seat(question):
    batch = send(question)
    old = Label.objects.get(token=slots_of(batch)[0])
    assert correct(batch, reasons={old.token: "I misread it."}) == 1
    old.refresh_from_db()
    new = Label.objects.get(corrects=old)
    assert (old.label, old.withdrawn_because) == ("neutral", CORRECTED)
    assert (new.label, new.reason, new.withdrawn_at) == ("entailment", "I misread it.", None)
    same = ("question", "pair", "premise", "sentence", "position", "turn", "annotator", "author", "scheme")
    assert all(getattr(new, name) == getattr(old, name) for name in same)


def test_one_of_the_two_counts_everywhere(question):
    batch = send(question)
    today = timezone.localdate()
    before = days_of(vera(), until=today, days=1)
    correct(batch)
    pair = Label.objects.get(corrects__isnull=False).pair
    gold = Gold.objects.get(pair=pair)
    assert (gold.votes, gold.votes_0, gold.votes_1) == (2, 1, 1)  # the author's is neutral
    (member,) = pool_of(question)
    assert (member.cast, getattr(member, "withdrawn", 0)) == (3, 0), "a correction withdraws nothing"
    assert days_of(vera(), until=today, days=1) == before
    assert Label.objects.seats().filter(pair=pair).count() == question.seats
    assert list(vera().ledger.values_list("cents", flat=True)) == [15]


def test_the_same_again_changes_nothing_and_a_correction_can_be_corrected(question):
    batch = send(question)
    labels = {slots_of(batch)[0]: "entailment"}
    assert [
        correct_batch(annotator=vera(), token=batch.token, labels=labels),
        correct_batch(annotator=vera(), token=batch.token, labels=labels),
    ] == [1, 0]
    assert correct(batch, "contradiction") == 1
    chain = Label.objects.filter(annotator=vera(), pair=Label.objects.latest("pk").pair).order_by("pk")
    assert [row.label for row in chain] == ["neutral", "entailment", "contradiction"]
    assert [row.corrects_id for row in chain] == [None, chain[0].pk, chain[1].pk]


def test_the_time_runs_from_the_first_label(question):
    batch = send(question)
    later(29)
    correct(batch)
    later(2)
    with pytest.raises(CannotCorrect, match="time to change"):
        correct(batch, "contradiction")
    assert correct(batch) == 0  # what is there already may be sent at any time


def test_zero_minutes_switch_it_off(question):
    batch = send(question)
    Question.objects.update(correct_minutes=0)
    with pytest.raises(CannotCorrect):
        correct(Assignment.objects.get(pk=batch.pk))


def test_all_or_nothing(question):
    batch = send(question)
    first, second = slots_of(batch)[:2]
    pair = Label.objects.get(token=second).pair
    withdraw_pairs(pairs=Pair.objects.filter(pk=pair.pk), because=VETTED, at=timezone.now())
    with pytest.raises(CannotCorrect) as refusal:
        correct_batch(annotator=vera(), token=batch.token, labels={first: "entailment", second: "entailment"})
    assert list(refusal.value.errors) == [second]
    assert not Label.objects.filter(corrects__isnull=False).exists()


def test_a_decided_pair_stays_as_it_is(question):
    batch = send(question)
    label = Label.objects.get(token=slots_of(batch)[0])
    decided = {"pair": label.pair, "scheme": "nli3", "label": "neutral", "reason": "Clear.", "by": rosa()}
    Adjudication.objects.create(question=question, **decided)
    with pytest.raises(CannotCorrect, match="closed"):
        correct(batch)


def test_who_was_excluded_or_withdrew_consent_corrects_nothing(question):
    batch = send(question)
    slot = slots_of(batch)[0]
    withdraw_consent(user=vera(), form=question.corpus.consent_form)
    with pytest.raises(ConsentMissing):
        correct_batch(annotator=vera(), token=batch.token, labels={slot: "entailment"})
    agreed(vera(), question.corpus)
    exclude(corpus=question.corpus, annotator=vera(), by=rosa(), reason="Guesses.")
    with pytest.raises(CannotCorrect, match="closed"):
        correct_batch(annotator=vera(), token=batch.token, labels={slot: "entailment"})


def test_other_peoples_batches_skipped_pairs_and_wrong_labels_are_refused(question):
    batch = send(question, but=1)
    skipped = batch.items.get(skip_reason="unclear").seat.token
    theirs = slots_of(batch)[0]
    assert skipped not in slots_of(batch)
    for error, who, labels in (
        (UnknownAssignment, stan(), {theirs: "entailment"}),
        (CannotCorrect, vera(), {skipped: "entailment"}),
        (UnknownSlot, vera(), {"elsewhere": "entailment"}),
        (WrongLabel, vera(), {theirs: "maybe"}),
    ):
        with pytest.raises(error):
            correct_batch(annotator=who, token=batch.token, labels=labels)
    assert not Label.objects.filter(corrects__isnull=False).exists()


def test_a_surplus_label_is_corrected_and_stays_surplus(question):
    given = claim_batch(question=question, annotator=vera())
    withdraw_pairs(pairs=Pair.objects.all(), because=VETTED, at=timezone.now())
    send_all(given, vera(), key="k")
    Pair.objects.update(withdrawn_at=None, withdrawn_because="")
    assert correct(Assignment.objects.get(pk=given.assignment.pk)) == 1
    assert Label.objects.get(corrects__isnull=False).position is None


def test_a_correction_earns_no_bonus_and_loses_none(question):
    """Nobody can try one label after the other on a control item until the money comes."""
    pair = Pair.objects.earliest("pk")
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa())
    wrong, right = send(question), send(question, who=stan(), label="entailment")
    pay = vera().ledger.total_cents(), stan().ledger.total_cents()
    assert pay == (15, 115)
    correct(wrong, "entailment", 3)
    correct(right, "neutral", 3)
    assert (vera().ledger.total_cents(), stan().ledger.total_cents()) == pay


def test_an_expert_who_comes_later_meets_the_answer_that_stands(question):
    batch = send(question)
    pair = Label.objects.get(token=slots_of(batch)[0]).pair
    correct(batch)
    label_as_expert(question=question, pair=pair, label="neutral", by=rosa())
    assert vera().ledger.total_cents() == 15
    met = Label.objects.met_controls(question).filter(annotator=vera())
    assert [(row.label, row.expert) for row in met] == [("entailment", "neutral")]


def test_a_calibration_item_is_corrected_like_a_pair(question):
    text = {"premise": "Known.", "hypothesis": "It is known.", "scheme": "nli3", "label": "entailment"}
    CalibrationItem.objects.create(question=question, digest="1", **text)
    Question.objects.update(calibration_percent=100)
    batch = send(Question.objects.get())
    met = CalibrationAnswer.objects.get()
    assert met.token in slots_of(batch)
    sent = dict.fromkeys(slots_of(batch), "entailment")
    assert correct_batch(annotator=vera(), token=batch.token, labels=sent) == len(sent)
    sent = dict.fromkeys(slots_of(batch), "contradiction")
    correct_batch(annotator=vera(), token=batch.token, labels=sent)
    met.refresh_from_db()
    assert (met.answer, met.first_answer) == ("contradiction", "neutral")
    assert vera().ledger.total_cents() == 15


def test_an_exclusion_takes_the_correction_and_undoing_it_brings_that_alone_back(question):
    correct(send(question))
    exclude(corpus=question.corpus, annotator=vera(), by=rosa(), reason="Guesses.")
    assert not Label.objects.standing().cast_by(vera()).exists()
    undo_exclusion(exclusion=vera().exclusions.get(), by=rosa())
    standing = Label.objects.standing().cast_by(vera()).order_by("pk")
    assert sorted(row.label for row in standing) == ["entailment", "neutral", "neutral"]
    assert Label.objects.filter(withdrawn_because=CORRECTED).count() == 1


def test_stored_statistics_grow_old(question):
    batch = send(question)
    CachedStatistics.objects.create(question=question, kind="agreement", by="genre")
    correct(batch)
    assert CachedStatistics.objects.get().is_stale


def test_the_persons_own_data_has_both(question):
    correct(send(question))
    rows = [row for row in everything_about(vera()) if row["record"] == "judgement"]
    assert sorted((row["label"], row["withdrawn_because"]) for row in rows) == [
        ("entailment", ""),
        ("neutral", ""),
        ("neutral", ""),
        ("neutral", CORRECTED),
    ]


def test_the_database_refuses_two_that_count_and_two_corrections_of_one(question):
    correct(send(question))
    new = Label.objects.get(corrects__isnull=False)
    for back in ({"withdrawn_at": None, "withdrawn_because": ""},):
        with pytest.raises(IntegrityError, match="one_label_a"), transaction.atomic():
            Label.objects.filter(pk=new.corrects_id).update(**back)
    other = Label.objects.standing().cast_by(vera()).exclude(pk=new.pk).first()
    with pytest.raises(IntegrityError, match="label_corrected_once"), transaction.atomic():
        Label.objects.filter(pk=other.pk).update(corrects=new.corrects_id)
    seat = Label.objects.open().first()
    with pytest.raises(IntegrityError, match="only_a_cast_label_corrects"), transaction.atomic():
        Label.objects.filter(pk=seat.pk).update(corrects=new.corrects_id)


def test_my_work_leads_to_the_page_and_the_page_changes_the_answer(question):
    batch, client = send(question), signed_in(vera())
    address = f"/work/mine/batches/{batch.token}/"
    assert address in client.get(MINE).content.decode()
    page = client.get(address).content.decode()
    assert page.count("checked") == 3
    assert "skip this sentence" not in page
    slots = slots_of(batch)
    sent = {f"label-{slot}": "neutral" for slot in slots} | {
        f"label-{slots[0]}": "entailment",
        f"reason-{slots[0]}": "Misread.",
    }
    answer = client.post(address, sent, follow=True)
    assert "1 answer is changed. Your pay stays the same." in answer.content.decode()
    assert Label.objects.get(corrects__isnull=False).reason == "Misread."
    client.post(address, sent | {f"reason-{slots_of(batch)[0]}": ""})
    assert Label.objects.standing().get(corrects__isnull=False).reason == ""


def test_after_its_time_the_page_shows_the_answers_and_no_button(question):
    batch, client = send(question), signed_in(vera())
    address, slots = f"/work/mine/batches/{batch.token}/", slots_of(batch)
    later(31)
    assert address not in client.get(MINE).content.decode()
    page = client.get(address).content.decode()
    assert "can no longer be changed" in page
    assert "Save the changes" not in page
    answer = client.post(address, {f"label-{slots[0]}": "entailment"})
    assert answer.status_code == 422
    assert "Nothing was changed" in answer.content.decode()


def test_nobody_opens_the_batch_of_somebody_else(question):
    assert signed_in(stan()).get(f"/work/mine/batches/{send(question).token}/").status_code == 404


def test_rest_corrects_and_names_the_slot_that_is_too_late(question):
    batch, client = send(question), with_token(vera())
    slot = slots_of(batch)[0]
    sent = {"assignment": batch.token, "labels": {slot: "entailment"}}
    assert client.post(CORRECT, sent, format="json").json() == {"corrected": 1}
    assert client.post(CORRECT, sent, format="json").json() == {"corrected": 0}
    later(31)
    answer = client.post(CORRECT, {**sent, "labels": {slot: "neutral"}}, format="json")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [f"labels.{slot}"]
    assert client.post(CORRECT, {**sent, "assignment": "none"}, format="json").status_code == 404
