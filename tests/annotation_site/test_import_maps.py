"""`import_pairs` with column maps, label maps and guessed formats; dry runs; labels on another scale than the corpus's."""

import shutil

import pytest

from collection.models import Corpus, Pair, Source
from tests.commands import run, write_jsonl
from tests.snapshots.material import folder, freeze
from validation.models import Label, Question
from validation.pairs.published_labels import create_corpus

pytestmark = pytest.mark.django_db

ROWS = "context,claim,degree\n" + "".join(f"A dog runs.,Claim {n}.,{n}\n" for n in range(1, 6))
MAP = {
    "columns": ["premise=context,hypothesis=claim", "label=degree"],
    "label_map": "1=contradiction,2-4=neutral,5=entailment",
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "degrees.csv"
    path.write_text(ROWS)
    return path


def test_a_table_of_other_names_comes_in_by_its_maps(table):
    summary = run("import_pairs", "new", table, format="csv", json=True, **MAP).json
    assert (summary["pairs"], summary["keys_not_read"]) == (5, {})
    labels = list(Pair.objects.order_by("pk").values_list("published_label", flat=True))
    assert labels == ["contradiction", *["neutral"] * 3, "entailment"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"columns": ["premise=contxt,hypothesis=claim"]}, 'no column "contxt". Did you mean "context"?'),
        ({"columns": ["premise=context,hypothesis=claim", "label"]}, '"label" is invalid'),
        ({"label_map": "1=wrong"}, 'The label map gives "wrong", which is not a label of nli3'),
        ({"format": "mpe"}, "The format mpe has its own columns and labels"),
    ],
)
def test_a_bad_map_is_refused_before_anything_is_written(table, change, reason):
    assert reason in run("import_pairs", "new", table, **{"format": "csv", **MAP, **change}).failure
    assert not Corpus.objects.exists()


def test_a_dry_run_counts_and_shows_the_first_pairs_and_writes_nothing(table):
    told = run("import_pairs", "new", table, format="csv", dry_run=True, **MAP).out
    assert "new: 5 pairs, 1 new premises and 0 labels would be imported; nothing was written." in told
    assert "line 2\n  premise: A dog runs.\n  hypothesis: Claim 1.\n  published label: contradiction" in told
    assert told.count("hypothesis:") == 3
    for model in (Corpus, Pair, Source):
        assert not model.objects.exists()
    assert (
        run("import_pairs", "new", table, format="csv", json=True, dry_run=True, strict=True, **MAP).json[
            "pairs"
        ]
        == 5
    )


def test_a_file_is_known_by_its_columns_or_gets_a_map(tmp_path, table):
    path = write_jsonl(tmp_path / "a.jsonl", [{"sentence1": "P.", "sentence2": "H.", "gold": "no"}])
    result = run("import_pairs", "two", path, format="auto")
    assert (
        "a.jsonl is read with --format jsonl --columns premise=sentence1,hypothesis=sentence2,label=gold --label-map"
        " no=not-entailed --scheme entailed2"
    ) in result.err
    assert Pair.objects.values_list("scheme", "published_label").get() == ("entailed2", "not-entailed")
    failure = run("import_pairs", "new", table, format="auto").failure
    assert "none of them is named like hypothesis" in failure
    assert "The columns are: context, claim, degree." in failure


def test_a_table_of_ones_own_is_not_taken_for_a_published_file(tmp_path):
    """`context` and `statement` are VariErr's names, too, but its explanations and answers are not there."""
    path = tmp_path / "own.tsv"
    path.write_text("context\tstatement\tlabel\nA dog.\tAn animal.\tentailment\n")
    result = run("import_pairs", "own", path, "--format", "auto")
    assert "--format tsv --columns premise=context,hypothesis=statement,label=label" in result.err
    assert Pair.objects.get().published_label == "entailment"
    path.write_text("prem\thypo\tlabel\nA dog.\tAn animal.\tentailment\n")
    assert "premise=prem,hypothesis=hypo" in run("import_pairs", "again", path, "--format", "auto").err


def test_labels_that_say_nothing_by_themselves_are_asked_for(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{"premise": "P.", "hypothesis": "H.", "label": 0}])
    assert 'the labels in "label" are unknown (0)' in run("import_pairs", "new", path, format="auto").failure


def test_a_wrong_format_names_the_one_that_the_file_looks_like(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{"sentence1": "P.", "sentence2": "H.", "captionID": "1#2"}])
    failure = run("import_pairs", "new", path, format="jsonl").failure
    assert failure.endswith("Nothing was imported into new. The file looks like --format snli.")


def ordinal_corpus() -> Corpus:
    corpus = create_corpus(
        slug="scale",
        scheme="entailed2",
        protocol="recast",
        question_scheme="ordinal5",
        seats=3,
        gold_rule="unanimous",
    )
    assert [each.label for each in Question.objects.get().label_wordings.all()] == list("12345")
    return corpus


def test_labels_on_the_questions_scale_go_into_a_corpus_of_two_classes(tmp_path):
    ordinal_corpus()
    path = tmp_path / "recast_kg_data.json"
    path.write_text(
        '[{"context": "C.", "hypothesis": "H.", "label": "5", "annotations": "5,5,5", "pair-id": 1},'
        '{"context": "C.", "hypothesis": "I.", "label": 4, "annotations": "4,5,3", "pair-id": 2},'
        '{"context": "C.", "hypothesis": "J.", "label": 2, "annotations": "2", "pair-id": 3},'
        '{"context": "C.", "hypothesis": "K.", "label": 2, "annotations": "2,6,2", "pair-id": 4}]'
    )
    summary = run("import_pairs", "scale", path, format="dnc-relations", json=True, partly=True).json
    assert (summary["pairs"], summary["labels"], summary["reasons"]) == (
        3,
        6,
        {'label "6" is none of 1, 2, 3, 4, 5': 1},
    )
    assert set(Label.objects.values_list("scheme", flat=True)) == {"ordinal5"}
    assert dict(Pair.objects.values_list("public_id", "published_label")) == {
        "1": None,
        "2": None,
        "3": "not-entailed",
    }


def test_a_snapshot_of_such_a_corpus_comes_back(tmp_path):
    corpus = ordinal_corpus()
    record = {"id": "1", "premise": "P.", "hypothesis": "H.", "labels": ["5", "5", "5"], "label": "entailed"}
    split = {**record, "id": "2", "hypothesis": "I.", "labels": ["5", "4", "5"], "label": "-"}
    path = write_jsonl(tmp_path / "pairs.jsonl", [record, split])
    summary = run("import_pairs", "scale", path, format="jsonl", partition="test", json=True).json
    assert (summary["labels"], summary["gold_differs"]) == (6, 0)
    release = tmp_path / "release"
    shutil.copytree(folder(freeze(corpus)), release)
    again = run("import_pairs", "again", release / "test.jsonl", format="snapshot", json=True).json
    assert (again["pairs"], again["labels"], again["refused"], again["gold_differs"]) == (2, 6, [], 0)
    made = Question.objects.get(corpus__slug="again")
    assert (made.scheme, made.corpus.scheme, made.gold_rule) == ("ordinal5", "entailed2", "unanimous")
    ours, theirs = ((folder(freeze(each)) / "test.jsonl").read_text() for each in (made.corpus, corpus))
    assert ours == theirs


ANSWERS = "uid,premise,hypothesis,worker_id,multilabel\n" + "".join(
    f"{n // 3},P {n // 3}.,H.,w{n % 3},true\n" for n in range(12)
)


def test_answers_that_are_gathered_are_reported_as_they_are_read_and_can_be_stopped(tmp_path, monkeypatch):
    path, heard = tmp_path / "answers.csv", []
    path.write_text(ANSWERS)
    monkeypatch.setattr("collection.formats.registry.PORTION", 5)
    monkeypatch.setattr("annotation_site.intake.files.Progress.tell", lambda self, text: heard.append(text))
    assert run("import_pairs", "live", path, format="livenli", split="none", json=True).json["pairs"] == 4
    before_pairs = [f"answers.csv: line {line}, looked through before the first pair" for line in (6, 11, 13)]
    looked = [*before_pairs, "answers.csv: line 11, 4 pairs looked through"]
    assert heard == [*looked, *before_pairs, "answers.csv: line 11, 4 pairs in"]

    def stopped(self: object, text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("annotation_site.intake.files.Progress.tell", stopped)
    assert "Interrupted" in run("import_pairs", "other", path, format="livenli").failure
    assert not Corpus.objects.filter(slug="other").exists()
