"""Statistics that take too long for a page: requested, computed by a worker, shown with their date."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from jobs import claims
from tests.commands import run
from tests.jobs.material import claim_elsewhere, silence, sweep
from tests.validation.large_corpus import count_all, labelled_question, large_question  # noqa: F401  (fixtures)
from validation import tasks
from validation.gold.queries import adjudication_queue
from validation.models import CachedStatistics, Label, Question
from validation.statistics import cached
from validation.statistics.cached import Kind, carry_out, current, current_agreement, request_statistics
from validation.statistics.vote_patterns import DIMENSIONS

pytestmark = pytest.mark.django_db


def test_a_small_corpus_is_counted_on_the_spot_and_nothing_is_kept(question, rosa, browser_of):
    assert "unanimous gold label" in browser_of(rosa).get("/corpora/small/agreement/").content.decode()
    page = browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    assert question.judgements.first().annotator.code in page
    assert "Count" not in page.split("Reliability models")[0]
    assert not CachedStatistics.objects.exists()


def test_a_large_corpus_shows_nothing_until_a_worker_has_counted_and_then_since_when(large, rosa, browser_of):
    browser = browser_of(rosa)
    page = browser.get("/corpora/small/agreement/?by=validator").content.decode()
    assert "not counted yet" in page
    assert "unanimous gold label" not in page

    assert (
        browser.post("/corpora/small/agreement/?by=validator").url == "/corpora/small/agreement/?by=validator"
    )
    assert "waiting for a worker" in browser.get("/corpora/small/agreement/?by=validator").content.decode()
    before = timezone.now()
    count_all()
    page = browser.get("/corpora/small/agreement/?by=validator").content.decode()
    assert "unanimous gold label" in page
    hours = [f"{moment:%Y-%m-%dT%H}" for moment in (before, timezone.now())]  # one, unless an hour just ends
    assert any(f'as of <time datetime="{hour}' in page for hour in hours)
    assert "Count again" in page
    # Another dimension has not been counted by that.
    assert "not counted yet" in browser.get("/corpora/small/agreement/?by=week").content.decode()


@pytest.mark.parametrize("by", ["", *DIMENSIONS])
def test_what_is_kept_is_what_is_counted_on_the_spot(question, monkeypatch, by):
    spot, _ = current_agreement(question, by)
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 20)
    assert current_agreement(question, by)[0] is None
    request_statistics(question=question, kind=Kind.AGREEMENT, by=by)
    count_all()
    kept, row = current_agreement(question, by)
    assert kept == spot
    assert kept.as_csv() == spot.as_csv()
    assert row.made_at is not None


def test_kept_figures_stay_until_they_are_counted_anew(large):
    request_statistics(question=large, kind=Kind.ANNOTATORS)
    count_all()
    first, _ = current(large, Kind.ANNOTATORS)
    Label.objects.filter(position=5).update(
        withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded"
    )
    assert current(large, Kind.ANNOTATORS)[0] == first
    request_statistics(question=large, kind=Kind.ANNOTATORS)
    count_all()
    assert len(current(large, Kind.ANNOTATORS)[0]) == len(first) - 1


def test_what_an_older_version_of_the_software_kept_is_not_shown(large, monkeypatch, rosa, browser_of):
    request_statistics(question=large, kind=Kind.AGREEMENT, by="genre")
    count_all()
    monkeypatch.setattr(cached, "VERSION", cached.VERSION + 1)
    page = browser_of(rosa).get("/corpora/small/agreement/").content.decode()
    assert "unanimous gold label" not in page
    assert "Count again" in page


def test_what_another_version_counted_is_counted_again_without_a_request(
    large, monkeypatch, rosa, browser_of
):
    for kind in (Kind.ANNOTATORS, Kind.PAIRWISE):
        request_statistics(question=large, kind=kind)
    count_all()
    monkeypatch.setattr(cached, "VERSION", cached.VERSION + 1)
    browser = browser_of(rosa)
    page = browser.get("/corpora/small/annotators/").content.decode()
    assert "a worker computes them again" in page
    assert "label counts yet" not in page
    assert cached.outdated().count() == 2
    tasks.refresh_statistics()
    count_all()
    assert not cached.outdated().exists()
    page = browser.get("/corpora/small/annotators/").content.decode()
    assert "a worker computes them again" not in page
    assert "5 annotators." in page


def test_asking_twice_is_one_request_and_a_lost_message_is_swept_up(large):
    first = request_statistics(question=large, kind=Kind.PAIRWISE)
    assert request_statistics(question=large, kind=Kind.PAIRWISE).requested_at == first.requested_at
    assert current(large, Kind.PAIRWISE)[0] is None
    sweep()
    assert len(current(large, Kind.PAIRWISE)[0]) == 10


def test_a_request_that_nobody_takes_up_says_that_a_worker_is_missing(large, rosa, browser_of):
    request_statistics(question=large, kind=Kind.AGREEMENT, by="genre")
    browser = browser_of(rosa)
    assert "No worker has claimed it" not in browser.get("/corpora/small/agreement/").content.decode()
    CachedStatistics.objects.update(queued_at=timezone.now() - timedelta(minutes=3))
    assert "No worker has claimed it" in browser.get("/corpora/small/agreement/").content.decode()
    claim_elsewhere(CachedStatistics)
    assert "No worker has claimed it" not in browser.get("/corpora/small/agreement/").content.decode()


def test_a_count_tells_how_far_it_is_and_the_page_shows_it(large, monkeypatch, rosa, browser_of):
    monkeypatch.setattr(claims, "REPORT_EVERY", timedelta(0))
    browser, seen = browser_of(rosa), []

    def counting(question, by, progress):
        for part in (0, 0.4, 0.9):
            progress(part)
            page = browser.get(f"/corpora/small/agreement/?by={by}&part=agreement").content.decode()
            seen.append(next(word for word in page.split() if word.endswith("%")))
        return "done"

    monkeypatch.setitem(cached.COMPUTE, Kind.AGREEMENT, counting)
    request_statistics(question=large, kind=Kind.AGREEMENT, by="week")
    assert "waiting for a worker" in browser.get("/corpora/small/agreement/?by=week").content.decode()
    count_all()
    assert seen == ["0%", "40%", "90%"]
    # What htmx asks for then makes it load the whole page anew.
    assert browser.get("/corpora/small/agreement/?by=week&part=agreement")["HX-Refresh"] == "true"


@pytest.mark.parametrize("kind", [Kind.AGREEMENT, Kind.MODELS])
def test_agreement_and_the_models_tell_their_progress_from_start_to_end(question, kind):
    told: list[float] = []
    cached.COMPUTE[kind](question, "genre" if kind == Kind.AGREEMENT else "", told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert 0.5 < told[-1] <= 1
    assert len(told) > 3


@pytest.mark.parametrize(
    ("kind", "address", "form"),
    [
        (Kind.MODELS, "/corpora/small/annotators/", {"what": "models", "do": "stop"}),
        (Kind.AGREEMENT, "/corpora/small/agreement/?by=genre", {"what": "agreement", "do": "stop"}),
    ],
)
def test_a_count_that_is_stopped_ends_and_what_was_kept_stays(
    large, monkeypatch, rosa, browser_of, kind, address, form
):
    monkeypatch.setattr(claims, "REPORT_EVERY", timedelta(0))
    by = "genre" if kind == Kind.AGREEMENT else ""
    kept = cached.store(question=large, kind=kind, by=by)
    browser, steps = browser_of(rosa), []
    honest = cached.COMPUTE[kind]

    def stopped_soon(question, by, progress):
        def tell(part):
            steps.append(part)
            if len(steps) == 3:
                assert "Stop the count" in browser.get(address).content.decode()
                browser.post(address, form)
            progress(part)

        return honest(question, by, tell)

    monkeypatch.setitem(cached.COMPUTE, kind, stopped_soon)
    request_statistics(question=large, kind=kind, by=by)
    count_all()
    assert len(steps) == 3  # it went no further
    row = CachedStatistics.objects.get(kind=kind)
    assert (row.status, row.claimed_by, row.error) == ("idle", "", "")
    assert (row.content, row.made_at) == (kept.content, kept.made_at)
    assert "Count again" in browser.get(address).content.decode()


def test_a_request_that_is_withdrawn_before_a_worker_comes_is_not_carried_out(large):
    request_statistics(question=large, kind=Kind.PAIRWISE)
    assert cached.cancel_request(question=large, kind=Kind.PAIRWISE)
    assert not cached.cancel_request(question=large, kind=Kind.PAIRWISE)
    carry_out(statistics_id=CachedStatistics.objects.get().pk)
    assert CachedStatistics.objects.get().content == ""


def test_a_worker_that_was_taken_for_dead_leaves_the_count_to_the_next(large, monkeypatch):
    """Its statistics would be older than those of the worker that has claimed the request since."""
    monkeypatch.setattr(claims, "REPORT_EVERY", timedelta(0))
    row = request_statistics(question=large, kind=Kind.PAIRWISE)
    honest = cached.COMPUTE[Kind.PAIRWISE]

    def slow(question, by, progress):
        monkeypatch.setitem(cached.COMPUTE, Kind.PAIRWISE, honest)
        silence(CachedStatistics)
        carry_out(statistics_id=row.pk)
        return "too late"

    monkeypatch.setitem(cached.COMPUTE, Kind.PAIRWISE, slow)
    carry_out(statistics_id=row.pk)
    assert len(current(large, Kind.PAIRWISE)[0]) == 10


def test_what_a_command_computed_is_stored_and_the_worker_keeps_its_count(large):
    request_statistics(question=large, kind=Kind.PAIRWISE)
    claim_elsewhere(CachedStatistics)
    cached.store(question=large, kind=Kind.PAIRWISE)
    row = CachedStatistics.objects.get()
    assert (row.status, bool(row.claimed_by)) == ("working", True)
    assert len(current(large, Kind.PAIRWISE)[0]) == 10


def test_what_a_command_computed_ends_a_request_that_no_worker_has(large):
    request_statistics(question=large, kind=Kind.PAIRWISE)
    row = cached.store(question=large, kind=Kind.PAIRWISE)
    assert (row.status, row.progress) == ("idle", "")
    assert not CachedStatistics.objects.under_way().exists()


def test_what_a_command_computed_after_a_change_is_not_called_older_than_it(large, monkeypatch):
    cached.store(question=large, kind=Kind.PAIRWISE)
    cached.mark_stale(corpus=large.corpus)
    assert CachedStatistics.objects.get().is_stale
    assert not cached.store(question=large, kind=Kind.PAIRWISE).is_stale
    honest = cached.COMPUTE[Kind.PAIRWISE]

    def changed_meanwhile(question, by, progress):
        cached.mark_stale(corpus=large.corpus)
        return honest(question, by, progress)

    monkeypatch.setitem(cached.COMPUTE, Kind.PAIRWISE, changed_meanwhile)
    before = timezone.now()
    row = cached.store(question=large, kind=Kind.PAIRWISE)
    assert row.is_stale
    assert before < row.made_at < timezone.now()


def test_what_another_worker_counts_is_left_to_it_until_it_must_be_dead(large):
    row = request_statistics(question=large, kind=Kind.PAIRWISE)
    claim_elsewhere(CachedStatistics)
    carry_out(statistics_id=row.pk)
    assert current(large, Kind.PAIRWISE)[0] is None
    silence(CachedStatistics)
    carry_out(statistics_id=row.pk)
    assert current(large, Kind.PAIRWISE)[0]


def test_a_count_that_fails_says_so_and_what_was_kept_stays(large, monkeypatch, rosa, browser_of):
    request_statistics(question=large, kind=Kind.ANNOTATORS)
    count_all()

    def broken(question, by, progress):
        raise RuntimeError("a secret address")

    monkeypatch.setitem(cached.COMPUTE, Kind.ANNOTATORS, broken)
    request_statistics(question=large, kind=Kind.ANNOTATORS)
    count_all()
    page = browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    assert "The software failed (RuntimeError)" in page
    assert "a secret address" not in page
    assert large.judgements.first().annotator.code in page
    assert "Count again" in page


def test_the_dashboard_shows_what_is_kept_of_a_large_corpus_and_since_when(
    large, monkeypatch, rosa, browser_of
):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    page = browser_of(rosa).get("/admin/").content.decode()
    assert "A worker will count this corpus soon" in page
    tasks.refresh_statistics()
    count_all()
    with CaptureQueriesContext(connection) as asked:
        page = browser_of(rosa).get("/admin/").content.decode()
    assert "<strong>40</strong> with all labels" in page
    assert re.search(rf"counted <time [^>]*>{timezone.now():%-d %b %Y}, ", page)
    assert not [query for query in asked.captured_queries if "WITH pairs" in query["sql"]]


def test_a_glance_is_counted_anew_when_labels_came_and_some_time_has_passed(large, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    now = timezone.now()
    assert cached.stale_agreement(now) == [large]
    tasks.refresh_statistics()
    count_all()
    later = now + timedelta(hours=1)
    assert cached.stale_agreement(later) == []
    Label.objects.filter(pk=Label.objects.first().pk).update(cast_at=now + timedelta(minutes=1))
    assert cached.stale_agreement(now + timedelta(minutes=2)) == []
    assert cached.stale_agreement(later) == [large]
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1000)
    assert cached.stale_agreement(later) == []  # the page counts it by itself
    assert cached.dashboard_agreement(large)[1] is None


def test_only_researchers_ask_for_figures(large, vera, browser_of):
    for address in (
        "/corpora/small/annotators/",
        "/corpora/small/agreement/",
        "/api/v1/corpora/small/agreement/",
    ):
        assert browser_of(vera).post(address).status_code == 403
    assert not CachedStatistics.objects.exists()


def test_the_models_are_fitted_by_a_worker_at_the_press_of_a_button(question, rosa, browser_of, monkeypatch):
    fitted = {
        "labels": 200,
        "pairs": 40,
        "differs": {"dawid_skene": 3, "mace": 1},
        "annotators": {each.code: {"dawid_skene": 0.5, "mace": 0.25} for each in cached.annotators(question)},
    }
    monkeypatch.setattr(cached, "fit_models", lambda question, progress: fitted)
    browser = browser_of(rosa)
    assert (
        "Dawid-Skene and MACE: not counted yet" in browser.get("/corpora/small/annotators/").content.decode()
    )
    browser.post("/corpora/small/annotators/", {"what": "models"})
    assert [row.kind for row in CachedStatistics.objects.all()] == ["models"]
    assert "MACE: waiting for a worker" in browser.get("/corpora/small/annotators/").content.decode()
    count_all()
    page = browser.get("/corpora/small/annotators/").content.decode()
    assert "gives another label for 3, MACE for 1" in page
    assert page.count('<td class="number">0.25</td>') == 5
    assert run("quality", "small", json=True).json["models"]["differs"] == {"dawid_skene": 3, "mace": 1}


def test_models_of_one_person_say_on_the_page_what_they_need(question, rosa, browser_of):
    Label.objects.exclude(position=1).delete()
    browser_of(rosa).post("/corpora/small/annotators/", {"what": "models"})
    count_all()
    page = browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    assert "A model needs labels of at least two annotators" in page


def test_the_pages_of_figures_ask_the_database_a_few_questions(
    large, rosa, browser_of, django_assert_max_num_queries
):
    browser = browser_of(rosa)
    browser.post("/corpora/small/annotators/")
    browser.post("/corpora/small/agreement/")
    count_all()
    for address in ("/corpora/small/annotators/", "/corpora/small/agreement/"):
        browser.get(address)
        with django_assert_max_num_queries(14):
            browser.get(address)


def test_the_pairs_that_wait_for_a_decision_are_counted_with_agreement(large, monkeypatch):
    """Also counts a pair with fewer labels than seats, which is in no share of agreement."""
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 20)
    Question.objects.update(gold_rule="adjudicated")
    large.refresh_from_db()
    pair = large.judgements.first().pair
    Label.objects.filter(pair=pair, position__gt=2).delete()
    for position, label in ((1, "entailment"), (2, "contradiction")):
        Label.objects.filter(pair=pair, position=position).update(label=label)
    assert pair in adjudication_queue(large)
    assert cached.waiting_for_decision(large) is None
    request_statistics(question=large, kind=Kind.AGREEMENT)
    count_all()
    assert cached.waiting_for_decision(large) == adjudication_queue(large).count() > 0
