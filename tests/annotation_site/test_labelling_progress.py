"""How labelling goes: seats by state, days, batches in hand, who is active; and what opening pairs would cost."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_site.workspace.labelling_page import (
    active_people,
    filled_by_day,
    seats_by_state,
    stored_seats,
)
from annotation_site.workspace.overview_pages import forecasts
from annotation_site.workspace.pipeline import Counts, counts_of, overview_of
from collection.models import Pair
from collection.models.withdrawal import VETTED
from tests.cast import stan, vera
from tests.charted import charts_in
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.open_pairs import make_pairs, send_all
from validation.annotators.membership import invite
from validation.labelling.claiming import claim_batch
from validation.labelling.correcting import correct_batch
from validation.labelling.submitting import submit_batch
from validation.models import BatchItem, Label, Question
from validation.pairs.opening import labels_a_day, open_for_validation, preview_opening, since_first
from validation.quality_control.control_items import label_without_seat
from validation.statistics import cached

pytestmark = pytest.mark.django_db
PAGE = "/c/small/labelling/"


@made_once
def question() -> Question:
    """Six pairs of six premises with an author's label each: four seats a pair for validators."""
    corpus = make_corpus()
    make_pairs(corpus, 6)
    invite(question=corpus.questions.get(), annotator=vera())
    return Question.objects.select_related("corpus").get()


def answer_a_batch(question: Question) -> None:
    batch = claim_batch(question=question, annotator=vera())
    send_all(batch, vera(), key="one")


def test_an_unopened_corpus_leads_to_opening(question, browser_of, rosa):
    page = browser_of(rosa).get(PAGE)
    assert page.context["seats"] == {"filled": 0, "held": 0, "free": 0}
    assert "No pair is open yet." in page.content.decode()


def test_seats_are_free_then_held_then_filled(question, browser_of, rosa):
    open_for_validation(question=question, pairs=Pair.objects.all())
    now = timezone.now()
    assert seats_by_state(question, now) == {"filled": 0, "held": 0, "free": 24}
    batch = claim_batch(question=question, annotator=vera())
    now = timezone.now()
    assert seats_by_state(question, now) == {"filled": 0, "held": 5, "free": 19}
    page = browser_of(rosa).get(PAGE)
    assert [(each["code"], each["answered"], each["pairs"]) for each in page.context["batches"]] == [
        (vera().code, 0, 5)
    ]
    send_all(batch, vera(), key="one")
    BatchItem.objects.update(active_ms=8000)
    page = browser_of(rosa).get(PAGE)
    assert page.context["seats"] == {"filled": 5, "held": 0, "free": 19}
    assert page.context["seconds"] == 8.0
    assert [(each["code"], each["hour"], each["day"]) for each in page.context["people"].rows] == [
        (vera().code, 5, 5)
    ]
    slot = batch.items[0].seat.token
    assert correct_batch(annotator=vera(), token=batch.assignment.token, labels={slot: "entailment"}) == 1
    (active,) = active_people(question, timezone.now())
    assert (active["hour"], active["day"]) == (5, 5), "a corrected label is one label"
    assert page.context["days_left"] == pytest.approx(19 / 5), "five on the first day are five a day"
    assert "19 labels left: how long that takes is too early to tell." in page.text
    chart = charts_in(page.content)["seats"]
    assert chart["title"] == "5 of 24 seats are filled (20.8%)."
    assert [row["filled"] for row in chart["rows"]] == [0] * 13 + [5]


def test_days_count_back_from_today(question):
    open_for_validation(question=question, pairs=Pair.objects.all())
    answer_a_batch(question)
    now = timezone.now()
    first = Label.objects.filter(origin="cast", label__isnull=False).earliest("pk")
    Label.objects.filter(pk=first.pk).update(cast_at=now - timedelta(days=3))
    assert [number for _, number in filled_by_day(question, now, 5)] == [0] * 10 + [1, 1, 1, 5]


def test_only_labels_of_validators_make_the_pace(question):
    open_for_validation(question=question, pairs=Pair.objects.all())
    answer_a_batch(question)
    # The labels of the six authors and of an expert are dated today, too.
    pair, now = Pair.objects.first(), timezone.now()
    label_without_seat(question, pair, "neutral", "expert").save()
    imported = Label.objects.filter(label=None).first()
    Label.objects.filter(pk=imported.pk).update(origin="imported", label="neutral")
    counts = counts_of([question.corpus])[question.corpus_id]
    assert counts.pace_of_labels == labels_a_day(question, now) == 5
    assert counts.labelling == 1
    assert (counts.labels, counts.filled) == (5, 6)
    seats = seats_by_state(question, now)
    assert seats == {"filled": 6, "held": 0, "free": 18}  # a published label fills its seat, on no day
    assert [number for _, number in filled_by_day(question, now, seats["filled"])][-2:] == [1, 6]


@pytest.mark.parametrize("days", [0, 2, 40])
def test_a_few_labels_tell_no_date_however_old_they_are(question, days):
    open_for_validation(question=question, pairs=Pair.objects.all())
    answer_a_batch(question)
    cast = Label.objects.filter(origin="cast", label__isnull=False)
    cast.filter(pk=cast.earliest("pk").pk).update(cast_at=timezone.now() - timedelta(days=days))
    counts = counts_of([question.corpus])[question.corpus_id]
    assert counts.days_since_first(2) == since_first(question, timezone.now())[0] == days + 1
    (labels,) = [each for each in forecasts(counts, timezone.now().date()) if each.what == "labels"]
    assert (labels.is_early, labels.day) == (True, None)


def test_thirty_labels_over_three_days_make_a_forecast_over_the_days_since_the_first():
    today = timezone.now().date()
    worked = [[(today - timedelta(days=ago)).isoformat(), 0, 15] for ago in (2, 0)]
    counts = Counts(open_seats=100, worked=worked)
    assert counts.pace_of_labels == 10
    (labels,) = forecasts(counts, today)
    assert (labels.is_early, labels.day) == (False, today + timedelta(days=10))
    (labels,) = forecasts(replace(counts, worked=worked[1:]), today)
    assert (labels.is_early, labels.day) == (True, None)


def test_a_preview_says_what_opening_makes(question, browser_of, rosa):
    seen = preview_opening(question=question, pairs=Pair.objects.all(), number=4)
    assert (seen.pairs, seen.labels, seen.cents) == (4, 16, 16 * question.pay_cents)
    assert not Label.objects.exists()
    client, address = browser_of(rosa), "/corpora/small/open/"
    page = client.post(address, {"do": "preview", "how": "number", "number": "4"})
    assert page.status_code == 200
    assert "4 pairs would open, for 16 labels by validators" in page.content.decode()
    assert not Label.objects.exists()
    client.post(address, {"how": "number", "number": "4"})
    assert Label.objects.seats().filter(label=None).count() == seen.labels
    assert client.post(address, {"do": "preview", "how": "number", "number": ""}).status_code == 422


def test_the_seats_of_a_large_corpus_are_those_that_a_worker_counted(question, browser_of, rosa, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 5)
    open_for_validation(question=question, pairs=Pair.objects.all())
    answer_a_batch(question)
    client = browser_of(rosa)
    assert "a worker counts it in the background" in client.get(PAGE).content.decode()
    small = (seats_by_state(question, timezone.now()), filled_by_day(question, timezone.now(), 5))
    cached.carry_out(statistics_id=cached.request_statistics(question=question, kind="overview").pk)
    page = client.get(PAGE)
    assert page.context["seats"] == small[0]
    assert [row["filled"] for row in charts_in(page.content)["seats"]["rows"]] == [n for _, n in small[1]]
    assert "Seats were counted by a worker on" in page.content.decode()


def test_a_worker_and_a_request_count_the_same_seats_in_hand(question, monkeypatch):
    """Not in hand: a skipped seat, one that somebody else filled meanwhile, and one of a withdrawn pair."""
    open_for_validation(question=question, pairs=Pair.objects.all())
    batch = claim_batch(question=question, annotator=vera())
    skipped, lost, gone, *_ = batch.items
    submit_batch(
        annotator=vera(),
        token=batch.assignment.token,
        key="one",
        labels={},
        skips={skipped.seat.token: BatchItem.SkipReason.values[0]},
    )
    Label.objects.filter(pk=lost.seat_id).update(annotator=stan(), label="neutral", cast_at=timezone.now())
    Pair.objects.filter(pk=gone.seat.pair_id).update(withdrawn_at=timezone.now(), withdrawn_because=VETTED)
    counted = overview_of(question)
    now = timezone.now()
    by_request = seats_by_state(question, now)
    assert by_request["held"] == 2
    assert stored_seats(question, now, counted)[0] == by_request


def test_an_authors_own_label_is_no_work_of_labelling(question):
    open_for_validation(question=question, pairs=Pair.objects.all())
    counts = counts_of([question.corpus])[question.corpus_id]
    assert counts is not None
    assert (counts.labels, counts.worked) == (0, [])


def test_who_labelled_lately_is_found_without_reading_all_labels(question):
    corpus, now = question.corpus, timezone.now()
    for number in range(60):
        make_pair(corpus, make_premise(corpus, f"Long ago {number}."), "So.")
    open_for_validation(question=question, pairs=Pair.objects.all())
    old = Label.objects.filter(position=2)
    assert old.update(annotator=vera(), label="neutral", cast_at=now - timedelta(days=9)) == 66
    with CaptureQueriesContext(connection) as captured:
        active_people(question, now)
    (asked,) = captured.captured_queries
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # of few rows PostgreSQL would read all
        cursor.execute("ANALYZE validation_label")  # or the plan follows the rows of earlier tests
        cursor.execute(f"EXPLAIN {asked['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "labels_by_time" in plan, plan
