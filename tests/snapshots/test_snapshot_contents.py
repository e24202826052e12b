"""What a snapshot contains besides labels: soft labels, sources, times of work, withdrawals."""

import json

import pytest
from django.utils import timezone

from collection.models import Pair, Premise, Source
from nli.manifest import FORMATS
from snapshots.files.hashes import content_sha256, file_sha256, manifest_sha256
from snapshots.verify import verify
from tests.made_once import made_once
from tests.snapshots.material import (
    add_pair,
    add_premise,
    corpus_of,
    folder,
    freeze,
    label_pair,
    lines,
    manifest,
    published_pair,
)
from validation.models import Label

pytestmark = pytest.mark.django_db


@made_once
def corpus():
    return corpus_of(4, dev=0, test=0)


def line_of(snapshot, pair):
    return next(line for line in lines(snapshot, "train") if line["pairID"] == pair.public_id)


def reseal(path, name):
    """Updates the hashes, so that the checker finds only errors of content."""
    told = json.loads((path / "manifest.json").read_bytes())
    told["files"][name] |= {"sha256": file_sha256(path / name), "bytes": (path / name).stat().st_size}
    told["sha256"] = content_sha256({file: entry["sha256"] for file, entry in told["files"].items()})
    told["manifest_sha256"] = manifest_sha256(told)
    (path / "manifest.json").write_text(json.dumps(told))


def test_soft_labels_are_the_shares_of_the_votes(corpus):
    split, alone = (
        add_pair(Premise.objects.earliest("pk"), "e", text) for text in ("Split.", "Never asked again.")
    )
    label_pair(split, "eenec")
    published = published_pair(corpus, split.premise, "neutral", "train", "came-with-a-label")
    snapshot = freeze(corpus)
    told = line_of(snapshot, split)["label_distribution"]
    assert told == {"entailment": 0.6, "neutral": 0.2, "contradiction": 0.2}
    assert "label_distribution" not in line_of(snapshot, alone), "one label distributes nothing"
    assert "label_distribution" not in line_of(snapshot, published)
    assert verify(folder(snapshot)).ok


def test_the_checker_finds_a_soft_label_that_does_not_follow_from_the_votes(corpus):
    path = folder(freeze(corpus))
    text = (path / "train.jsonl").read_text()
    assert '"entailment": 1.0' in text
    (path / "train.jsonl").write_text(text.replace('"entailment": 1.0', '"entailment": 0.8', 1))
    reseal(path, "train.jsonl")
    assert ["label_distribution does not follow" in finding.text for finding in verify(path).findings] == [
        True
    ]


def test_a_snapshot_of_an_earlier_version_without_these_still_verifies_and_shows(corpus, rosa, browser_of):
    snapshot = freeze(corpus)
    path = folder(snapshot)
    older = [json.loads(line) for line in (path / "train.jsonl").read_bytes().splitlines()]
    for line in older:
        del line["label_distribution"]
    (path / "train.jsonl").write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in older))
    told = json.loads((path / "manifest.json").read_bytes())
    told["format"] = FORMATS[0]
    for key in ("provenance", "times", "withdrawn"):
        del told[key]
    (path / "manifest.json").write_text(json.dumps(told))
    reseal(path, "train.jsonl")
    assert verify(path).findings == []
    browser = browser_of(rosa)
    assert browser.get(f"/snapshots/{snapshot.pk}/").status_code == 200
    assert browser.get(f"/snapshots/{snapshot.pk}/datasheet.md").status_code == 200


def test_the_manifest_names_the_files_that_premises_and_pairs_came_from(corpus):
    source = Source.objects.create(corpus=corpus, name="stories.txt", sha256="f" * 64, licence="CC0-1.0")
    Source.objects.create(corpus=corpus, name="unused.txt", sha256="e" * 64)
    Premise.objects.filter(pk__in=list(Premise.objects.values_list("pk", flat=True)[:3])).update(
        source=source
    )
    Pair.objects.filter(pk=Pair.objects.earliest("pk").pk).update(source=source)
    assert manifest(freeze(corpus))["provenance"] == [
        {
            "file": "stories.txt",
            "sha256": "f" * 64,
            "licence": "CC0-1.0",
            "imported_on": timezone.now().date().isoformat(),
            "premises": 3,
            "pairs": 1,
        }
    ]


def test_the_manifest_has_the_days_of_the_work_here_and_none_for_what_was_imported(corpus):
    Pair.objects.update(created_at="2026-03-01T23:00Z")
    Pair.objects.filter(pk=Pair.objects.latest("pk").pk).update(created_at="2026-03-09T01:00Z")
    Label.objects.filter(origin="cast").update(cast_at="2026-04-02T12:00Z")
    assert manifest(freeze(corpus))["times"] == {
        "written": ["2026-03-01", "2026-03-09"],
        "labelled": ["2026-04-02", "2026-04-02"],
    }
    Label.objects.update(origin="imported")
    Pair.objects.update(author=None, author_label=None)
    corpus.name = "Small, imported"
    corpus.save()
    assert manifest(freeze(corpus))["times"] == {"written": None, "labelled": None}


def test_the_manifest_says_what_was_withdrawn_and_why_but_never_the_text(corpus):
    kept_before, never_out = (
        add_premise(corpus, text).pairs.earliest("pk") for text in ("Private matters.", "Never frozen.")
    )
    late = add_pair(never_out.premise, "n", "Secret hypothesis.", published_partition=None)
    Pair.objects.filter(pk__in=[late.pk]).update(
        withdrawn_at=timezone.now(), withdrawn_because="pilot of the prompt"
    )
    freeze(corpus)
    Pair.objects.filter(pk=kept_before.pk).update(
        withdrawn_at=timezone.now(), withdrawn_because="its author was excluded"
    )
    label = Label.objects.filter(pair=never_out, position=5)
    label.update(withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded", position=None)
    second = freeze(corpus)
    told = manifest(second)["withdrawn"]
    assert told == {
        "pairs": {"its author was excluded": 1, "pilot of the prompt": 1},
        "labels": {"its annotator was excluded": 1},
        "of_earlier_snapshots": [{"pairID": kept_before.public_id, "because": "its author was excluded"}],
    }
    text = (second.folder / "manifest.json").read_text()
    assert kept_before.hypothesis not in text
    assert late.hypothesis not in text


def test_the_page_and_the_datasheet_tell_it(corpus, rosa, browser_of):
    gone = add_premise(corpus, "Private matters.").pairs.earliest("pk")
    freeze(corpus)
    Pair.objects.filter(pk=gone.pk).update(
        withdrawn_at=timezone.now(), withdrawn_because="its author was excluded"
    )
    snapshot, browser = freeze(corpus), browser_of(rosa)
    page = browser.get(f"/snapshots/{snapshot.pk}/").content.decode()
    assert "1 pair withdrawn before: its author was excluded" in page
    assert "1 pair of earlier snapshots is withdrawn" in page
    told = browser.get(f"/snapshots/{snapshot.pk}/datasheet.md").content.decode()
    assert "- Withdrawn pairs: 1 (its author was excluded)." in told
    assert "- Labelled from" in told
