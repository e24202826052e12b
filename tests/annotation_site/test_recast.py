"""`recast` imports the pairs that a recipe makes, as `import_pairs` does with published files."""

import json
from pathlib import Path

import pytest

from collection.models import Corpus, Pair, Premise
from tests.commands import run, write_jsonl

pytestmark = pytest.mark.django_db

EXAMPLES = Path(__file__).parents[2] / "examples/recasting"
REVIEWS = [EXAMPLES / f"sentiment/{name}_labelled.txt" for name in ("amazon_cells", "imdb", "yelp")]


def test_pairs_go_in_with_metadata_source_and_partitions_and_come_out_again() -> None:
    found = run("recast", "reviews", "sentiment", *REVIEWS, json=True, seed=1)
    assert (found.failure, found.err) == ("", "")
    keys = ("pairs", "published_labels", "rows", "refused_count", "skipped", "recipe", "dry_run")
    assert {key: found.json[key] for key in keys} == {
        **{"pairs": 16, "published_labels": 16, "rows": 8, "refused_count": 0, "skipped": 0},
        **{"recipe": "sentiment", "dry_run": False},
    }
    corpus = Corpus.objects.get()
    assert (corpus.scheme, corpus.protocol) == ("entailed2", "recast")
    assert "Kotzias et al. 2015" in corpus.description
    pair = Pair.objects.get(hypothesis__endswith=" liked the restaurant.", published_label="entailed")
    assert pair.metadata["corpus-sent-id"] == "yelp_labelled.txt 2"
    assert pair.source.name == "yelp_labelled.txt"
    assert set(Pair.objects.values_list("published_partition", flat=True)) <= {"train", "dev", "test"}
    groups = Pair.objects.values_list("premise__group", "published_partition").distinct()
    assert len(groups) == len({group for group, _ in groups}) == 8

    again = run("recast", "reviews", "sentiment", *REVIEWS, json=True, seed=1).json
    assert (again["pairs"], again["skipped"]) == (0, 16)
    for path in REVIEWS:
        assert run("withdraw_import", "reviews", path.name).failure == ""
    assert not Pair.objects.exists()
    assert not Premise.objects.exists()


TWO_LICENCES = """
from collection.formats.lines import json_records
from collection.recasting import Item, Recipe

def items(row, draw):
    yield Item({"context": row["text"]}, "yes", licence=row.get("licence", ""))

MINE = Recipe(name="mine", about="texts", corpus="Texts", phenomenon="Texts", citation="me", licence="CC0",
              read=json_records, items=items, hypotheses={"yes": "So."})
"""


def test_a_pair_has_the_licence_of_its_row_and_the_commands_goes_before_all(tmp_path) -> None:
    recipes = tmp_path / "recipes"
    recipes.mkdir()
    (recipes / "mine.py").write_text(TWO_LICENCES)
    rows = [{"text": "One."}, {"text": "Two.", "licence": "CC BY 4.0"}]
    source = write_jsonl(tmp_path / "texts.jsonl", map(json.dumps, rows))

    def licences(corpus: str, **options: str) -> dict[str, str]:
        assert run("recast", corpus, "mine", source, recipes=recipes, **options).failure == ""
        pairs = Pair.objects.filter(premise__genre__corpus__slug=corpus).select_related("premise")
        return {pair.premise.text: pair.metadata["corpus-license"] for pair in pairs}

    assert licences("own") == {"One.": "CC0", "Two.": "CC BY 4.0"}
    assert licences("told", licence="MIT") == {"One.": "MIT", "Two.": "MIT"}
    assert {corpus.slug: corpus.licence for corpus in Corpus.objects.all()} == {"own": "CC0", "told": "MIT"}


DIVIDED = """
from collection.formats.lines import json_records
from collection.recasting import Item, Partition, Recipe

def items(row, draw):
    yield Item({"context": row["text"], "part": row.get("part", ""), "book": str(row["book"])}, "yes")

MINE = Recipe(name="mine", about="texts", corpus="Texts", phenomenon="Texts", citation="me", licence="CC0",
              read=json_records, items=items, hypotheses={"yes": "So."},
              partition=Partition(own="{part}", together="book {book}", shares="0:50:50"))
"""


def test_the_partition_is_the_sources_own_else_drawn_as_the_recipe_declares(tmp_path) -> None:
    (tmp_path / "mine.py").write_text(DIVIDED)
    rows = [{"text": f"Text {n}.", "book": n % 20} for n in range(60)]
    rows += [
        {"text": "Theirs.", "book": 90, "part": "train"},
        {"text": "No part.", "book": 91, "part": "last"},
    ]
    source = write_jsonl(tmp_path / "texts.jsonl", map(json.dumps, rows))
    found = run("recast", "books", "mine", source, recipes=tmp_path, json=True)
    assert [each["reason"] for each in found.json["refused"]] == [
        'the split is "last"; it must be train, dev or test'
    ]
    places = set(Pair.objects.values_list("premise__group", "published_partition"))
    assert len(places) == 21, "no book is in two partitions"
    own = Pair.objects.get(published_partition="train")
    assert (own.premise.text, own.metadata["corpus-split"]) == ("Theirs.", "train")
    assert {partition for _, partition in places} == {"train", "dev", "test"}
    told = run("recast", "told", "mine", source, recipes=tmp_path, split="100:0:0", dry_run=True, json=True)
    assert told.json["partitions"] == {"train": 61}, "--split goes before the recipe's shares"


def test_a_dry_run_shows_rows_beside_their_pairs_and_writes_nothing(tmp_path) -> None:
    source = tmp_path / "amazon_cells_labelled.txt"
    source.write_text("Holds firmly.\t1\nno tab\nBroke.\t0\nFine.\t1\n")
    found = run("recast", "reviews", "sentiment", source, dry_run=True, sample=2)
    lines = found.out.splitlines()
    assert lines[0].startswith("amazon_cells_labelled.txt, line 1: review: Holds firmly.; sentiment: 1")
    assert lines[1].startswith("  entailed, ")
    assert lines[2].endswith(" said, 'Holds firmly.'.")
    assert lines[7].startswith("amazon_cells_labelled.txt, line 2:")
    assert lines[8].startswith("  nothing: the line has 1 columns instead of 2")
    assert lines[9] == "reviews: 6 pairs would be made of 4 rows. Nothing was written."
    assert lines[10] == "  labels: entailed 3, not-entailed 3"
    assert "amazon_cells_labelled.txt, line 2: the line has 1 columns" in found.err
    assert not Corpus.objects.exists()
    as_json = run("recast", "reviews", "sentiment", source, dry_run=True, sample=0, json=True).json
    assert (as_json["sample"], as_json["pairs"], as_json["refused_count"]) == ([], 6, 1)
    assert sum(as_json["partitions"].values()) == 6


def test_what_is_wrong_is_said(tmp_path) -> None:
    source = tmp_path / "amazon_cells_labelled.txt"
    source.write_text("Holds firmly.\t1\nno tab\n")
    assert 'no recipe "sentimental"; the recipes are: ' in run("recast", "a", "sentimental", source).failure
    assert "write the percent" in run("recast", "a", "sentiment", source, split="80:30:10").failure
    assert "is not a folder" in run("recast", "a", "sentiment", source, recipes=source).failure
    assert "cannot name a corpus" in run("recast", "a b", "sentiment", source).failure
    assert "nothing was written (--strict)" in run("recast", "a", "sentiment", source, strict=True).failure
    source.write_text("no tab\n")
    assert "No row of the source became a pair." in run("recast", "a", "sentiment", source).failure
    assert not Corpus.objects.exists()


def test_a_sample_of_rows_without_pairs_goes_on_to_the_first_row_with_one(tmp_path) -> None:
    path = tmp_path / "yelp_labelled.txt"
    path.write_text("no tab\n" * 4 + "Soup was good.\t1\nSoup was bad.\t0\n")
    shown = run("recast", "soups", "sentiment", path, dry_run=True, sample=2, json=True).json["sample"]
    assert [(each["line"], len(each["pairs"])) for each in shown] == [(1, 0), (2, 0), (5, 2)]
    assert run("recast", "soups", "sentiment", path, dry_run=True, sample=0, json=True).json["sample"] == []


def test_pairs_without_labels_are_opened_for_people_to_judge() -> None:
    triples = EXAMPLES / "relations/triples.tsv"
    found = run("recast", "relations", "relations", triples, open=True, without_look=True, json=True).json
    assert (found["pairs"], found["refused_count"], found["labels"]) == (4, 2, 6)
    assert Corpus.objects.get().scheme == "ordinal5"
    assert found["opened"] == 2


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("annotation_site.intake.pairs.PORTION", 4)
    path = tmp_path / "yelp_labelled.txt"
    path.write_text("".join(f"Soup number {n} was good.\t1\n" for n in range(8)))

    def stopped(self: object, text: str) -> None:
        if Pair.objects.count() >= 8:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("annotation_site.intake.files.Progress.tell", stopped)
        assert "the same command goes on" in run("recast", "soups", "sentiment", path).failure
    assert Pair.objects.count() == 8
    rest = run("recast", "soups", "sentiment", path, json=True).json
    assert (rest["pairs"], rest["skipped"], Pair.objects.count()) == (8, 8, 16)


@pytest.mark.thorough
def test_a_look_through_the_source_before_the_first_pair_says_how_far_it_is(monkeypatch) -> None:
    heard = []
    monkeypatch.setattr("collection.formats.registry.PORTION", 2)
    monkeypatch.setattr("annotation_site.intake.files.Progress.tell", lambda self, text: heard.append(text))
    source = EXAMPLES / "entities/eng.train"
    assert run("recast", "names", "entities-conll", source, dry_run=True).failure == ""
    looks = [text for text in heard if text.endswith("looked through before the first pair")]
    assert heard[: len(looks)] == looks
    assert len(looks) > 1
    assert heard[len(looks)].startswith("eng.train: line ")
