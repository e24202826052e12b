"""The leak audit: comparisons of parts are jobs, which a page, REST and the command ask for, and a worker counts once."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from lxml import html

from annotation_site.workspace.waiting import waiting
from jobs import claims
from jobs.claims import InOtherHands
from modeling.models import LeakAudit
from modeling.reports import leak_audits, leaks
from modeling.reports.leak_audits import (
    NothingToCompare,
    audits_of,
    carry_out_audit,
    count_here,
    request_audits,
    stop_audits,
)
from modeling.reports.overviews import overview
from snapshots.files.reading import DamagedFiles
from snapshots.models import Snapshot
from tests.commands import run as command
from tests.concurrency.threads import at_once
from tests.corpora import make_premises
from tests.jobs.material import age, claim_elsewhere, silence, sweep, work
from tests.made_once import made_once
from tests.modeling.material import small_snapshot
from tests.modeling.test_overviews import rows_of
from tests.snapshots.material import corpus_of, freeze, published_pair

pytestmark = pytest.mark.django_db
LONG = "A long line with some dozen words of which all but the very last remain as they are in the {}"
PAIRS = {  # corpus -> (id, partition, premise, hypothesis)
    "mine": [
        ("seen", "train", "A dog runs.", "It moves."),
        ("same", "test", "A DOG runs.", "It moves."),
        ("premise", "test", "A dog runs.", "Nothing of the kind."),
        ("hypothesis", "test", "Nobody knows.", "It moves."),
        ("new", "test", LONG.format("end"), "Words."),
    ],
    "other": [("near", "train", LONG.format("ending"), "Words.")],
}


def frozen_pairs(slug: str) -> Snapshot:
    corpus = corpus_of(0, slug=slug, dev=0, test=0)
    texts = dict.fromkeys(premise for _, _, premise, _ in PAIRS[slug])
    places = {text: make_premises(corpus, [text])[0] for text in texts}
    for name, part, premise, hypothesis in PAIRS[slug]:
        published_pair(corpus, places[premise], "neutral", part, name, hypothesis=hypothesis)
    return Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)


@made_once
def made():
    return small_snapshot(6), frozen_pairs("other")


@pytest.fixture
def snapshot(made):
    """Has three parts, so three comparisons."""
    return made[0]


@pytest.fixture
def other(made):
    """Has one part."""
    return made[1]


def address(snapshot: Snapshot, what: str = "") -> str:
    return f"/snapshots/{snapshot.pk}/tables/leaks/{what}"


def page_of(browser, snapshot, query=""):
    answer = browser.get(address(snapshot) + query)
    assert answer.status_code == 200
    return html.fromstring(answer.content)


def button(page, text):
    return page.xpath(f"//main//button[text()='{text}']")


def damage(snapshot: Snapshot) -> None:
    path = snapshot.folder / "train.jsonl"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-20])


def test_what_two_parts_have_in_common_is_counted():
    mine, theirs = frozen_pairs("mine"), frozen_pairs("other")
    count_here([mine], lambda text: None)
    (row,) = rows_of(overview("leaks", [mine], "test", 50))
    assert row == {
        "part": "mine@1 test",
        "compared with": "mine@1 train",
        "pairs": 4,
        "same pair": 1,
        "same premise": 2,
        "same hypothesis": 2,
        "same prompt": 1,
        "same group": 0,
        "near duplicates": 0,
        "such as": "",
    }
    count_here([mine, theirs], lambda text: None)
    rows = {row["part"]: row for row in rows_of(overview("leaks", [mine, theirs], "test", 50))}
    assert set(rows) == {"mine@1 train", "mine@1 test"}
    found = rows["mine@1 test"]
    assert (found["near duplicates"], found["such as"], found["same pair"]) == (1, "new and near", 0)


def test_the_command_counts_what_is_missing_and_tells_how_far_it_is(snapshot, monkeypatch):
    monkeypatch.setattr(claims, "REPORT_EVERY", timedelta(0))
    monkeypatch.setattr(leaks, "TOLD_EVERY", 1)
    first, *_ = request_audits([snapshot])
    done = carry_out_audit(first.pk).finished_at
    told = command("report", "small@1", "leaks")
    assert "small@1 test" in told.out
    assert "Counted comparisons" not in told.out
    assert told.err.count("Counting small@1") == 2
    assert "small@1 train: 1 of 12 pairs read" in told.err
    assert told.err.count("small@1 train: 1 of") == 1, "a part is read once"
    assert "looking for near duplicates" in told.err
    assert {row.status for row in audits_of([snapshot]).rows} == {"done"}
    first.refresh_from_db()
    assert first.finished_at == done
    again = command("report", "small@1", "leaks")
    assert (again.out, again.err) == (told.out, "")


def test_progress_goes_from_nothing_to_the_whole(snapshot, monkeypatch):
    monkeypatch.setattr(leaks, "TOLD_EVERY", 1)
    shares = []
    monkeypatch.setattr(claims.Claim, "report", lambda claim, text, share=0: shares.append(share))
    carry_out_audit(request_audits([snapshot])[0].pk)
    assert shares == sorted(shares)
    assert (shares[0], 0.95 < shares[-1] <= 1) == (0, True)


def test_the_page_asks_a_worker_shows_its_progress_and_then_the_counts(browser, snapshot, sent):
    page = page_of(browser, snapshot)
    assert button(page, "Count them")
    assert not page.xpath("//*[@id='audits']/@hx-get")
    assert not LeakAudit.objects.exists()
    for _ in range(2):
        assert browser.post(address(snapshot, "count/")).url == address(snapshot)
    assert set(sent) == set(LeakAudit.objects.values_list("pk", flat=True))
    page = page_of(browser, snapshot)
    assert page.xpath("//*[@id='audits']/@hx-get") == [address(snapshot)]
    assert "Counted comparisons: 0 of 3." in page.text_content()
    assert "Waiting for a worker" in page.text_content()
    assert not button(page, "Count them")
    one, two, three = LeakAudit.objects.order_by("pk")
    work(one)
    claims.claim(LeakAudit, two.pk, progress="reading")
    LeakAudit.objects.filter(pk=two.pk).update(share=0.5)
    page = page_of(browser, snapshot)
    assert "Counted comparisons: 1 of 3." in page.text_content()
    assert f"{two} (reading)" in page.text_content()
    assert page.xpath("//progress/@value") == ["50"]
    assert len(page.xpath("//tbody/tr")) == 1
    silence(LeakAudit)
    work(two)
    work(three)
    page = page_of(browser, snapshot)
    assert len(page.xpath("//tbody/tr")) == 3
    assert not page.xpath("//*[@id='audits']/@hx-get | //main//form[@method='post']")


def test_further_snapshots_stay_chosen(browser, snapshot, other, sent):
    query = "?with=other%401"
    assert button(page_of(browser, snapshot, query), "Count them")
    answer = browser.post(address(snapshot, f"count/{query}"))
    assert answer.url == address(snapshot) + query
    assert len(sent) == 3
    assert button(page_of(browser, snapshot, query), "Stop the count")
    assert browser.post(address(snapshot, f"stop/{query}")).url == address(snapshot) + query
    assert not LeakAudit.objects.under_way().exists()
    assert "small@1 dev with other@1 train" in {str(row) for row in LeakAudit.objects.all()}


def test_a_count_that_is_stopped_keeps_what_is_done_and_goes_on_when_asked(browser, snapshot, sent, rosa):
    rows = request_audits([snapshot])
    work(rows[0])
    browser.post(address(snapshot, "stop/"))
    page = page_of(browser, snapshot)
    (error,) = page.xpath("//p[@class='error']")
    assert error.text_content().startswith(f"Stopped by {rosa.code}. What was counted stays")
    assert "Counted comparisons: 1 of 3." in page.text_content()
    assert len(page.xpath("//tbody/tr")) == 1
    again = browser.post(address(snapshot, "stop/"), follow=True).content.decode()
    assert "Nothing is being counted any more" in again
    browser.post(address(snapshot, "count/"))
    assert sorted(sent) == sorted(row.pk for row in rows[1:])
    for row in rows[1:]:
        work(row)
    assert [row.status for row in audits_of([snapshot]).rows] == ["done"] * 3


def test_a_worker_whose_count_was_stopped_writes_nothing(snapshot, rosa, monkeypatch):
    row = request_audits([snapshot])[0]
    real = leak_audits.compared

    def stopped(*arguments):
        assert stop_audits([snapshot], by=rosa)
        return real(*arguments)

    monkeypatch.setattr(leak_audits, "compared", stopped)
    with pytest.raises(InOtherHands):
        carry_out_audit(row.pk)
    row.refresh_from_db()
    assert (row.status, row.data) == ("failed", None)


def test_what_a_lost_worker_began_another_ends(snapshot):
    request_audits([snapshot])
    claim_elsewhere(LeakAudit)
    age(LeakAudit)
    sweep()
    assert LeakAudit.objects.filter(status="working").count() == 3
    silence(LeakAudit)
    sweep()
    assert LeakAudit.objects.filter(status="done").count() == 3


def test_a_damaged_file_is_named_once_and_what_does_not_need_it_is_counted(browser, snapshot, other, sent):
    damage(other)
    count_here([snapshot], lambda text: None)
    browser.post(address(snapshot, "count/?with=other@1"))
    for pk in sent:
        work(LeakAudit.objects.get(pk=pk))
    page = page_of(browser, snapshot, "?with=other@1")
    (error,) = page.xpath("//p[@class='error']")
    assert "train.jsonl of other@1 was changed or is incomplete. Restore the folder" in error.text_content()
    assert button(page, "Count them")
    assert ("small", "3 leak audits failed in the last week in small") in {
        (each.slug, each.sentence) for each in waiting()
    }
    assert "was changed or is incomplete" in command("report", "small@1", "other@1", "leaks").failure
    with pytest.raises(DamagedFiles):
        count_here([snapshot, other], lambda text: None)
    (other.folder / "train.jsonl").unlink()
    assert "train.jsonl of other@1 is missing" in command("report", "small@1", "other@1", "leaks").failure
    (other.folder / "manifest.json").unlink()
    assert "manifest.json of other@1 is missing" in command("report", "small@1", "other@1", "leaks").failure


@pytest.mark.parametrize("have", ["pairs in train alone", "no pairs"])
def test_where_there_is_nothing_to_compare_a_sentence_says_so(browser, api_of, rosa, other, have):
    if have == "no pairs":
        other.files.exclude(name="manifest.json").delete()
    sentence = f"other@1 has {have}, so there is nothing to compare. Choose a further snapshot."
    page = page_of(browser, other)
    assert page.xpath(f'//p[@class="notice" and text()="{sentence}"]')
    assert not page.xpath("//main//form[@method='post']")
    assert sentence in browser.post(address(other, "count/"), follow=True).content.decode()
    refused = api_of(rosa).post(f"/api/v1/snapshots/{other.pk}/leaks/")
    assert (refused.status_code, refused.json()["detail"]) == (422, sentence)
    assert sentence in command("report", "other@1", "leaks").out
    with pytest.raises(NothingToCompare):
        request_audits([other])


def test_scripts_ask_poll_stop_and_read_the_counts(api_of, rosa, ana, snapshot, other, sent):
    api, rest = api_of(rosa), f"/api/v1/snapshots/{snapshot.pk}/leaks/"
    assert api.get(rest).json() == []
    asked = api.post(f"{rest}?with=other@1")
    assert asked.status_code == 202
    assert {(row["other"], row["other_partition"], row["status"]) for row in asked.json()} == {
        ("other@1", "train", "requested")
    }
    assert api.get(rest).json() == []
    assert len(sent) == 3
    stopped = api.post(f"{rest}stop/?with=other@1")
    assert stopped.status_code == 202
    assert {row["status"] for row in stopped.json()} == {"failed"}
    api.post(f"{rest}?with=other@1")
    for pk in set(sent):
        work(LeakAudit.objects.get(pk=pk))
    told = api.get(f"{rest}?with=other@1").json()
    assert [(row["partition"], row["counts"]["pairs"]) for row in told] == [
        ("train", 12),
        ("dev", 3),
        ("test", 3),
    ]
    assert api.post(f"{rest}?with=none@1").status_code == 422
    assert api_of(ana).post(rest).status_code == 403


def test_the_page_costs_a_few_queries_for_any_number_of_comparisons(browser, snapshot, other):
    count_here([snapshot, other], lambda text: None)
    with CaptureQueriesContext(connection) as asked:
        page_of(browser, snapshot, "?with=other@1")
    assert sum("leakaudit" in query["sql"] for query in asked) == 2


def test_the_database_keeps_counts_and_status_together_and_each_comparison_once(snapshot):
    one, two, _ = request_audits([snapshot])
    for change in (
        {"status": "done"},
        {"data": {"pairs": 1}},
        {"partition": "all"},
        {"other_partition": one.partition},
        {"partition": two.partition, "other_partition": two.other_partition},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            LeakAudit.objects.filter(pk=one.pk).update(**change)


def test_other_definitions_are_counted_anew(snapshot, monkeypatch):
    count_here([snapshot], lambda text: None)
    monkeypatch.setattr(leak_audits, "EDITION", leaks.EDITION + 1)
    assert (audits_of([snapshot]).uncounted, audits_of([snapshot]).rows) == (3, [])
    count_here([snapshot], lambda text: None)
    assert LeakAudit.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_two_people_who_ask_at_once_get_the_same_rows():
    snapshot = small_snapshot(6)
    answers = at_once([partial(request_audits, [snapshot])] * 4)
    assert len({tuple(row.pk for row in rows) for rows in answers}) == 1
    assert LeakAudit.objects.count() == 3
