"""Parquet, dataset card, Croissant and datasheet, read by the libraries that people use."""

import json
import shutil

import pytest
from django.utils import timezone

from snapshots.exports.croissant import croissant
from snapshots.exports.formats import export
from snapshots.files.datasheet import BLANK, QUESTIONS, blanks, datasheet
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.snapshots.material import add_pair, corpus_of, folder, freeze, label_pair, manifest

pytestmark = [
    pytest.mark.django_db,
    # Warnings of the libraries that read the files, not ours.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    ),
]
LABELS = ["entailment", "neutral", "contradiction"]


@made_once
def snapshot():
    corpus = corpus_of(3, dev=3, test=0, licence="CC BY 4.0", description="Lines of stories.")
    premise = make_premise(corpus, "A line that splits people.")
    label_pair(add_pair(premise, "e", "Nobody agrees about it."), "eennc")
    return freeze(corpus)


@pytest.fixture
def exported(snapshot, tmp_path):
    export(folder(snapshot), str(snapshot), "parquet", tmp_path / "out")
    return tmp_path / "out"


def loaded(path, tmp_path, *config):
    from datasets import load_dataset  # takes seconds

    return load_dataset(str(path), *config, cache_dir=str(tmp_path / "cache"))


def test_datasets_opens_the_folder_with_class_labels(snapshot, exported, tmp_path):
    from datasets import ClassLabel

    pairs = loaded(exported, tmp_path)
    assert set(pairs) == {"train", "dev"}
    assert pairs["train"].features["label"] == ClassLabel(names=LABELS)
    assert pairs.num_rows == {"train": 6, "dev": 3}
    row = pairs["dev"][0]
    assert row["hypothesis"].startswith(f"{LABELS[row['label']]} of: ")
    assert row["annotator_labels"] == [LABELS[row["label"]]] * 5
    assert row["label_distribution"] == [float(index == row["label"]) for index in range(3)]


def test_pairs_without_gold_stand_in_a_configuration_of_their_own(exported, tmp_path):
    undecided = loaded(exported, tmp_path, "no_gold")
    (row,) = [row for part in undecided.values() for row in part]
    assert "label" not in row
    assert row["label_distribution"] == [0.4, 0.4, 0.2]


def test_the_card_names_the_configurations_that_are_there(snapshot, exported, tmp_path):
    assert 'load_dataset("FOLDER", "no_gold")' in (exported / "README.md").read_text()
    other = freeze(corpus_of(4, dev=3, test=0, slug="decided"))
    export(folder(other), str(other), "parquet", tmp_path / "decided")
    card = (tmp_path / "decided" / "README.md").read_text()
    assert 'load_dataset("FOLDER")' in card
    assert "no_gold" not in card
    assert "| `label_distribution` | `seats`: shares of the labels" in card
    assert "extra_label_counts" not in card, "nobody was asked for more labels"


def test_datasets_never_returns_the_pairs_of_another_snapshot(snapshot, exported, tmp_path):
    """Its cache identifies a folder by its name and card; with equal ones it returned the first corpus for ever."""
    assert loaded(exported, tmp_path).num_rows == {"train": 6, "dev": 3}
    other = freeze(corpus_of(4, dev=3, test=0, slug="other"))
    export(folder(other), str(other), "parquet", tmp_path / "elsewhere" / "out")
    assert loaded(tmp_path / "elsewhere" / "out", tmp_path).num_rows == {"train": 9, "dev": 3}
    add_pair(make_premise(other.corpus, "One line more."), "e", "A further pair.")
    again = freeze(other.corpus)
    shutil.rmtree(tmp_path / "elsewhere" / "out")
    export(folder(again), str(again), "parquet", tmp_path / "elsewhere" / "out")
    assert loaded(tmp_path / "elsewhere" / "out", tmp_path).num_rows == {"train": 10, "dev": 3}


def test_a_premise_of_several_sentences_keeps_them(tmp_path):
    corpus = make_corpus(slug="scenes")
    premise = make_premise(corpus, "Two dogs run.\nThey play.", sentence_count=2)
    add_pair(premise, "e", "Dogs move.")
    snapshot = freeze(corpus)
    export(folder(snapshot), str(snapshot), "parquet", tmp_path / "out")
    (row,) = loaded(tmp_path / "out", tmp_path)["train"]
    assert row["premise_sentences"] == ["Two dogs run.", "They play."]


def test_mlcroissant_finds_nothing_wrong_and_reads_the_records(exported):
    import mlcroissant  # takes a second

    dataset = mlcroissant.Dataset(jsonld=exported / "croissant.json")
    assert dataset.metadata.ctx.issues.errors == set()
    assert dataset.metadata.conforms_to[0].endswith("/1.1")
    assert dataset.metadata.annotations_per_item
    records = list(dataset.records(record_set="train"))
    assert len(records) == 6
    assert {record["train/label"] for record in records} == {0, 1, 2}


def test_croissant_tells_sources_times_and_what_is_missing(snapshot, exported):
    import mlcroissant

    told = json.loads((exported / "croissant.json").read_bytes())
    assert told["rai:dataCollectionTimeFrame"] == [timezone.now().date().isoformat()] * 2
    assert told["rai:dataCollectionMissingData"] == "Pairs without a gold label: 1."
    assert "rai:dataCollectionRawData" not in told
    history = {
        "times": {"written": ["2026-01-05", "2026-02-01"], "labelled": ["2026-01-20", "2026-03-09"]},
        "provenance": [{"file": "a.txt", "sha256": "ab", "licence": "", "premises": 1200, "pairs": 0}],
        "left_out": {"awaiting labels": {"fiction": 2, "letters": 1}},
        "withdrawn": {"pairs": {"asked": 4}, "labels": {}},
    }
    told = json.loads(croissant({**manifest(snapshot), **history}, exported, ["train.parquet"]))
    assert told["rai:dataCollectionTimeFrame"] == ["2026-01-05", "2026-03-09"]
    assert (
        told["rai:dataCollectionRawData"] == "a.txt (sha256 ab, licence: not said): 1,200 premises, 0 pairs."
    )
    assert told["rai:dataCollectionMissingData"] == (
        "Pairs without a gold label: 1. Pairs left out (awaiting labels): 3. Withdrawn pairs: 4 (asked)."
    )
    (exported / "croissant.json").write_text(json.dumps(told))
    read = mlcroissant.Dataset(jsonld=exported / "croissant.json").metadata
    assert read.ctx.issues.errors == set()
    assert [moment.date().isoformat() for moment in read.data_collection_timeframe] == [
        "2026-01-05",
        "2026-03-09",
    ]
    assert read.data_collection_raw_data.startswith("a.txt")


def test_two_exports_are_the_same_bytes(snapshot, exported, tmp_path):
    export(folder(snapshot), str(snapshot), "parquet", tmp_path / "again")
    names = sorted(path.name for path in exported.iterdir())
    assert names == [
        "README.md", "croissant.json", "datasheet.md", "dev.parquet", "export.json", "train.parquet", "train_no_gold.parquet"
    ]  # fmt: skip
    for name in names:
        assert (exported / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    listed = json.loads((exported / "export.json").read_bytes())["files"]
    assert set(listed) == set(names) - {"export.json"}


def test_the_datasheet_tells_facts_and_says_what_nobody_answered(snapshot):
    told = datasheet(manifest(snapshot))
    assert "| dev | 3 | 1 | 1 | 1 | 1 | 0 |" in told
    assert "- Licence: CC BY 4.0" in told
    assert f"**{len(QUESTIONS)} of {len(QUESTIONS)} questions are not answered yet.**" in told
    answers = dict.fromkeys(QUESTIONS, "Answered.")
    assert blanks(answers) == {}
    assert BLANK not in datasheet(manifest(snapshot), answers)
    assert blanks({**answers, "uses": "  "}) == {"uses": QUESTIONS["uses"]}


def test_simulated_labels_are_named(snapshot):
    faked = {**manifest(snapshot), "simulated": {"labels": 7, "pairs": 2}}
    assert "Made by a simulated crowd: 7 labels, 2 pairs." in datasheet(faked)
