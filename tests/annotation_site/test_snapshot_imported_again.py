"""A snapshot can be imported into another corpus with votes, annotators and rule, and frozen again unchanged."""

import json
import shutil
from pathlib import Path

import pytest
from django.utils import timezone

from collection.models import Corpus, Pair
from nli.labels import SCHEMES
from tests.cast import person
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise, new_label
from tests.snapshots.material import add_pair, add_premise, corpus_of, folder, freeze, label_pair
from validation.models import Label, Question

pytestmark = pytest.mark.django_db


def brought(source: Path, slug: str, tmp_path: Path) -> dict[str, dict[str, object]]:
    """Imports the files of a snapshot into another corpus and freezes that. Returns its lines by pairID."""
    release = tmp_path / "release"
    shutil.copytree(source, release)
    for path in sorted(release.glob("*.jsonl")):
        summary = run("import_pairs", slug, path, format="snapshot", json=True).json
        assert summary["refused"] == []
        assert all(key.startswith("manifest.json: ") for key in summary["keys_not_read"])
    again = folder(freeze(Corpus.objects.get(slug=slug)))
    return lines_of(again)


def lines_of(place: Path) -> dict[str, dict[str, object]]:
    found = {}
    for path in place.glob("*.jsonl"):
        for text in path.read_text().splitlines():
            found[json.loads(text)["pairID"]] = {"partition": path.stem, **json.loads(text)}
    return found


def with_codes_of(slug: str, lines: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Returns the lines with codes as imported people have them: with the name of the snapshot's corpus in front."""
    for line in lines.values():
        line["annotator_codes"] = [code and f"{slug}:{code}" for code in line["annotator_codes"]]
        line["author"] = line["author"] and f"{slug}:{line['author']}"
    return lines


def test_an_elicited_corpus_comes_back_with_people_groups_and_partitions(tmp_path):
    corpus = corpus_of(4, dev=3, test=3)
    add_premise(corpus, "A line of a long document.", group="document 7", validated=False)
    label_pair(add_pair(make_premise(corpus, "A line that splits people."), "e", "Nobody agrees."), "eennc")
    theirs = lines_of(folder(freeze(corpus)))
    ours = brought(folder(freeze(corpus)), "again", tmp_path)
    assert ours == with_codes_of(corpus.slug, theirs)


def test_genres_keep_their_name_register_and_place_outside_training(tmp_path):
    corpus = corpus_of(4)
    corpus.genres.update(name="Talks", register="spoken")
    corpus.genres.create(slug="travel", name="Travel guides", register="written", in_training=False)
    premise = make_premise(corpus, "The old town is small.", genre="travel")
    label_pair(add_pair(premise, "e", "A town."), "eeeee")
    brought(folder(freeze(corpus)), "again", tmp_path)
    facts = ("slug", "name", "register", "in_training")
    again = Corpus.objects.get(slug="again")
    assert set(again.genres.values_list(*facts)) == set(corpus.genres.values_list(*facts))


def test_a_judged_corpus_of_several_sentences_keeps_its_rule_and_words(tmp_path):
    corpus = make_corpus(slug="scenes", protocol="judged", language="de")
    Question.objects.filter(corpus=corpus).update(
        seats=3, threshold=2, gold_rule="adjudicated", wording="Passt der Satz?"
    )
    premise = make_premise(corpus, "Two dogs run.\nThey play.", sentence_count=2)
    pair = add_pair(premise, "e", "Dogs move.")
    label_pair(pair, "ncn")
    Pair.objects.update(author=None, author_label=None)
    Label.objects.filter(position=1).update(origin="cast", author=None, leased_until=timezone.now())
    Label.objects.update(author=None)
    ours = brought(folder(freeze(corpus)), "again", tmp_path)
    (line,) = ours.values()
    assert line["premise_sentences"] == ["Two dogs run.", "They play."]
    assert line["annotator_labels"] == ["neutral", "contradiction", "neutral"]
    question = Question.objects.get(corpus__slug="again")
    assert (question.seats, question.threshold, question.gold_rule) == (3, 2, "adjudicated")
    assert (question.wording, question.corpus.language, question.corpus.protocol) == (
        "Passt der Satz?",
        "de",
        "judged",
    )


def test_written_pairs_that_were_judged_on_a_scale_keep_their_authors_label_beside_the_votes(tmp_path):
    corpus = make_corpus(slug="scale", scheme="entailed2", protocol="elicited")
    Question.objects.filter(corpus=corpus).update(scheme="ordinal5", gold_rule="unanimous")
    question = Question.objects.get(corpus=corpus)
    premise = make_premise(corpus, "Two dogs run.")
    writer, validators = person("wanda"), [person(f"val{n}") for n in range(5)]
    judged, _never_asked_again = (
        make_pair(corpus, premise, text, author=writer, author_label="entailed")
        for text in ("Dogs move.", "Animals move.")
    )
    Label.objects.bulk_create(
        new_label(
            question,
            judged,
            "5",
            position=position,
            origin=Label.Origin.IMPORTED,
            author=writer,
            annotator=validator,
        )
        for position, validator in enumerate(validators, start=1)
    )
    theirs = lines_of(folder(freeze(corpus)))
    assert theirs[judged.public_id]["annotator_labels"] == ["5"] * 5
    ours = brought(folder(freeze(corpus)), "again", tmp_path)
    assert ours == with_codes_of(corpus.slug, theirs)
    assert set(Pair.objects.filter(corpus__slug="again").values_list("author_label", flat=True)) == {
        "entailed"
    }


def test_an_authors_label_of_the_same_scale_that_is_not_the_first_vote_is_an_error(tmp_path):
    corpus = corpus_of(4)
    path = folder(freeze(corpus)) / "train.jsonl"
    line = json.loads(path.read_text().splitlines()[0])
    line["author_label"] = next(label for label in SCHEMES["nli3"] if label != line["annotator_labels"][0])
    broken = tmp_path / "train.jsonl"
    broken.write_text(json.dumps(line) + "\n")
    failure = run("import_pairs", "new", broken, format="snapshot")
    assert 'but the first of "annotator_labels" is' in failure.err


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"author": None}, "author is not a text"),
        ({"answers": {}}, "answers is not a list of objects"),
        ({"metadata": "web"}, "metadata is not an object"),
        ({"premise_sentences": "A man."}, "premise_sentences is not a list of texts"),
        ({"gold_label": ...}, "gold_label is missing"),
    ],
)
def test_a_line_that_the_checker_would_not_read_is_an_error(tmp_path, broken, told):
    line = json.loads((folder(freeze(corpus_of(4))) / "train.jsonl").read_text().splitlines()[0])
    line = {key: value for key, value in (line | broken).items() if value is not ...}
    (tmp_path / "train.jsonl").write_text(json.dumps(line) + "\n")
    assert told in run("import_pairs", "new", tmp_path / "train.jsonl", format="snapshot").err


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("language", 7, "'language' is not a text"),
        ("genres", {"fiction": {"name": "Fiction"}}, "'genres.fiction.register' is missing"),
        ("scheme", "nli4", "its scheme, labels, gold_scheme or gold_rule are not known here"),
    ],
)
def test_facts_of_another_shape_are_refused_with_their_key(tmp_path, key, value, told):
    frozen = folder(freeze(corpus_of(4)))
    facts = json.loads((frozen / "corpus.json").read_text())
    (tmp_path / "corpus.json").write_text(json.dumps({**facts, key: value}))
    shutil.copy(frozen / "train.jsonl", tmp_path)
    assert told in run("import_pairs", "new", tmp_path / "train.jsonl", format="snapshot").failure


def test_a_broken_file_of_facts_is_named(tmp_path):
    (tmp_path / "corpus.json").write_text('{"scheme": "nli3"}')
    (tmp_path / "train.jsonl").write_text("{}\n")
    failure = run("import_pairs", "new", tmp_path / "train.jsonl", format="snapshot").failure
    assert "corpus.json is not the corpus.json of a snapshot: " in failure
    assert "'question' is missing" in failure


def test_partitions_with_seats_of_their_own_keep_them(tmp_path):
    corpus = make_corpus(slug="relations", scheme="entailed2", protocol="recast")
    Question.objects.filter(corpus=corpus).update(
        scheme="ordinal5", seats=5, threshold=3, gold_rule="unanimous"
    )
    question = Question.objects.get(corpus=corpus)
    for order, (partition, seats) in enumerate({"train": 1, "dev": 1}.items()):
        question.partitions.create(order=order, partition=partition, seats=seats, threshold=1)
    for partition, votes in {"train": "5", "dev": "2", "test": "555"}.items():
        premise = make_premise(corpus, f"A line of {partition}.")
        pair = make_pair(corpus, premise, "So be it.", author_label=None, published_partition=partition)
        Label.objects.bulk_create(
            new_label(
                question,
                pair,
                vote,
                position=position,
                origin=Label.Origin.IMPORTED,
                annotator=person(f"val{position}"),
            )
            for position, vote in enumerate(votes, start=1)
        )
    theirs = lines_of(folder(freeze(corpus)))
    assert {line["partition"]: line["gold_label"] for line in theirs.values()} == {
        "train": "entailed",
        "dev": "not-entailed",
        "test": "entailed",
    }
    ours = brought(folder(freeze(corpus)), "again", tmp_path)
    assert ours == with_codes_of(corpus.slug, theirs)
    again = Question.objects.get(corpus__slug="again").partitions
    assert set(again.values_list("partition", "seats", "threshold")) == {("train", 1, 1), ("dev", 1, 1)}
    for partition, fewer in (
        ("train", 0),
        ("test", 1),
    ):  # one label is all that a pair of train has seats for
        file = folder(freeze(corpus)) / f"{partition}.jsonl"
        summary = run("import_pairs", f"third-{partition}", file, format="snapshot", json=True).json
        assert (summary["labels"], summary["fewer_labels"]) == ({"train": 1, "test": 3}[partition], fewer)
