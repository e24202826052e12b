"""Published corpora are imported completely: every pair, label, person and partition of their files."""

import gzip
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from django.db.models import Count

from collection.models import Corpus, Pair, Premise
from tests.commands import run
from validation.models import Label, Question

pytestmark = pytest.mark.django_db

NO_TROUBLE = {"refused_count": 0, "gold_differs": 0, "skipped": 0, "premise_ids_changed": 0}


def beginning(path: Path, lines: int, folder: Path) -> str:
    """Writes a file with the first lines of another."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        (folder / path.stem).write_text("".join(islice(file, lines)))
    return path.stem


def bring(folder: Path, form: str, *names: str, **options: object) -> dict:
    files = [folder / name for name in names]
    return run("import_pairs", "here", *files, format=form, json=True, **options).json


def trouble(summary: dict) -> dict:
    return {key: summary[key] for key in NO_TROUBLE}


def picked(summary: dict, *keys: str) -> tuple:
    return tuple(summary[key] for key in keys)


@pytest.mark.thorough
def test_mpe_brings_four_captions_five_judgements_and_the_final_label(shared_data):
    summary = bring(shared_data / "mpe", "mpe", "mpe_dev.txt", partition="dev")
    # Ten captions were mended between one item and another.
    assert trouble(summary) == {**NO_TROUBLE, "premise_ids_changed": 10}
    assert picked(summary, "pairs", "labels", "published_labels") == (1000, 5000, 1000)
    assert not summary["keys_not_read"]
    pair = Pair.objects.get(public_id="1")
    assert pair.premise.sentences[2:] == [
        "A woman walking a bike down a busy sidewalk.",
        "A woman carrying her bike through a crowd.",
    ]
    assert (pair.premise.group, pair.published_label) == ("4818829454.jpg", "entailment")
    assert set(Premise.objects.values_list("sentence_count", flat=True)) == {4}
    assert set(Label.objects.values_list("origin", flat=True)) == {"imported"}
    question = Question.objects.get()
    assert question.wording == "Can the scene be described by the sentence?"
    assert [each.wording for each in question.label_wordings.all()] == ["Yes", "Unknown", "No"]


@pytest.mark.thorough
def test_the_line_of_mpe_with_spaces_for_a_tab_is_read(shared_data):
    bring(shared_data / "mpe", "mpe", "mpe_dev.txt")
    pair = Pair.objects.get(hypothesis="Ballet dancer dances on a stage.")
    votes = Counter(Label.objects.filter(pair=pair).values_list("label", flat=True))
    assert votes == {"entailment": 1, "neutral": 1, "contradiction": 3}
    assert pair.published_label == "contradiction"


@pytest.mark.thorough
def test_lingnli_brings_people_and_counts_the_pairs_that_their_authors_validated(shared_data):
    summary = bring(shared_data / "lingnli", "lingnli", "val_base.jsonl.gz")
    assert trouble(summary) == {**NO_TROUBLE, "premise_ids_changed": 1}
    assert picked(summary, "pairs", "fewer_labels", "self_validated") == (2478, 2, 659)
    with gzip.open(shared_data / "lingnli" / "val_base.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    found: dict[str, list] = {}
    stored = Label.objects.order_by("position").values_list("pair__public_id", "label", "annotator__code")
    for public_id, label, code in stored:
        found.setdefault(public_id, []).append((label, code.removeprefix("here:")))
    in_file = [list(zip(row["annotator_labels"], row["annotator_ids"], strict=True)) for row in rows]
    assert sorted(found.values()) == sorted(in_file)
    assert {name.partition("~")[0] for name in found} == {row["pairID"] for row in rows}


def test_lingnli_train_has_the_authors_label_and_the_author(shared_data, tmp_path):
    name = beginning(shared_data / "lingnli" / "train_LotS.jsonl.gz", 500, tmp_path)
    summary = bring(tmp_path, "lingnli", name, partition="train")
    assert trouble(summary) == NO_TROUBLE
    assert picked(summary, "pairs", "author_labels", "labels") == (500, 500, 0)
    assert not Pair.objects.filter(author=None).exists()


def test_chaosnli_has_five_labels_that_decide_and_a_hundred_behind_them(shared_data, tmp_path):
    name = beginning(shared_data / "chaosnli" / "chaosNLI_snli.jsonl", 100, tmp_path)
    summary = bring(tmp_path, "chaosnli", name)
    assert trouble(summary) == NO_TROUBLE
    assert picked(summary, "pairs", "more_labels") == (100, 100)
    assert summary["labels"] == Label.objects.counted().count() + 100 * 100
    later = Label.objects.filter(pair__public_id="24467676.jpg#1r1e", position__gt=5)
    assert Counter(later.values_list("label", flat=True)) == {"entailment": 98, "contradiction": 2}
    counted = Label.objects.counted().filter(pair__public_id="24467676.jpg#1r1e").order_by("position")
    assert [label.label[0] for label in counted] == ["e", "n", "n", "e", "e"]
    assert Premise.objects.filter(group="24467676.jpg").exists()


@pytest.mark.thorough
def test_klue_is_korean_with_six_sources(shared_data):
    summary = bring(shared_data / "klue_nli_dev", "klue", "klue-nli-v1.1_dev_part.json", partition="dev")
    assert trouble(summary) == NO_TROUBLE
    assert picked(summary, "pairs", "labels", "keys_not_read") == (1929, 1929 * 5, {})
    assert Corpus.objects.get().language == "ko"
    genres = dict(Pair.objects.values_list("premise__genre__name").annotate(Count("pk")))
    assert genres == {
        "airbnb": 378,
        "NSMC": 369,
        "policy": 306,
        "wikitree": 300,
        "wikinews": 294,
        "wikipedia": 282,
    }


@pytest.mark.thorough
def test_semi_automatic_nli_leaves_out_labels_that_nobody_could_give(shared_data):
    folder = shared_data / "semi_automatic_nli"
    summary = bring(folder, "semi-automatic-nli", "base_wiki_test.jsonl", partition="test")
    assert summary["refused_count"] == 0
    assert (summary["pairs"], summary["labels"]) == (234, 234 * 5 - 9)
    train = bring(folder, "semi-automatic-nli", "base_wiki_train.jsonl", partition="train")
    assert picked(train, "pairs", "author_labels", "labels") == (2740, 2740, 0)
    assert Pair.objects.filter(author__code="here:w128").exists()


@pytest.mark.thorough
def test_sick_keeps_the_partitions_that_its_lines_name(shared_data):
    summary = bring(shared_data / "sick", "sick", "SICK.txt.gz")
    assert trouble(summary) == NO_TROUBLE
    assert picked(summary, "pairs", "published_labels") == (9840, 9840)
    partitions = Counter(Pair.objects.values_list("published_partition", flat=True))
    assert partitions == {"train": 4439, "dev": 495, "test": 4906}
    labels = Counter(Pair.objects.values_list("published_label", flat=True))
    assert labels == {"neutral": 5595, "entailment": 2821, "contradiction": 1424}


def test_a_line_of_another_partition_is_refused(shared_data, tmp_path):
    name = beginning(shared_data / "sick" / "SICK.txt.gz", 60, tmp_path)
    summary = bring(tmp_path, "sick", name, partition="test", partly=True)
    assert summary["pairs"] + summary["refused_count"] == 59
    assert set(Pair.objects.values_list("published_partition", flat=True)) == {"test"}
    assert "the pair belongs to train, not to test" in {each["reason"] for each in summary["refused"]}


@pytest.mark.thorough
def test_dnc_keeps_pairs_of_one_source_sentence_together(shared_data):
    folder = shared_data / "dnc"
    files = ("train/recast_verbnet_data.json", "dev/recast_sentiment_data.json")
    summary = bring(folder, "dnc", *files)
    assert trouble(summary) == NO_TROUBLE
    assert picked(summary, "pairs", "published_labels") == (1998, 1998)
    assert summary["keys_not_read"] == {"binary-label": 1998, "label-set": 1998}
    corpus = Corpus.objects.get()
    assert (corpus.scheme, corpus.protocol) == ("entailed2", "recast")
    assert Counter(Pair.objects.values_list("published_partition", flat=True)) == {"train": 1398, "dev": 600}
    pair = Pair.objects.get(public_id="509058")
    assert pair.premise.group == "Kotzias et. al. 2015 amazon_cells_labelled.txt 140"
    assert pair.premise.genre.name == "Sentiment"


@pytest.mark.thorough
def test_dnc_relations_have_judgements_where_several_were_given(shared_data):
    folder = shared_data / "dnc"
    files = ("dev/recast_kg_relations_data.json.gz", "test/recast_kg_relations_data.json")
    summary = bring(folder, "dnc-relations", *files)
    assert trouble(summary) == NO_TROUBLE
    assert summary["pairs"] == 2466 + 761
    with_votes = Pair.objects.filter(labels__isnull=False).distinct()
    assert set(with_votes.values_list("published_partition", flat=True)) == {"test"}
    assert with_votes.count() == 761


@pytest.mark.thorough
def test_tables_of_multinli_have_gold_labels_and_genres(shared_data):
    summary = bring(shared_data / "multinli_train_genre_sample", "multinli_txt", "mnli_val.tsv.gz")
    # Two premises are other lines of the corpus run together, parses and all.
    assert picked(summary, "pairs", "published_labels", "refused_count") == (4998, 4998, 2)
    genres = dict(Pair.objects.values_list("premise__genre__slug").annotate(Count("pk")))
    assert genres.keys() == {"fiction", "telephone", "slate", "government", "travel"}
    assert sum(genres.values()) == 4998
