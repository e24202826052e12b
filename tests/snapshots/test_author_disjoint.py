"""On request, no author of a pair of test has a pair in train."""

import json

import pytest

from collection.models import Pair, Premise
from nli.lines import PARTITIONS
from snapshots.files.hashes import content_sha256, file_sha256, manifest_sha256
from snapshots.freezing.partition import TRAIN, WROTE_TEST, plan
from snapshots.freezing.plan import plan_freeze
from snapshots.freezing.premise_groups import Row
from snapshots.models import Snapshot
from snapshots.verify import verify
from tests.cast import person
from tests.commands import run
from tests.made_once import made_once
from tests.snapshots.material import (
    add_pair,
    add_premise,
    corpus_of,
    folder,
    freeze,
    lines,
    manifest,
    published_pair,
    where,
)
from validation.models import Label

pytestmark = pytest.mark.django_db


def write_as(name: str, premise: Premise) -> None:
    """Gives the premise's pairs another author than Ana."""
    author = person(name)
    Label.objects.filter(premise=premise, origin="author").update(author=author, annotator=author)
    Label.objects.filter(premise=premise).update(author=author)
    premise.pairs.update(author=author)


@made_once
def corpus():
    """Makes a corpus in which eight people wrote for three premises each."""
    corpus = corpus_of(24, dev=6, test=6)
    for number, premise in enumerate(corpus.premises.order_by("pk")):
        write_as(f"writer{number % 8}", premise)
    return corpus


def authors(snapshot, partition):
    return {line["author"] for line in lines(snapshot, partition)}


def test_without_the_option_authors_of_test_are_in_train_too(corpus):
    snapshot = freeze(corpus)
    assert authors(snapshot, "test") & authors(snapshot, "train")
    assert manifest(snapshot)["author_disjoint"] is False


def test_with_it_they_are_not_and_what_they_wrote_for_train_is_counted(corpus):
    shown = plan_freeze(corpus, author_disjoint=True).plan
    snapshot = freeze(corpus, author_disjoint=True)
    assert not authors(snapshot, "test") & authors(snapshot, "train")
    told = manifest(snapshot)
    assert {part: told["partitions"][part]["pairs"] for part in ("dev", "test")} == {"dev": 6, "test": 6}
    assert told["left_out"] == shown.left_out
    left_out = told["left_out"][WROTE_TEST]["fiction"]
    assert left_out > 0
    assert told["pairs"] + left_out == 72
    assert shown.total == told["pairs"]
    assert verify(folder(snapshot)).findings == []


def test_few_people_fill_test_so_that_much_is_left_to_train_on(corpus):
    """Test needs six pairs, which are two of the three premises that one person wrote for."""
    chosen = plan_freeze(corpus, author_disjoint=True).plan
    assert len(chosen.test_authors) <= 2


def test_whatever_the_seed_no_author_of_test_is_in_train():
    for seed in range(20):
        assert_no_author_of_test_is_in_train(seed)


def assert_no_author_of_test_is_in_train(seed: int) -> None:
    rows = [
        Row(f"group {number}", "fiction", 2, validated=number % 3 > 0, author=1 + (number * 7 + seed) % 11)
        for number in range(60)
    ]
    told = plan(rows, seed=seed, dev_per_genre=8, test_per_genre=8, author_disjoint=True)
    again = plan(list(reversed(rows)), seed=seed, dev_per_genre=8, test_per_genre=8, author_disjoint=True)
    assert told == again
    wrote: dict[str, set[int | None]] = {part: set() for part in PARTITIONS}
    for row in rows:
        part = told.place_of(row.group)
        if not (part == TRAIN and row.author in told.test_authors):
            wrote[part].add(row.author)
    assert told.pairs["test"] == {"fiction": 8}
    assert wrote["test"] == told.test_authors
    assert not wrote["test"] & wrote["train"]
    assert sum(told.left_out[WROTE_TEST].values()) + told.total == 120


def test_a_growing_corpus_moves_no_pair_and_stays_disjoint(corpus):
    first = freeze(corpus, author_disjoint=True)
    before = where(first)
    tester = Pair.objects.filter(author__code__in=authors(first, "test")).earliest("pk").author
    late = add_premise(corpus, "A later line by somebody of test.")
    write_as(tester.username, late)
    write_as("writer0", add_premise(corpus, "Another later line."))
    second = freeze(corpus, author_disjoint=True)
    after = where(second)
    assert second.version == 1 or {name: after[name] for name in before} == before
    assert not {pair.public_id for pair in late.pairs.all()} & set(after)


def test_shortages_are_named_in_the_plan(corpus):
    corpus.test_pairs_per_genre = 100
    corpus.save()
    told = plan_freeze(corpus, author_disjoint=True).plan
    assert any("test, fiction:" in str(each) and "of 100 pairs" in str(each) for each in told.shortages)


def test_published_partitions_stay_and_the_plan_says_what_that_means(corpus, rosa, browser_of):
    writer = person("writer0")
    for partition in ("train", "test"):
        premise = add_premise(corpus, f"Published in {partition}.", validated=False)
        premise.pairs.all().delete()
        for number in range(2):
            published_pair(
                corpus,
                premise,
                "neutral",
                partition,
                f"{partition}-{number}",
                author=writer,
                author_label="neutral",
            )
    told = plan_freeze(corpus, author_disjoint=True).plan
    assert told.published_by_test_authors == 2
    assert {"train-0", "train-1"} <= set(where(freeze(corpus, author_disjoint=True)))
    corpus.name = "Small, again"
    corpus.save()
    page = browser_of(rosa).get(f"/snapshots/freeze/{corpus.slug}/plan/?author_disjoint=on").content.decode()
    assert "2 pairs of the published train are by authors of test" in page


def test_the_page_plans_and_freezes_it(corpus, rosa, browser_of):
    browser = browser_of(rosa)
    page = browser.get(f"/snapshots/freeze/{corpus.slug}/plan/?author_disjoint=on&seed=3").content.decode()
    assert "who wrote pairs of test." in page
    assert '<input type="hidden" name="author_disjoint" value="True"' in page
    browser.post(f"/snapshots/freeze/{corpus.slug}/", {"seed": "3", "author_disjoint": "True"})
    assert Snapshot.objects.get().author_disjoint is True


def test_command_and_rest_take_the_option(corpus, rosa, api_of):
    told = run("freeze_snapshot", "small", "--author-disjoint", "--json").json
    assert not authors(Snapshot.objects.get(), "test") & authors(Snapshot.objects.get(), "train")
    assert told["partitions"]["test"] == 6
    add_premise(corpus, "New.")
    answer = api_of(rosa).post("/api/v1/snapshots/", {"corpus": "small", "author_disjoint": True})
    assert (answer.status_code, answer.json()["author_disjoint"]) == (202, True)


def test_the_checker_finds_an_author_of_test_in_train(corpus):
    path = folder(freeze(corpus, author_disjoint=True))
    tester = json.loads((path / "test.jsonl").read_bytes().splitlines()[0])["author"]
    first, *others = (path / "train.jsonl").read_bytes().splitlines(keepends=True)
    line = json.loads(first) | {"author": tester}
    (path / "train.jsonl").write_bytes(json.dumps(line, sort_keys=True).encode() + b"\n" + b"".join(others))
    told = json.loads((path / "manifest.json").read_bytes())
    told["files"]["train.jsonl"] |= {
        "sha256": file_sha256(path / "train.jsonl"),
        "bytes": (path / "train.jsonl").stat().st_size,
    }
    told["sha256"] = content_sha256({file: entry["sha256"] for file, entry in told["files"].items()})
    told["manifest_sha256"] = manifest_sha256(told)
    (path / "manifest.json").write_text(json.dumps(told))
    assert [finding.text for finding in verify(path).findings] == [
        f"the author {tester!r} also wrote pairs of test"
    ]


def test_a_pair_without_an_author_is_kept(corpus):
    premise = corpus.premises.earliest("pk")
    nameless = add_pair(premise, "n", "Nobody's.")
    Pair.objects.filter(pk=nameless.pk).update(author=None)
    Label.objects.filter(pair=nameless).delete()
    snapshot = freeze(corpus, author_disjoint=True)
    assert where(snapshot).get(nameless.public_id, "train") == "train"
