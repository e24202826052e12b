"""MPE's columns and DNC's JSON: their content, and corpora that they cannot hold."""

import json

import pytest

from snapshots.exports.formats import export
from snapshots.exports.limits import ExportError
from tests.commands import run
from tests.corpora import make_corpus, make_premise
from tests.snapshots.material import (
    add_genre,
    add_pair,
    add_premises,
    corpus_of,
    folder,
    freeze,
    label_pair,
    lines,
    published_pair,
)

pytestmark = pytest.mark.django_db


def exported(snapshot, format_name, tmp_path):
    export(folder(snapshot), str(snapshot), format_name, tmp_path / "out")
    return tmp_path / "out"


def scene(public_id):
    corpus = make_corpus(slug="scenes")
    text = "A dog runs.\nDogs play.\nA ball flies.\nTwo dogs."
    premise = make_premise(corpus, text, sentence_count=4, public_id=public_id)
    label_pair(add_pair(premise, "e", "Dogs\tmove.", public_id="7"), "eenec")
    return freeze(corpus)


def test_mpe_counts_judgements_and_writes_each_caption_with_its_id(tmp_path):
    out = exported(scene("a#0 a#1 b#0 b#2"), "mpe", tmp_path)
    header, line = (row.split("\t") for row in (out / "train.txt").read_text().splitlines())
    assert dict(zip(header, line, strict=True)) == {
        "ID": "7",
        "premise1": "a#0/A dog runs.",
        "premise2": "a#1/Dogs play.",
        "premise3": "b#0/A ball flies.",
        "premise4": "b#2/Two dogs.",
        "hypothesis": "Dogs move.",
        "entailment_judgments": "3",
        "neutral_judgments": "1",
        "contradiction_judgments": "1",
        "gold_label": "entailment",
    }
    assert json.loads((out / "export.json").read_bytes())["texts_with_tabs_or_line_breaks"] == 1


@pytest.mark.parametrize("form", ["multinli_txt", "multinli_jsonl", "snli_jsonl"])
def test_multinli_has_matched_and_mismatched_genres_in_files_of_their_own(form, tmp_path):
    corpus = corpus_of(4)
    add_genre(corpus, "letters", in_training=False)
    add_premises(corpus, [f"Dear friend number {number}," for number in range(4)], genre="letters")
    snapshot = freeze(corpus)
    out, suffix = exported(snapshot, form, tmp_path), form.rpartition("_")[2]
    partitions = ("train", "dev", "test")
    pairs = {line["pairID"]: (part, line["genre"]) for part in partitions for line in lines(snapshot, part)}
    found = {
        path.stem: {name for name in pairs if name in path.read_text()} for path in out.glob(f"*.{suffix}")
    }
    split = {
        "fiction": ("train", "dev_matched", "test_matched"),
        "letters": ("", "dev_mismatched", "test_mismatched"),
    }
    expected: dict[str, set[str]] = {}
    for name, (part, genre) in pairs.items():
        file = part if form == "snli_jsonl" else split[genre][partitions.index(part)]
        expected.setdefault(file, set()).add(name)
    assert found == expected


def test_mpe_numbers_the_captions_of_a_premise_with_an_id_of_its_own(tmp_path):
    out = exported(scene("scene-1"), "mpe", tmp_path)
    assert "\tscene-1#3/Two dogs.\t" in (out / "train.txt").read_text()


def test_mpe_refuses_premises_that_are_not_four_sentences(tmp_path):
    with pytest.raises(
        ExportError, match=r"mpe has four sentences in each premise; the premise '\w+' has 1\. Use jsonl"
    ):
        exported(freeze(corpus_of(1)), "mpe", tmp_path)
    assert not (tmp_path / "out").exists()


def test_dnc_says_what_is_entailed_and_leaves_pairs_without_gold_out(tmp_path):
    corpus = corpus_of(1, dev=0, test=0)
    label_pair(add_pair(make_premise(corpus, "Split."), "e", "Who knows."), "eennc")
    out = exported(freeze(corpus), "dnc", tmp_path)
    told = json.loads((out / "train_data.json").read_bytes())
    assert [
        (each["label"], each["binary-label"]) for each in sorted(told, key=lambda each: each["label"])
    ] == [
        ("contradiction", False),
        ("entailment", True),
        ("neutral", False),
    ]
    assert {each["type-of-inference"] for each in told} == {"Fiction"}
    assert json.loads((out / "export.json").read_bytes())["pairs_without_gold_left_out"] == 1


def test_dnc_refuses_several_sentences(tmp_path):
    with pytest.raises(
        ExportError, match="dnc has one sentence as context; the premise 'x' has several sentences"
    ):
        exported(scene("x"), "dnc", tmp_path)


def test_a_partition_without_any_gold_is_an_empty_list(tmp_path):
    corpus = make_corpus(slug="split")
    label_pair(add_pair(make_premise(corpus, "Split."), "e", "Who knows."), "eennc")
    assert json.loads((exported(freeze(corpus), "dnc", tmp_path) / "train_data.json").read_bytes()) == []


def test_lines_of_snli_and_multinli_have_their_keys_and_no_others(tmp_path):
    snapshot = freeze(corpus_of(4))
    both = [
        "annotator_labels", "gold_label", "pairID", "sentence1", "sentence1_binary_parse", "sentence1_parse",
        "sentence2", "sentence2_binary_parse", "sentence2_parse",
    ]  # fmt: skip
    for name, keys in (("snli_jsonl", ["captionID"]), ("multinli_jsonl", ["genre", "promptID"])):
        text = (exported(snapshot, name, tmp_path / name) / "dev.jsonl").read_text(encoding="ascii")
        told = [json.loads(line) for line in text.splitlines()]
        assert {tuple(line) for line in told} == {tuple(sorted([*both, *keys]))}
        for line, whole in zip(told, lines(snapshot, "dev"), strict=True):
            assert line.pop("captionID", whole["promptID"]) == whole["promptID"]
            assert line.items() <= whole.items()


def test_lines_of_snli_refuse_several_sentences(tmp_path):
    corpus = corpus_of(0)
    add_pair(make_premise(corpus, "One.\nTwo.", sentence_count=2), "e", "Two.")
    with pytest.raises(ExportError, match="snli_jsonl has one sentence in each premise"):
        exported(freeze(corpus), "snli_jsonl", tmp_path)


@pytest.mark.parametrize(
    "format_name", ["snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "mpe", "dnc"]
)
def test_a_scheme_that_a_format_cannot_hold_is_named(format_name, tmp_path):
    corpus = make_corpus(slug="grammar", scheme="grammar3")
    premise = make_premise(corpus, "A line.")
    published_pair(corpus, premise, "none", "train", "g1")
    with pytest.raises(ExportError, match="grammar has the scheme grammar3"):
        exported(freeze(corpus), format_name, tmp_path)


def test_ids_that_a_file_gives_to_two_scenes_come_back_as_they_were(tmp_path):
    head = "ID\tpremise1\tpremise2\tpremise3\tpremise4\thypothesis\tentailment_judgments\t"
    head += "neutral_judgments\tcontradiction_judgments\tgold_label"
    scenes = [
        f"{number}\tp#0/One.\tp#1/Two.\tp#2/Three.\tp#3/{last}\tFour.\t3\t1\t1\tentailment"
        for number, last in enumerate(("Four.", "Another four."))
    ]
    (tmp_path / "in.txt").write_text("\n".join([head, *scenes]) + "\n")
    assert run("import_pairs", "here", tmp_path / "in.txt", format="mpe", partition="dev").failure == ""
    assert run("freeze_snapshot", "here").failure == ""
    assert run("export_snapshot", "here@1", format="mpe", out=tmp_path / "out").failure == ""
    assert (tmp_path / "out" / "dev.txt").read_text() == (tmp_path / "in.txt").read_text()
