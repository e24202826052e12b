"""`import_pairs` and the page draw partitions for corpora without votes: 80:10:10, by group, with the seed."""

import json
from collections import Counter
from pathlib import Path

import pytest

from annotation_site.intake.jobs import work
from collection.models import Pair, PairImportJob
from tests.commands import run, write_jsonl
from validation.models import Label

pytestmark = pytest.mark.django_db

DRAWN = "all other pairs 80:10:10, drawn by group with seed 0"
LEFT = "pairs without one have none, as votes decide what may be dev or test"


def labelled(number: int, **more: object) -> dict[str, object]:
    return {"premise": f"Text {number}.", "hypothesis": "So.", "label": "neutral", **more}


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    return write_jsonl(path, map(json.dumps, rows))


@pytest.fixture
def published(tmp_path) -> Path:
    return written(tmp_path / "pairs.jsonl", [labelled(n, group=f"g{n // 2}") for n in range(200)])


def places() -> Counter[str | None]:
    return Counter(Pair.objects.values_list("published_partition", flat=True))


def test_without_votes_groups_are_drawn_and_the_report_says_so(published) -> None:
    looked = run("import_pairs", "here", published, format="jsonl", dry_run=True, json=True).json
    found = run("import_pairs", "here", published, format="jsonl")
    assert (found.failure, found.err) == ("", "")
    assert f"({looked['split']})" in found.out
    assert DRAWN in looked["split"]
    assert looked["partitions"] == dict(places())
    assert 140 <= places()["train"] <= 175
    assert places()["dev"] + places()["test"] == 200 - places()["train"]
    groups = Pair.objects.values_list("premise__group", "published_partition").distinct()
    assert len(groups) == 100
    assert not Label.objects.exists()


def test_the_same_file_changes_nothing_whatever_the_seed_and_whenever_it_came_in(published) -> None:
    run("import_pairs", "here", published, format="jsonl", split="none")
    assert places() == {None: 200}
    for options in ({}, {"seed": 7}, {"split": "50:25:25"}):
        again = run("import_pairs", "here", published, format="jsonl", json=True, **options).json
        assert (again["pairs"], again["skipped"], again["refused_count"]) == (0, 200, 0)
    assert places() == {None: 200}


def test_a_choice_is_followed_and_a_wrong_one_explained(published) -> None:
    run("import_pairs", "one", published, format="jsonl", partition="test")
    run("import_pairs", "two", published, format="jsonl", split="100:0:0")
    assert places() == {"test": 200, "train": 200}
    run("import_pairs", "three", published, format="jsonl", split="50:25:25")
    assert 30 < Pair.objects.filter(corpus__slug="three", published_partition="dev").count() < 70
    assert (
        "write the percent" in run("import_pairs", "here", published, format="jsonl", split="1:2:3").failure
    )


def test_the_partition_of_a_line_stays(tmp_path) -> None:
    rows = [labelled(n, part="test" if n < 20 else "") for n in range(60)]
    path = written(tmp_path / "pairs.jsonl", rows)
    found = run("import_pairs", "here", path, format="jsonl", columns=["partition=part"], json=True).json
    assert set(found["partitions"]) == {"train", "dev", "test"}
    named = Pair.objects.filter(premise__line__lte=20)
    assert set(named.values_list("published_partition", flat=True)) == {"test"}


@pytest.mark.parametrize("options", [{"open": True}, {"unlabelled": True}, {"labels": "author"}])
def test_pairs_that_people_are_to_label_wait_for_the_freeze(published, options) -> None:
    found = run("import_pairs", "here", published, format="jsonl", json=True, **options).json
    assert found["split"].endswith(LEFT)
    assert places() == {None: 200}


def test_votes_anywhere_in_the_files_or_the_corpus_leave_the_parts_to_the_freeze(tmp_path, published) -> None:
    late = [labelled(n) for n in range(2100)]
    late[-1]["labels"] = ["neutral"] * 5
    votes = written(tmp_path / "votes.jsonl", late)
    found = run("import_pairs", "here", published, votes, format="jsonl", json=True).json
    assert found["split"].endswith(LEFT)
    more = written(tmp_path / "more.jsonl", [labelled(5000)])
    assert run("import_pairs", "here", more, format="jsonl", json=True).json["split"].endswith(LEFT)
    assert set(places()) == {None}


def test_the_page_draws_and_says_the_same(browser, published, settings, sent) -> None:
    settings.INCOMING_ROOT.mkdir(parents=True, exist_ok=True)
    (settings.INCOMING_ROOT / "pairs.jsonl").write_text(published.read_text())
    told = run("import_pairs", "other", published, format="jsonl", json=True).json
    form = {"file": "pairs.jsonl", "corpus": "here", "how": "jsonl"}
    for do in ("look", "import"):
        assert browser.post("/imports/new/", {**form, "do": do}).status_code == 302
        job = PairImportJob.objects.get(pk=sent.pop())
        work(job.pk)
        job.refresh_from_db()
        assert job.report["partitions"] == told["partitions"]
        page = browser.get(f"/imports/{job.pk}/").text
        assert DRAWN in page
        assert f"train ({told['partitions']['train']})" in page
    mine, theirs = (Pair.objects.filter(corpus__slug=slug) for slug in ("here", "other"))
    keys = ("public_id", "published_partition")
    assert set(mine.values_list(*keys)) == set(theirs.values_list(*keys))
