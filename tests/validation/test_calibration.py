"""Calibration items: texts outside the corpus, unrecognisable in batches, and in no statistic of pairs."""

import pytest
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from annotation_site.personal_data.records import everything_about
from collection.models import Pair
from tests.cast import person, vera
from tests.concurrency.threads import at_once
from tests.made_once import made_once
from tests.open_pairs import open_pairs, send_all
from validation.annotators.exclusion import exclude
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import BatchItem, CalibrationAnswer, CalibrationItem, Label, Question
from validation.quality_control.calibration import CHANCE
from validation.start_page.my_work import days_of
from validation.statistics.annotator_quality import annotators

pytestmark = pytest.mark.django_db


@made_once
def question() -> Question:
    return make_question(pairs=12)


def make_question(*, pairs: int, items: int = 4, percent: int = 100) -> Question:
    question = open_pairs(pairs).questions.get()
    for number in range(items):
        add_item(question, f"Known {number}.")
    Question.objects.update(calibration_percent=percent)
    question.refresh_from_db()
    return question


def add_item(question: Question, hypothesis: str, premise: str = "") -> CalibrationItem:
    premise = premise or f"About {hypothesis}"
    return CalibrationItem.objects.create(
        question=question,
        digest=CalibrationItem.digest_of(premise, hypothesis),
        premise=premise,
        hypothesis=hypothesis,
        scheme="nli3",
        label="entailment",
    )


def texts(batch) -> list[str]:
    return [item.seat.pair.hypothesis for item in batch.items]


def test_everybody_meets_each_item_once_and_then_only_pairs(question):
    for who in (vera(), person("vic")):
        first = claim_batch(question=question, annotator=who)
        assert len(first.items) == 5  # no longer than a batch of pairs
        assert sum(text.startswith("Known") for text in texts(first)) == 4
        send_all(first, who)
        second = claim_batch(question=question, annotator=who)
        assert not any(text.startswith("Known") for text in texts(second))
    assert CalibrationAnswer.objects.exclude(answer=None).count() == 8


def test_a_share_is_drawn_place_by_place(question, monkeypatch):
    Question.objects.update(calibration_percent=10)
    question.refresh_from_db()
    throws = iter([0.5, 0.099, 0.1, 0.9, 0.01])
    monkeypatch.setattr(CHANCE, "random", lambda: next(throws))
    batch = claim_batch(question=question, annotator=vera())
    assert sum(text.startswith("Known") for text in texts(batch)) == 2


def test_without_a_share_there_are_none(question):
    Question.objects.update(calibration_percent=0)
    question.refresh_from_db()
    batch = claim_batch(question=question, annotator=vera())
    assert all(text.startswith("Hypothesis") for text in texts(batch))
    assert not CalibrationAnswer.objects.exists()


def test_nothing_on_the_page_or_in_rest_tells_an_item_from_a_pair(question, browser_of, vera):
    Question.objects.update(batch_size=3, instructions="")
    browser: Client = browser_of(vera)
    browser.post("/work/validation/small/instructions/", {"agree": "yes"})
    page = browser.get("/work/validation/small/").content.decode()
    assert page.count("Known") == 2 * 3  # the hypothesis, and the premise about it
    assert "calibr" not in page.lower()
    answer = browser.post(
        "/api/v1/work/validation/next", {"corpus": "small"}, content_type="application/json"
    ).json()
    assert [pair["hypothesis"][:5] for pair in answer["pairs"]] == ["Known"] * 3
    assert {frozenset(pair) for pair in answer["pairs"]} == {frozenset({"slot", "premise", "hypothesis"})}
    assert [len(pair["slot"]) for pair in answer["pairs"]] == [len(Label.objects.first().token)] * 3


def test_the_persons_file_holds_what_they_answered_and_what_they_skipped(question):
    """A skip was missing: it has no `answered_at`. An item that waits in a batch is not in the file."""
    batch = claim_batch(question=question, annotator=vera())
    known = [item.seat.token for item in batch.items if item.seat.pair.hypothesis.startswith("Known")]
    token = batch.assignment.token
    submit_batch(
        annotator=vera(), token=token, labels={known[0]: "neutral"}, skips={known[1]: "unclear"}, key="one"
    )
    rows = [row for row in everything_about(vera()) if row["record"] == "label of another text"]
    assert len(known) > len(rows)
    assert {(row["answer"], row["skip_reason"]) for row in rows} == {(None, "unclear"), ("neutral", None)}


def test_places_are_in_the_order_of_their_tokens(question):
    batch = claim_batch(question=question, annotator=vera())
    tokens = [item.seat.token for item in batch.items]
    assert tokens == sorted(tokens)
    again = claim_batch(question=question, annotator=vera())
    assert [item.seat.token for item in again.items] == tokens


def test_it_is_paid_as_a_pair_is_without_a_bonus_and_told_as_one(question):
    result = send_all(claim_batch(question=question, annotator=vera()), vera(), "entailment")
    assert (result.saved, result.surplus, result.left, result.cents, result.closed) == (5, 0, 0, 25, True)
    assert vera().ledger.total_cents() == 25
    assert vera().ledger.get().reason.startswith("Judged 5 sentences")


def test_it_counts_nowhere_as_a_label_or_pair(question):
    before = (Pair.objects.count(), Label.objects.count())
    send_all(claim_batch(question=question, annotator=vera()), vera())
    assert (Pair.objects.count(), Label.objects.count()) == before
    assert Label.objects.cast_by(vera()).count() == 1
    assert BatchItem.objects.count() == 1


def test_a_part_of_a_batch_a_skip_and_the_same_key_again(question):
    batch = claim_batch(question=question, annotator=vera())
    known = [item.seat.token for item in batch.items if item.seat.pair.hypothesis.startswith("Known")]
    sent = {
        "annotator": vera(),
        "token": batch.assignment.token,
        "labels": {known[0]: "entailment"},
        "skips": {known[1]: "unclear"},
        "active_ms": {known[0]: 1200},
        "reasons": {known[0]: "It says so."},
        "key": "one",
    }
    result = submit_batch(**sent)
    assert (result.saved, result.left, result.closed, result.cents) == (1, 3, False, 5)
    again = submit_batch(**sent)
    assert (again.repeated, again.left) == (True, 3)
    kept = CalibrationAnswer.objects.get(token=known[0])
    assert (kept.answer, kept.active_ms, kept.reason) == ("entailment", 1200, "It says so.")
    rest = claim_batch(question=question, annotator=vera())
    assert rest.renewed
    assert len(rest.items) == 3
    send_all(rest, vera())
    met = set(CalibrationAnswer.objects.values_list("item", flat=True))
    assert len(met) == 4  # the skipped one does not come again
    later = claim_batch(question=question, annotator=vera())
    assert not any(text.startswith("Known") for text in texts(later))


def test_two_items_of_one_premise_never_share_a_batch():
    question = make_question(pairs=12, items=0)
    for number in range(6):
        add_item(question, f"Known {number}.", premise="One scene.")
    batch = claim_batch(question=question, annotator=vera())
    assert sum(text.startswith("Known") for text in texts(batch)) == 1


def test_an_item_of_a_premise_of_the_corpus_shares_no_batch_with_its_pairs():
    question = make_question(pairs=5, items=0)
    for number in range(5):
        add_item(question, f"Known {number}.", premise=f"Premise {number}.")
    batch = claim_batch(question=question, annotator=vera())
    assert not any(text.startswith("Known") for text in texts(batch))


def test_without_pairs_there_is_no_work(question):
    Pair.objects.update(withdrawn_at="2026-01-01T00:00:00Z", withdrawn_because="set aside by a researcher")
    with pytest.raises(NoWork):
        claim_batch(question=question, annotator=vera())


def test_the_last_pairs_of_a_question_are_all_labelled_all_the_same():
    question = make_question(pairs=3, items=30)
    who = vera()
    for _ in range(12):
        send_all(claim_batch(question=question, annotator=who), who)
        if Label.objects.cast_by(who).count() == 3:
            break
    assert Label.objects.cast_by(who).count() == 3


def test_what_comes_after_an_exclusion_is_paid_and_told_as_the_pairs_are(question, rosa):
    batch = claim_batch(question=question, annotator=vera())
    exclude(corpus=question.corpus, annotator=vera(), by=rosa, reason="Guessed.")
    result = send_all(batch, vera())
    assert (result.saved, result.surplus, result.cents) == (0, 5, 25)


def test_the_database_lets_nobody_meet_an_item_twice(question):
    batch = claim_batch(question=question, annotator=vera())
    met = CalibrationAnswer.objects.first()
    with pytest.raises(IntegrityError):
        CalibrationAnswer.objects.create(
            item=met.item, annotator=vera(), assignment=batch.assignment, order=9
        )


@pytest.mark.django_db(transaction=True)
def test_two_tabs_and_two_clicks_at_one_moment_draw_and_pay_once():
    question, who = make_question(pairs=8), vera()
    batches = at_once([lambda: claim_batch(question=question, annotator=who)] * 4)
    assert len({batch.assignment.pk for batch in batches}) == 1
    assert CalibrationAnswer.objects.count() == 4
    at_once([lambda: send_all(batches[0], who)] * 4)
    assert who.ledger.total_cents() == 25


def record_of(question: Question, who) -> tuple[int, int, int, tuple[str, ...]]:
    one = next(each for each in annotators(question) if each.code == who.code)
    return one.calibration, one.calibration_right, one.controls, one.flags


@pytest.fixture
def known() -> Question:
    """Makes enough items for a flag: 24, each with its own premise, all entailment, and a few pairs between them."""
    return make_question(pairs=16, items=24, percent=90)


def label_until_all_items_are_met(question: Question, who, label: str) -> None:
    while CalibrationAnswer.objects.filter(annotator=who).count() < 24:
        send_all(claim_batch(question=question, annotator=who), who, label)
    send_all(claim_batch(question=question, annotator=who), who, label)  # and at least one pair


def test_the_record_counts_them_under_a_name_of_their_own_and_flags_guessers(known):
    label_until_all_items_are_met(known, vera(), "neutral")
    label_until_all_items_are_met(known, person("vic"), "entailment")
    assert record_of(known, vera())[:3] == (24, 0, 0)
    assert "controls by chance" in record_of(known, vera())[3]
    assert record_of(known, person("vic"))[:3] == (24, 24, 0)
    assert "controls by chance" not in record_of(known, person("vic"))[3]


def test_researchers_see_the_record_and_each_item(known, browser_of, rosa):
    label_until_all_items_are_met(known, vera(), "neutral")
    CalibrationItem.objects.filter(hypothesis="Known 3.").update(label="neutral")
    browser = browser_of(rosa)
    assert "1 of 24" in browser.get("/corpora/small/pool/").content.decode()
    assert "1 of 24" in browser.get(f"/corpora/small/pool/{vera().code}/").content.decode()
    assert "1 of 24" in browser.get("/corpora/small/annotators/").content.decode()
    items = browser.get("/corpora/small/calibration/").content.decode()
    assert "They take 90 of a hundred slots" in items
    assert items.count("0 of 1") == 23
    assert items.count("1 of 1") == 1


def test_annotators_see_no_page_about_them_and_count_them_as_pairs(question, browser_of, vera):
    send_all(claim_batch(question=question, annotator=vera), vera)
    browser = browser_of(vera)
    assert browser.get("/corpora/small/calibration/").status_code in (302, 403)
    today = days_of(vera, until=timezone.now().date(), days=1)
    assert [(day.labelled, day.cents) for day in today] == [(5, 25)]
