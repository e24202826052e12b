"""Researchers' pages about snapshots: plan, freeze, progress, files."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import html

from snapshots.freezing.job import request_freeze
from snapshots.freezing.plan import plan_freeze
from snapshots.models import Snapshot
from tests.charted import charts_in
from tests.corpora import make_corpus
from tests.jobs.material import work
from tests.made_once import made_once
from tests.snapshots.material import add_genre, add_premise, corpus_of, folder, freeze
from validation.statistics import cached

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@made_once
def corpus():
    return corpus_of(6)


def text(response) -> str:
    return " ".join(response.content.decode().split())


def test_the_list_without_a_corpus_says_what_to_do(browser):
    assert "manage.py load_corpus" in text(browser.get("/snapshots/"))


def test_the_list_shows_corpora_with_their_snapshots(browser, corpus):
    assert "No snapshots yet." in text(browser.get("/snapshots/"))
    snapshot = freeze(corpus)
    page = text(browser.get("/snapshots/"))
    assert f'href="/snapshots/{snapshot.pk}/">small@1' in page
    assert 'href="/snapshots/freeze/small/plan/"' in page


def test_the_plan_shows_what_would_go_where_and_writes_nothing(browser, corpus):
    add_genre(corpus, "letters", in_training=False)
    for number in range(3):
        add_premise(corpus, f"Dear {number},", genre="letters")
    corpus.test_pairs_per_genre = 30
    corpus.save()
    page = text(browser.get("/snapshots/freeze/small/plan/"))
    assert "Freeze 27 pairs" in page
    assert "test, Fiction: 15 of 30 pairs; no other whole group has all its labels and comes nearer" in page
    assert "A premise keeps its partition from its first snapshot on" in page
    assert not Snapshot.objects.exists()


def test_page_rest_and_command_say_what_would_be_empty_before_it_is_frozen(browser, corpus, capsys):
    corpus.dev_pairs_per_genre, corpus.test_pairs_per_genre = 0, 30
    corpus.save()
    add_genre(corpus, "letters", in_training=False)
    corpus.genres.update(in_training=False)
    said = plan_freeze(corpus).warnings
    assert [each.split(":")[0] for each in said] == ["train would be empty", "dev would be empty"]
    page = text(browser.get("/snapshots/freeze/small/plan/"))
    figure = browser.get("/api/v1/corpora/small/figures/plan-contents").json()
    call_command("freeze_snapshot", "small")
    command = capsys.readouterr().err
    for each in said:
        assert each in html.fromstring(page).text_content()
        assert each in figure["notes"]
        assert each in command
    assert not plan_freeze(corpus_of(3, slug="whole")).warnings
    assert (
        plan_freeze(corpus_of(1, slug="one", test=0))
        .warnings[1]
        .endswith("(test_pairs_per_genre = 0). Ask for some there if you want it.")
    )


def test_the_page_comes_before_the_plan_of_a_large_corpus(browser, corpus, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 1)
    page = html.fromstring(browser.get("/snapshots/freeze/small/plan/").content)
    assert page.xpath("//label[@for='id_seed']")
    assert not page.get_element_by_id("plan", None)
    address = page.xpath("//a[.='Show the plan']/@href")[0]
    assert address == page.xpath("//*[@hx-trigger='load']/@hx-get")[0]
    plan = html.fromstring(browser.get(address).content).get_element_by_id("plan")
    assert "Freeze 18 pairs" in plan.text_content()


def test_the_plan_says_what_is_left_out(browser, corpus):
    add_genre(corpus, "letters", in_training=False)
    add_premise(corpus, "Dear friend,", genre="letters", validated=False)
    assert "3 pairs, of genres that are not in training" in text(browser.get("/snapshots/freeze/small/plan/"))


def test_the_plan_of_an_empty_corpus_says_so(browser):
    make_corpus(slug="empty")
    page = text(browser.get("/snapshots/freeze/empty/plan/"))
    assert "empty has no pairs to freeze" in page
    assert "button-primary" not in page


def test_a_plan_that_cannot_be_says_why(browser, corpus):
    page = text(browser.get("/snapshots/freeze/small/plan/?seed=1&dev_from_train=3"))
    assert "no published train partition to hold premises out of" in page


def test_a_seed_that_is_no_number_is_said_at_the_field(browser, corpus):
    page = text(browser.get("/snapshots/freeze/small/plan/?seed=x&dev_from_train=0"))
    assert "Enter a whole number." in page


def test_freezing_leads_to_the_page_with_its_progress(browser, corpus, sent, rosa):
    answer = browser.post("/snapshots/freeze/small/", {"seed": "4", "dev_from_train": "0"}, follow=True)
    snapshot = Snapshot.objects.get()
    assert answer.redirect_chain == [(f"/snapshots/{snapshot.pk}/", 302)]
    assert sent == [snapshot.pk]
    assert (snapshot.seed, snapshot.requested_by) == (4, rosa)
    page = text(answer)
    assert "The freeze is under way: waiting for a worker." in page
    assert 'hx-trigger="every 2s"' in page


def test_freezing_twice_leads_to_the_one_under_way(browser, corpus, sent):
    browser.post("/snapshots/freeze/small/", {})
    answer = browser.post("/snapshots/freeze/small/", {}, follow=True)
    assert "A freeze of small is under way" in text(answer)
    assert len(sent) == 1


def test_a_refused_freeze_shows_the_plan_again_with_the_reason(browser, corpus):
    answer = browser.post("/snapshots/freeze/small/", {"seed": "0", "dev_from_train": "2"})
    assert answer.status_code == 422
    assert "no published train partition" in text(answer)


def test_the_state_stops_asking_when_it_is_frozen(browser, corpus):
    snapshot = request_freeze(corpus=corpus)
    assert "every 2s" in text(browser.get(f"/snapshots/{snapshot.pk}/state/"))
    work(snapshot)
    page = text(browser.get(f"/snapshots/{snapshot.pk}/state/"))
    assert "every 2s" not in page
    assert f'href="/snapshots/{snapshot.pk}/files/train.jsonl"' in page


def test_a_freeze_that_nobody_takes_up_says_that_no_worker_is_there(browser, corpus):
    snapshot = request_freeze(corpus=corpus)
    assert "No worker has claimed it" not in text(browser.get(f"/snapshots/{snapshot.pk}/"))
    Snapshot.objects.update(queued_at=timezone.now() - timedelta(minutes=2))
    assert "No worker has claimed it" in text(browser.get(f"/snapshots/{snapshot.pk}/"))


def test_a_freeze_that_found_nothing_new_leads_back_to_the_list(browser, corpus):
    freeze(corpus)
    again = request_freeze(corpus=corpus)
    work(again)
    answer = browser.get(f"/snapshots/{again.pk}/state/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == "/snapshots/"
    assert "Nothing has changed since an earlier snapshot" in text(browser.get("/snapshots/"))


def test_the_page_of_a_frozen_snapshot_has_hashes_partitions_and_agreement(browser, corpus):
    snapshot = freeze(corpus)
    page = text(browser.get(f"/snapshots/{snapshot.pk}/"))
    assert snapshot.sha256 in page
    assert all(file.sha256 in page for file in snapshot.files.all())
    assert (
        f'<a href="/snapshots/{snapshot.pk}/pairs/?source=voted">18 pairs</a>: the votes decided the gold label'
        in page
    )
    assert "100.0%" in page
    assert "58.3%" in page
    assert "Share of pairs whose labels" in page


def test_what_is_in_a_snapshot_is_drawn_by_genre_and_partition(browser, corpus):
    snapshot = freeze(corpus)
    address = f"/snapshots/{snapshot.pk}/"
    page = browser.get(address).content
    chart = charts_in(page)["contents"]
    counted = snapshot.read_manifest()["partitions"]
    for row in chart["rows"]:
        slug = corpus.genres.get(name=row["genre"]).slug
        for part in chart["draw"]["series"]:
            assert row[part] == counted[part]["genres"].get(slug, 0)
    assert chart["title"].startswith(f"{snapshot.pair_count:,} pairs of ")
    assert browser.get(f"/api/v1{address}figures/snapshot-contents", {"as": "csv"}).content.startswith(
        b"genre,"
    )
    assert "Fleiss’ kappa, Definitely correct" in page.decode()


def test_the_plan_is_drawn_too(browser, corpus):
    plan = f"/snapshots/freeze/{corpus.slug}/plan/"
    drawn = charts_in(browser.get(plan).content)["contents"]
    links: Any = html.fromstring(browser.get(plan, {"seed": "3"}).content).xpath(
        "//p[@class='chart-files']/a"
    )
    file = browser.get(f"{plan}{links[0].get('href')}").content.decode().splitlines()
    assert (file[0].split(",")[0], len(file)) == ("genre", len(drawn["rows"]) + 1)


def test_the_page_of_a_failed_freeze_says_why(browser, corpus):
    snapshot = request_freeze(corpus=corpus)
    Snapshot.objects.update(status="failed", error="The files could not be written: No space left on device.")
    page = text(browser.get(f"/snapshots/{snapshot.pk}/"))
    assert "No space left on device." in page
    assert "Plan the freeze again" in page


def test_a_lost_manifest_is_said_on_the_page(browser, corpus):
    snapshot = freeze(corpus)
    (folder(snapshot) / "manifest.json").unlink()
    assert "The manifest cannot be read on the server" in text(browser.get(f"/snapshots/{snapshot.pk}/"))


def test_files_are_downloaded_with_the_session(browser, corpus):
    snapshot = freeze(corpus)
    answer = browser.get(f"/snapshots/{snapshot.pk}/files/train.jsonl")
    assert answer.getvalue() == (folder(snapshot) / "train.jsonl").read_bytes()
    assert browser.get(f"/snapshots/{snapshot.pk}/files/nothing").status_code == 404


def test_a_torn_file_is_a_page_with_a_sentence(browser, corpus):
    snapshot = freeze(corpus)
    (folder(snapshot) / "train.jsonl").write_bytes(b"")
    answer = browser.get(f"/snapshots/{snapshot.pk}/files/train.jsonl")
    assert answer.status_code == 503
    assert "train.jsonl of small@1 is incomplete" in text(answer)


def test_annotators_see_none_of_it(browser_of, stan, corpus):
    snapshot = freeze(corpus)
    browser = browser_of(stan)
    for path in (
        "",
        "freeze/small/plan/",
        f"{snapshot.pk}/",
        f"{snapshot.pk}/state/",
        f"{snapshot.pk}/files/train.jsonl",
    ):
        assert browser.get(f"/snapshots/{path}").status_code == 403
    assert browser.post("/snapshots/freeze/small/").status_code == 403


def test_strangers_are_asked_to_sign_in(client, corpus):
    assert client.get("/snapshots/").url.startswith("/sign-in/")


def test_freezing_takes_a_post(browser, corpus):
    assert browser.get("/snapshots/freeze/small/").status_code == 405


def queries(browser, path) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert browser.get(path).status_code == 200
    return len(captured)


def test_pages_ask_as_many_queries_for_a_larger_corpus(browser, corpus):
    snapshot = freeze(corpus)
    paths = ["/snapshots/", "/snapshots/freeze/small/plan/", f"/snapshots/{snapshot.pk}/"]
    few = [queries(browser, path) for path in paths]
    for number in range(20):
        add_premise(corpus, f"More {number}.")
    larger = freeze(corpus)
    corpus_of(2, slug="another")
    paths[2] = f"/snapshots/{larger.pk}/"
    assert [queries(browser, path) for path in paths] == few


def test_the_dashboards_list_links_to_the_page_and_edits_nothing(browser, corpus):
    snapshot = freeze(corpus)
    page = text(browser.get("/admin/snapshots/snapshot/"))
    assert f'href="/snapshots/{snapshot.pk}/"' in page
    assert browser.get("/admin/snapshots/snapshot/add/").status_code == 403
