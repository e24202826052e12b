"""Hourly pay, and top-ups to a floor."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from annotation_site.researchers.corpus_bias import bias_of
from annotation_site.researchers.wages import (
    SumChanged,
    _Batch,
    _within_the_clock,
    chosen,
    summary,
    top_up,
    wages,
)
from collection.models import MOST_TOP_UP_CENTS, Corpus, LedgerEntry, Pair, PromptVersion, WritingAssignment
from collection.premises import writing_seats
from collection.writing import claiming, prompts, submitting
from shared.figures import FIGURES
from tests.cast import ana, rosa, stan, vera
from tests.charted import figures_of
from tests.concurrency.processes import in_processes
from tests.concurrency.threads import Beside, crossing
from tests.corpora import add_label, make_corpus, make_pair, make_premise, pay
from tests.made_once import made_once
from tests.open_pairs import make_pairs
from tests.validation.votes import vote
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, BatchItem, CachedStatistics, Question
from validation.pairs.opening import open_for_validation
from validation.quality_control.control_items import label_as_expert
from validation.statistics import cached
from validation.statistics.scope import Counted

MINUTE = 60_000


@made_once
def corpus() -> Corpus:
    """Makes a corpus with five pairs to label at 5 cents and one premise to write for at 30."""
    corpus = make_corpus()
    make_pairs(corpus, 5, author=None)
    corpus.questions.update(seconds=30)
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    writing_seats.make_seats(premises=[make_premise(corpus, "Rain falls on the harbour.")])
    return corpus


def label_five(corpus: Corpus, who, *, measured: int, ms: int = MINUTE) -> None:
    """Labels a batch; the first `measured` answers come with `ms` of active time each."""
    batch = claim_batch(question=corpus.questions.get(), annotator=who)
    slots = [item.seat.token for item in batch.items]
    begun(Assignment)
    submit_batch(
        annotator=who,
        token=batch.assignment.token,
        labels=dict.fromkeys(slots, "neutral"),
        active_ms=dict.fromkeys(slots[:measured], ms),
        key=f"labels of batch {batch.assignment.pk}",
    )


def begun(tasks) -> None:
    """Sets the start of the open work to an hour ago."""
    tasks.objects.filter(closed_at=None).update(created_at=timezone.now() - timedelta(hours=1))


def topped_up(corpus: Corpus, floor: int) -> int:
    """Returns the people with plausible times, as the page lists them."""
    found = chosen(wages(corpus), floor)
    cents = sum(wage.missing_cents(floor) for wage in found)
    return top_up(corpus=corpus, floor_cents=floor, codes=[w.code for w in found], expected_cents=cents)


def write_one(corpus: Corpus, who, ms: int) -> None:
    prompts.read_prompt(annotator=who, version=PromptVersion.objects.get(prompt__corpus=corpus), answers={})
    task = claiming.claim_writing(corpus=corpus, annotator=who)
    begun(WritingAssignment)
    texts = {"entailment": "It rains.", "neutral": "It is cold there.", "contradiction": "It is dry there."}
    submitting.submit_writing(
        annotator=who, token=task.token, texts=texts, key="text", signals=submitting.Signals(active_ms=ms)
    )


def test_an_hour_is_what_was_earned_by_the_time_it_took(corpus):
    label_five(corpus, vera(), measured=5)
    wage = wages(corpus)[0]
    assert (wage.code, wage.cents, wage.pieces) == (vera().code, 25, 5)
    assert wage.hours == pytest.approx(5 / 60)
    assert wage.hourly_cents == pytest.approx(300)


def test_pieces_without_a_measurement_last_as_long_as_the_others(corpus):
    label_five(corpus, vera(), measured=2)
    assert wages(corpus)[0].hours == pytest.approx(5 / 60)


def test_somebody_never_measured_is_said_so_and_is_not_in_the_median(corpus):
    label_five(corpus, vera(), measured=5)
    label_five(corpus, stan(), measured=0)
    found = {wage.code: wage for wage in wages(corpus)}
    assert (found[stan().code].hours, found[stan().code].hourly_cents) == (None, None)
    assert found[stan().code].missing_cents(10_000) == 0
    counted = summary(list(found.values()), 600)
    assert (counted.people, counted.measured, counted.median_hourly_cents, counted.below) == (2, 1, 300, 1)


def test_writing_and_bonuses_count_too_and_other_corpora_do_not(corpus):
    other = make_corpus(slug="other")
    make_pair(other, make_premise(other, "Elsewhere."), "There.", author_label="neutral")
    open_for_validation(question=other.questions.get(), pairs=Pair.objects.filter(corpus=other))
    label_five(other, ana(), measured=5)
    write_one(corpus, ana(), 6 * MINUTE)
    label_five(corpus, ana(), measured=5)
    label_as_expert(question=corpus.questions.get(), pair=corpus.pairs.first(), label="neutral", by=rosa())
    pay(ana(), cents=999, key="something", corpus=other)
    (wage,) = wages(corpus)
    assert (wage.cents, wage.pieces) == (30 + 25 + 100, 6)
    assert wage.hours == pytest.approx(11 / 60)


def test_pay_for_reading_is_no_pay_for_measured_time(corpus):
    PromptVersion.objects.update(reading_pay_cents=45)
    write_one(corpus, ana(), 6 * MINUTE)
    assert ana().ledger.total_cents() == 30 + 45
    (wage,) = wages(corpus)
    assert wage.cents == 30
    assert wage.hourly_cents == pytest.approx(300)


def test_a_top_up_reaches_the_floor_and_is_needed_once(corpus):
    label_five(corpus, vera(), measured=5, ms=61_001)
    assert topped_up(corpus, 900) == 77 - 25  # 5.08 minutes at $9 are 76.25 cents
    assert vera().ledger.total_cents() == 77
    assert wages(corpus)[0].hourly_cents >= 900
    assert topped_up(corpus, 900) == 0


needs_processes = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite lets one transaction run at a time"
)


def click(made: Corpus, code: str, cents: int) -> int:
    """Tops somebody up and returns the cents; if the sum has changed, -1 less the new sum."""
    try:
        return top_up(corpus=made, floor_cents=900, codes=[code], expected_cents=cents)
    except SumChanged as changed:
        return -1 - changed.cents


@pytest.mark.django_db(transaction=True)
@needs_processes
def test_of_clicks_at_once_one_pays_and_the_others_say_that_nothing_was_paid():
    made = corpus.make()
    label_five(made, vera(), measured=5)
    code = vera().code
    assert sorted(in_processes([lambda: click(made, code, 50)] * 4)) == [-1, -1, -1, 50]
    assert vera().ledger.total_cents() == 75


@pytest.mark.django_db(transaction=True)
@needs_processes
def test_work_that_is_sent_between_two_clicks_does_not_pay_the_first_minutes_twice():
    """Both clicks read before either commits; in the meantime a bonus changes what was earned."""
    made = corpus.make()
    label_five(made, vera(), measured=5)
    code = vera().code

    def first() -> None:
        assert click(made, code, 50) == 50
        in_processes_pay(made)

    waited, second = crossing(first, lambda: click(made, code, 49))
    assert waited, "the second click waits for the first"
    assert (second, vera().ledger.total_cents()) == (-1, 76)


def in_processes_pay(made: Corpus) -> None:
    other = Beside(lambda: pay(vera(), cents=1, key="bonus", corpus=made))
    other.goes_as_far_as_it_can()
    other.result()


def test_the_page_shows_tops_up_and_downloads(corpus, client):
    label_five(corpus, vera(), measured=5)
    address = reverse("pay", args=["small"])
    client.force_login(rosa())
    page = client.get(address, {"floor": "9"}).content.decode()
    assert "$3.00" in page
    assert "Add $0.50" not in page, "first the list, then the sum"
    rows = list(
        csv.DictReader(io.StringIO(client.get(address, {"floor": "9", "as": "csv"}).content.decode()))
    )
    assert [(row["annotator"], row["missing_cents"]) for row in rows] == [(vera().code, "50")]
    assert rows[0]["doubtful_pieces"] == "0"
    ticked = {"floor": "9", "annotator": [vera().code]}
    page = client.post(address, {**ticked, "do": "show"}).content.decode()
    assert "Pay $0.50" in page
    assert vera().ledger.total_cents() == 25
    wrong = client.post(address, {**ticked, "do": "pay", "cents": "49"})
    assert (wrong.status_code, vera().ledger.total_cents()) == (422, 25)
    assert "The sum has changed" in wrong.content.decode()
    page = client.post(address, {**ticked, "do": "pay", "cents": "50"}, follow=True).content.decode()
    assert "$0.50 were added" in page
    assert vera().ledger.total_cents() == 75


def test_times_that_cannot_be_are_bounded_and_wait_for_a_researcher(corpus, client):
    """Reports twenty-eight hours for each of five labels that took an hour; at most ten times thirty seconds count."""
    label_five(corpus, vera(), measured=5, ms=99_999_999)
    label_five(corpus, stan(), measured=5)
    Assignment.objects.filter(annotator=stan()).update(created_at=timezone.now() - timedelta(minutes=1))
    Assignment.objects.filter(annotator=stan()).update(closed_at=timezone.now())
    write_one(corpus, ana(), 2**31 - 1)
    found = {wage.code: wage for wage in wages(corpus)}
    assert found[vera().code].hours == pytest.approx(5 * 300 / 3600)
    assert found[stan().code].hours == pytest.approx(1 / 60, rel=0.01), "five minutes told, one minute passed"
    assert found[ana().code].hours == pytest.approx(1200 / 3600)
    assert [found[who.code].doubtful for who in (vera(), stan(), ana())] == [5, 5, 1]
    assert chosen(list(found.values()), 90_000) == []
    assert topped_up(corpus, 90_000) == 0
    client.force_login(rosa())
    page = client.get(reverse("pay", args=["small"]), {"floor": "900"}).content.decode()
    assert page.count("not plausible") == 3
    assert "checked" not in page
    vera_alone = {"codes": [vera().code], "expected_cents": 37_500 - 25}
    assert top_up(corpus=corpus, floor_cents=90_000, **vera_alone) == 37_475


def lasts(tasks, seconds: int) -> None:
    """Sets the newest work to have been in hand for so long, until now."""
    newest = tasks.objects.order_by("-pk").first()
    now = timezone.now()
    tasks.objects.filter(pk=newest.pk).update(created_at=now - timedelta(seconds=seconds), closed_at=now)


def test_each_minute_counts_once_over_kinds_and_corpora(corpus, client):
    """A batch, a premise and a batch of another corpus in hand at one moment: 100 seconds each, in 100 seconds."""
    other = make_corpus(slug="other")
    make_pairs(other, 5, author=None)
    open_for_validation(question=other.questions.get(), pairs=Pair.objects.filter(corpus=other))
    for each in (corpus, other):
        label_five(each, vera(), measured=5, ms=20_000)
        lasts(Assignment, 100)
    write_one(corpus, vera(), 100_000)
    lasts(WritingAssignment, 100)
    here, there = wages(corpus)[0], wages(other)[0]
    assert (here.hours + there.hours) * 3600 == pytest.approx(100, abs=2)
    assert here.overlapping
    assert there.overlapping
    assert chosen([here, there], 90_000) == []
    client.force_login(rosa())
    page = client.get(reverse("pay", args=["small"]), {"floor": "900"}).content.decode()
    assert "longer than the clock allows" in page
    assert "checked" not in page


def test_work_in_hand_at_one_moment_counts_whole_where_the_clock_allows_it(corpus):
    """A premise stays open for an hour in which a batch is labelled; both were worked on."""
    label_five(corpus, vera(), measured=5, ms=20_000)
    lasts(Assignment, 100)
    write_one(corpus, vera(), 100_000)
    lasts(WritingAssignment, 3600)
    (wage,) = wages(corpus)
    assert wage.hours * 3600 == pytest.approx(200)
    assert not wage.doubts


def batch_of(began: float, ended: float, believed: float, corpus: int = 1) -> _Batch:
    return _Batch(1, corpus, False, began, ended, 1, 1, 0, believed)


@pytest.mark.parametrize(
    ("batches", "most"),
    [
        ([(0, 10, 10), (0, 10, 10)], 10),
        ([(0, 100, 5), (10, 20, 10), (10, 20, 10)], 15),
        ([(0, 30, 30), (10, 20, 10)], 30),
        ([(0, 30, 20), (10, 20, 10)], 30),
        ([(0, 10, 4), (20, 30, 10)], 14),
    ],
)
def test_what_one_person_can_have_worked(batches, most):
    assert sum(_within_the_clock([batch_of(*each) for each in batches]).values()) == most


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=6))
def test_what_one_person_can_have_worked_is_the_largest_matching_of_minutes(drawn):
    """Compares with the flow from batches to minutes: no set of minutes explains more, and no minute counts twice."""
    batches = sorted((began, began + length, min(length, told)) for began, length, told in drawn)
    units = [(began, ended) for began, ended, told in batches for _ in range(told)]
    matrix = csr_matrix(
        [[int(began <= minute < ended) for minute in range(21)] for began, ended in units] or [[0]]
    )
    most = int((maximum_bipartite_matching(matrix, perm_type="column") >= 0).sum())
    assert sum(_within_the_clock([batch_of(*each) for each in batches]).values()) == most


def test_whoever_is_slow_in_sum_is_looked_at_first(corpus, client):
    """Each piece and each batch is within its limit, and all together took four times what they should."""
    label_five(corpus, vera(), measured=5, ms=120_000)
    (wage,) = wages(corpus)
    assert wage.hours == pytest.approx(600 / 3600)
    assert (wage.doubtful, wage.slow) == (0, True)
    assert chosen([wage], 900) == []
    client.force_login(rosa())
    page = client.get(reverse("pay", args=["small"]), {"floor": "9"}).content.decode()
    assert "more than 3 times the expected time" in page
    assert "checked" not in page
    assert top_up(corpus=corpus, floor_cents=900, codes=[vera().code], expected_cents=125) == 125


def test_pay_for_skipped_texts_is_no_pay_for_measured_time(corpus):
    PromptVersion.objects.update(skip_pay_cents=30, paid_skips_per_day=5)
    writing_seats.make_seats(premises=[make_premise(corpus, f"Sleet, {number}.") for number in range(2)])
    write_one(corpus, ana(), 6 * MINUTE)
    for _ in range(2):
        task = claiming.claim_writing(corpus=corpus, annotator=ana())
        submitting.skip_writing(annotator=ana(), token=task.token, reason="upsetting")
    assert ana().ledger.total_cents() == 90
    (wage,) = wages(corpus)
    assert (wage.cents, wage.missing_cents(600)) == (30, 30)


def test_one_measured_piece_does_not_stretch_other_batches_beyond_their_own_time(corpus):
    for number in range(15):
        premise = make_premise(corpus, f"Snow falls, {number}.")
        make_pair(corpus, premise, f"More {number}.", author_label="neutral")
    added = Pair.objects.filter(hypothesis__startswith="More")
    open_for_validation(question=corpus.questions.get(), pairs=added)
    label_five(corpus, vera(), measured=1, ms=50_000)
    for _ in range(3):
        label_five(corpus, vera(), measured=0)
    first, *others = Assignment.objects.filter(annotator=vera()).order_by("pk")
    assert len(others) == 3

    def last(task: Assignment, seconds: int) -> None:
        begun_at = timezone.now() + timedelta(hours=task.pk)
        closed_at = begun_at + timedelta(seconds=seconds)
        Assignment.objects.filter(pk=task.pk).update(created_at=begun_at, closed_at=closed_at)

    last(first, 60)
    for other in others:
        last(other, 10)
    (wage,) = wages(corpus)
    assert (wage.pieces, wage.doubts) == (20, [])
    assert wage.hours == pytest.approx((60 + 3 * 10) / 3600)
    last(others[0], 3600)
    (wage,) = wages(corpus)
    assert wage.hours == pytest.approx((60 + 5 * 50 + 2 * 10) / 3600), "as long as the measured piece"


def test_no_entry_holds_more_than_the_most(corpus):
    label_five(corpus, vera(), measured=5)
    pay(vera(), cents=1, key="more", corpus=corpus)
    Question.objects.update(seconds=3600)
    Assignment.objects.update(created_at=timezone.now() - timedelta(days=30), closed_at=timezone.now())
    BatchItem.objects.update(active_ms=36_000_000)
    (wage,) = wages(corpus)
    assert wage.missing_cents(100_000) == 50 * 100_000 - 26
    assert chosen([wage], 100_000, [wage.code]) == []
    with pytest.raises(IntegrityError, match="top_up_is_bounded"):
        LedgerEntry.objects.create(
            user=vera(), corpus=corpus, kind="topup", cents=MOST_TOP_UP_CENTS + 1, reason="too much", key="k"
        )


def test_a_floor_that_is_no_number_is_named_and_tops_nobody_up(corpus, client):
    label_five(corpus, vera(), measured=5)
    client.force_login(rosa())
    page = client.post(reverse("pay", args=["small"]), {"floor": "nine"})
    assert page.status_code == 422
    assert "Enter a number" in page.content.decode()
    assert vera().ledger.total_cents() == 25


def test_an_empty_corpus_says_why_there_is_nothing(client, db):
    make_corpus()
    client.force_login(rosa())
    assert "Nobody has earned anything" in client.get(reverse("pay", args=["small"])).content.decode()


def test_the_floor_of_the_corpus_file_is_the_one_to_begin_with(corpus, client):
    label_five(corpus, vera(), measured=5)
    corpus.hourly_floor_cents = 900
    corpus.save()
    client.force_login(rosa())
    address = reverse("pay", args=["small"])
    below = html.fromstring(client.get(reverse("corpus-overview", args=["small"])).content).xpath(
        "//a[@href=$to]", to=f"{address}?sort=-missing#people"
    )
    assert [link.text_content() for link in below] == ["1 of 1"]
    assert "Below $9.00" in client.get(address).content.decode()
    assert "Below" not in client.get(address, {"floor": ""}).content.decode(), (
        "a floor that was emptied is none"
    )
    charts = figures_of(client, "pay", "corpora/small")
    assert "less than $9.00" in charts[0]["title"]


def test_annotators_do_not_see_it(corpus, client):
    client.force_login(vera())
    assert client.get(reverse("pay", args=["small"])).status_code == 403


def test_more_people_ask_no_more_of_the_database(corpus, django_assert_num_queries):
    for who in (ana(), vera(), stan()):
        label_five(corpus, who, measured=5)
    with django_assert_num_queries(2):
        assert len(wages(corpus)) == 3


def test_of_a_large_corpus_a_worker_counts_and_a_top_up_counts_anew(corpus, client, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    label_five(corpus, vera(), measured=5)
    client.force_login(rosa())
    address, question = reverse("pay", args=["small"]), corpus.questions.get()

    def on_page(**query: str) -> tuple[str, list[str]]:
        page = html.fromstring(client.get(address, query).content)
        return page.text_content(), [
            each.text_content() for each in page.xpath("//table//th[@scope='row']/a")
        ]

    def count() -> None:
        cached.carry_out(statistics_id=CachedStatistics.objects.waiting().get().pk)

    text, people = on_page()
    assert "not counted yet" in text
    assert "Approve $0.25" in text
    assert people == []
    assert client.get(address, {"as": "csv"}).content.decode().splitlines()[1].startswith(vera().code)
    assert cached.stale_overviews(timezone.now(), cached.Kind.WAGES) == [question]
    assert client.post(address, {"what": "wages"}).status_code == 302
    assert "waiting for a worker" in on_page()[0]
    part = client.get(address, {"part": "wages"})
    assert 'hx-get="?part=wages"' in part.content.decode()
    count()
    assert "HX-Refresh" in client.get(address, {"part": "wages"})
    assert on_page(floor="9")[1] == [vera().code]
    label_five(corpus, stan(), measured=5)
    assert on_page(floor="9")[1] == [vera().code]
    sent = {"floor": "9", "do": "pay", "annotator": [vera().code, stan().code]}
    shown = client.post(address, {**sent, "do": "show"})
    assert shown.context["chosen_cents"] == 100, "what is paid is counted now"
    assert client.post(address, {**sent, "cents": 100}).status_code == 302
    count()
    assert sorted(on_page(floor="9")[1]) == sorted([vera().code, stan().code])
    charts = figures_of(client, "pay", "corpora/small")
    assert charts[0]["rows"][0]["people"] == 2


def test_the_page_of_a_large_corpus_reads_no_work(corpus, client, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    cached.store(question=corpus.questions.get(), kind=cached.Kind.WAGES)
    client.force_login(rosa())
    with CaptureQueriesContext(connection) as captured:
        client.get(reverse("pay", args=["small"]), {"floor": "9"})
    asked = [query["sql"] for query in captured.captured_queries]
    assert not [sql for sql in asked if "batchitem" in sql or "writingsignals" in sql]


def test_an_upheld_pair_costs_what_its_writing_was_paid_by_the_share_upheld(corpus):
    """Of three pairs of a task, 30 seconds in all, two have all labels, and one of these the author's as gold label."""
    write_one(corpus, vera(), ms=MINUTE // 2)
    question = Question.objects.get(corpus=corpus, is_main=True)
    label = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    written = {pair.author_label: pair for pair in Pair.objects.filter(corpus=corpus, author=vera())}
    for letters in ("eeecc", "cnnnn"):
        pair = written[label[letters[0]]]
        vote(pair, question, letters[1:], first=2)
        add_label(
            question,
            pair,
            pair.author_label,
            position=1,
            origin="author",
            annotator=vera(),
            cast_at=timezone.now(),
        )
    found = bias_of(question, "author")
    row = next(each for each in found["groups"] if each["group"] in (None, vera().code))
    assert (row["upheld"]["share"], row["upheld"]["pairs"], row["upheld"]["no_gold"]) == (0.5, 2, 0)
    assert (row["tasks"], row["minutes"], row["cents"]) == (1, pytest.approx(0.5), 10)
    shown = FIGURES["bias-upheld"].table(Counted(question, found), by="author")
    assert {each["cents"] for each in shown.rows if each["cents"]} == {20}
