"""Researchers import and recast by pages: the first rows, a proposed map, a look, then the import as a job."""

import json
import shutil
from pathlib import Path

import pytest

from annotation_site.intake.jobs import work
from collection.models import Corpus, Pair, PairImportJob
from tests.annotation_site.test_recast import REVIEWS
from tests.cast import rosa, vera
from tests.commands import write_jsonl

pytestmark = pytest.mark.django_db


@pytest.fixture
def incoming(settings) -> Path:
    settings.INCOMING_ROOT.mkdir(parents=True, exist_ok=True)
    return settings.INCOMING_ROOT


@pytest.fixture
def browser(browser_of):
    return browser_of(rosa())


@pytest.fixture
def judged(incoming) -> Path:
    rows = [
        {
            "context": f"Text {n}.",
            "sentence2": "So.",
            "judgment": ("yes", "no", "what?")[n % 3 if n < 6 else n % 2],
        }
        for n in range(10)
    ]
    return write_jsonl(incoming / "judged.jsonl", map(json.dumps, rows))


def carried_out(browser, sent: list[int], address: str, form: dict) -> PairImportJob:
    answer = browser.post(address, form)
    assert answer.status_code == 302, answer.text
    job = PairImportJob.objects.get(pk=sent.pop())
    assert answer["Location"] == f"/imports/{job.pk}/"
    work(job.pk, "test")
    job.refresh_from_db()
    return job


def test_only_what_lies_in_the_folder_is_offered_and_only_to_researchers(
    browser, browser_of, incoming, tmp_path
):
    (incoming / "part").mkdir()
    write_jsonl(incoming / "part/a.jsonl", ["{}"])
    (incoming / ".hidden").write_text("x")
    (incoming / "link.jsonl").symlink_to(tmp_path)
    page = browser.get("/imports/").text
    assert "part/a.jsonl" in page
    assert ".hidden" not in page
    assert "link.jsonl" not in page
    for name in ("../secret-key", "/etc/passwd", "link.jsonl", "none"):
        answer = browser.get("/imports/new/", {"file": name})
        assert answer.status_code == 422
        assert "is not in the folder for incoming files" in answer.text
    assert browser_of(vera()).get("/imports/").status_code in (302, 403)


def test_the_first_rows_and_a_map_are_proposed_then_looked_at_then_imported(browser, judged, sent):
    page = browser.get("/imports/new/", {"file": "judged.jsonl"}).text
    assert "What the file says" in page
    assert "what?" in page
    assert "premise=context,hypothesis=sentence2,label=judgment" in page, (
        "columns are proposed where labels are not known"
    )
    form = {
        **{
            "file": "judged.jsonl",
            "corpus": "judged",
            "how": "jsonl",
            "split": "80:10:10",
            "seed": "1",
            "do": "look",
        },
        "columns": "premise=context,hypothesis=sentence2,label=judgment",
        "label_map": "yes=entailed,no=not-entailed",
        "scheme": "entailed2",
    }
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert (seen.status, seen.report["pairs"], seen.report["refused_count"]) == ("done", 8, 2)
    assert not Corpus.objects.exists()
    page = browser.get(f"/imports/{seen.pk}/").text
    assert "8 pairs would go in; nothing was written" in page
    assert "80:10:10, drawn by group with seed 1" in page
    assert "label &quot;what?&quot; is none of entailed, not-entailed" in page
    done = carried_out(browser, sent, f"/imports/{seen.pk}/", {"do": "import"})
    assert (done.status, done.report["pairs"], Pair.objects.count()) == ("done", 8, 8)
    again = carried_out(browser, sent, f"/imports/{done.pk}/", {"do": "import"})
    assert (again.report["pairs"], again.report["skipped"]) == (0, 8)
    assert "8 were there already" in browser.get(f"/imports/{again.pk}/").text


def test_a_recipe_shows_source_rows_beside_what_they_become(browser, incoming, sent):
    names = [shutil.copy(path, incoming) and path.name for path in REVIEWS]
    form = {"file": names, "corpus": "reviews", "how": "recipe:sentiment", "split": "80:10:10", "do": "look"}
    job = carried_out(browser, sent, "/imports/new/", form)
    assert (job.recipe, job.report["pairs"], job.report["rows"]) == ("sentiment", 16, 8)
    page = browser.get(f"/imports/{job.pk}/").text
    assert "recast by sentiment" in page
    assert "<dt>review</dt>" in page
    assert "liked the" in page


def test_what_is_wrong_is_said_before_a_job_is_made(browser, judged):
    form = {"file": "judged.jsonl", "corpus": "a b", "how": "jsonl", "split": "none"}
    for change, words in (
        ({}, "cannot name a corpus"),
        ({"corpus": "a", "split": "1:2"}, "write the percent"),
        ({"corpus": "a", "columns": "text=context"}, "there is no field &quot;text&quot;"),
        ({"corpus": "a", "how": "recipe:none"}, "There is no recipe"),
        ({"corpus": "a", "how": "word"}, "Choose a format or a recipe"),
        ({"corpus": "a", "seed": "one"}, "must be a whole number"),
    ):
        answer = browser.post("/imports/new/", {**form, **change})
        assert answer.status_code == 422
        assert words in answer.text
    assert not PairImportJob.objects.exists()


def test_an_import_that_fails_says_why_and_one_is_stopped_between_portions(
    browser, judged, sent, monkeypatch
):
    form = {"file": "judged.jsonl", "corpus": "judged", "how": "jsonl", "split": "none", "do": "import"}
    form |= {"columns": "premise=context,hypothesis=sentence2,label=judgment", "scheme": "nli3"}
    browser.post("/imports/new/", form)
    waiting = PairImportJob.objects.get(pk=sent.pop())
    assert browser.post(f"/imports/{waiting.pk}/", {"do": "stop"}).status_code == 302
    work(waiting.pk, "test")
    waiting.refresh_from_db()
    assert (waiting.status, waiting.error) == ("failed", "Stopped before it began.")
    form |= {"label_map": "yes=entailment,no=neutral,what?="}
    browser.post("/imports/new/", form)
    job = PairImportJob.objects.get(pk=sent.pop())

    def asked_to_stop(*args: object, **kwargs: object) -> list:
        PairImportJob.objects.filter(pk=job.pk).update(stop_requested=True)
        return []

    with monkeypatch.context() as patch:
        patch.setattr("annotation_site.intake.jobs.samples", asked_to_stop)
        work(job.pk, "test")
    job.refresh_from_db()
    assert job.error.startswith("Stopped. Pairs that were written stay")
    assert "Pairs that were written stay" in browser.get(f"/imports/{job.pk}/").text
    judged.unlink()
    assert browser.post(f"/imports/{job.pk}/", {"do": "import"}).status_code == 422
