"""The runner of the proofs, on a corpus of a few lines."""

import json
import re
from pathlib import Path

import pytest

from bench.proofs import corpora, plans, results
from bench.proofs.corpora import Corpus, freeze
from bench.proofs.runs import Place, Run, carry_out
from bench.proofs.tables import TABLES, agreeing_premises

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Two small corpora as published files: a table with a genre and a bad line, and SICK's form."""
    data = tmp_path / "data"
    data.mkdir()
    rows = [
        f"Dogs run {n}.\t{'No' if label == 'contradiction' else 'Some'} dog runs.\t{label}\tfiction"
        for n in range(20)
        for label in LABELS
    ]
    bad = "x" * 20_000 + "\tToo long.\tneutral\tfiction"
    header = "sentence1\tsentence2\tlabel\tgenre"
    (data / "table.tsv").write_text("\n".join([header, *rows, bad]) + "\n")
    sick = [f"{n}\tA man eats.\tA man sleeps.\t3.1\t{label.upper()}" for n, label in enumerate(LABELS)]
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    (data / "sick.txt").write_text("\n".join([header, *sick]) + "\n")
    monkeypatch.setattr(
        corpora,
        "CORPORA",
        {
            "table": Corpus("table", train=("table.tsv",), test=("table.tsv",)),
            "sick": Corpus("sick", ("sick.txt",), ("sick.txt",), ("sick.txt",)),
        },
    )
    monkeypatch.setattr(corpora, "UNIONS", {"both": ("table", "sick")})
    monkeypatch.setattr(corpora, "HELD_OUT", 5)
    return Place(data, tmp_path / "out")


def read(files: dict[str, dict[str, str]], partition: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(files[partition]["path"]).read_text().splitlines()]


def test_whole_premises_are_held_out_and_the_bad_line_is_told(
    place: Place, capsys: pytest.CaptureFixture[str]
):
    files = freeze("table", place.data, place.out)
    train, dev, test = (read(files, partition) for partition in ("train", "dev", "test"))
    assert (len(train), len(dev), len(test)) == (45, 15, 60)
    assert not {row["sentence1"] for row in train} & {row["sentence1"] for row in dev}
    assert {row["genre"] for row in test} == {"fiction"}
    assert "line 62 is left out" in capsys.readouterr().err


def test_a_union_has_the_train_and_dev_parts_of_all_and_no_test(place: Place):
    files = freeze("both", place.data, place.out)
    assert {name: len(read(files, name)) for name in files} == {"train": 48, "dev": 18}
    names = [row["pairID"] for row in read(files, "train")]
    assert len(set(names)) == len(names)


def test_a_union_is_left_without_the_premises_of_what_it_is_tested_on(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(corpora, "TESTED", {"both": ("sick",)})
    files = freeze("both", place.data, place.out)
    left = [row["sentence1"] for name in files for row in read(files, name)]
    assert len(left) == 60
    assert "A man eats." not in left


def test_premises_are_compared_by_their_letters_and_digits():
    rows = [
        {"sentence1": "A man , eating ."},
        {"sentence1": "", "premise_sentences": ["A MAN, EATING.", "Two dogs"]},
    ]
    assert [corpora.premises_of(json.dumps(row)) for row in rows] == [
        ["amaneating"],
        ["amaneating", "twodogs"],
    ]


def test_runs_are_carried_out_once_and_scored_on_other_corpora(place: Place):
    run = Run("majority", "table", 2, on=("sick",))
    carry_out(run, place)
    metrics = place.folder(run) / "metrics.json"
    written = metrics.stat().st_mtime_ns
    carry_out(run, place)
    assert metrics.stat().st_mtime_ns == written
    assert place.is_done(run)
    assert json.loads(metrics.read_text())["test"]["accuracy"] == pytest.approx(1 / 3)
    sick = json.loads((place.folder(run, "sick") / "metrics.json").read_text())
    assert sick["test"]["pairs"] == 3


def test_a_run_that_fails_says_why(place: Place):
    with pytest.raises(RuntimeError, match=r"No training pair is of the genre .*nowhere"):
        carry_out(Run("majority", "table", more={"genre": "nowhere"}), place)


def answered(place: Place, run: Run, right: str) -> None:
    """Makes a finished run folder; predictions are right where there is an x."""
    folder = place.folder(run)
    folder.mkdir(parents=True)
    rows = [
        {
            "gold": "neutral",
            "predicted": "neutral" if mark == "x" else "entailment",
            "genre": "a" if n else "b",
        }
        for n, mark in enumerate(right)
    ]
    (folder / "predictions-test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "metrics.json").write_text("{}")


def test_figures_are_of_the_seeds_that_are_done(place: Place):
    of = results.Results(place, plans.with_seeds("cbow", "table"))
    other = results.Results(place, plans.with_seeds("lstm", "table"))
    assert of.accuracy() == results.NOTHING
    for run, right in zip((*of.runs[:2], *other.runs[1:3]), ("xxx-", "xx--", "x---", "----"), strict=True):
        answered(place, run, right)
    assert of.accuracy() == "62.5 ± 17.7"
    assert of.of_label("neutral") == "62.5"
    assert of.of_genre("b") == [100.0, 100.0]
    # Only the second seed is there on both sides: one pair of four, and McNemar's test on it.
    assert results.compare(of, other) == "+25.0 (p = 1.000)"


def test_no_two_runs_of_the_plans_share_a_folder():
    by_name: dict[str, set[str]] = {}
    every = [one for plan in plans.PLANS.values() for planned in plan() for one in planned.needs()]
    for run in every:
        # The same training may be scored on more corpora in another proof: nothing else may differ.
        by_name.setdefault(run.name, set()).add(re.sub(r", on=\([^)]*\)", "", str(run)))
    assert {name: said for name, said in by_name.items() if len(said) > 1} == {}
    assert max(map(len, by_name)) < 200  # characters: file systems take 255


def test_what_a_run_starts_from_comes_first():
    first = Run("lstm", "snli")
    then = Run("lstm", "sick", start=(first, "transfer"))
    assert list(then.needs()) == [first, then]
    assert first.name in then.name


def test_the_answers_of_judges_are_the_labels_of_single_premises(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    """Two of three judges decide for each premise: all of dev's are entailed, as its pair is, all of test's contradicted."""
    judged = (f"{label}_judgments" for label in LABELS)
    header = "\t".join(["ID", *(f"premise{n}" for n in range(1, 5)), "hypothesis", *judged, "gold_label"])
    captions = "\t".join(f"1.jpg#{n}/Caption {n}." for n in range(4))
    for name, gold in (("dev", "entailment"), ("test", "neutral")):
        (place.data / f"mpe_{name}.txt").write_text(f"{header}\n1\t{captions}\tA man.\t3\t1\t1\t{gold}\n")
    files = {name: (f"mpe_{name}.txt",) for name in ("dev", "test")}
    both = (*files["dev"], *files["test"])
    corpora.CORPORA.update(mpe=Corpus("mpe", **files), premises=Corpus("mpe", test=both, apart=True))
    apart = read(place.files("premises"), "test")
    assert [row["sentence1"] for row in apart[:2]] == ["Caption 0.", "Caption 1."]
    assert "premise_sentences" not in apart[0]
    judges = tuple(Run("majority", "table", seed) for seed in (1, 2, 3))
    for judge, (of_dev, of_test) in zip(judges, map(tuple, ("en", "ec", "nc")), strict=True):
        labels = {letter: label for label in LABELS for letter in label[0]}
        answers = [
            {"pairID": row["pairID"], "predicted": labels[of_dev if "dev" in row["pairID"] else of_test]}
            for row in apart
        ]
        folder = place.folder(judge, "premises")
        folder.mkdir(parents=True)
        (folder / "predictions-test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    run = Run("voting", "mpe", judges=judges)
    assert [*run.needs()] == [*judges, run]
    carry_out(run, place)
    metrics = json.loads((place.folder(run) / "metrics.json").read_text())
    assert (metrics["dev"]["accuracy"], metrics["test"]["accuracy"]) == (1.0, 0.0)
    assert agreeing_premises(run, place).tolist() == [4]


@pytest.mark.parametrize("proof", [name for name in TABLES if name != "mpe"])
def test_tables_of_proofs_without_runs_have_dashes(place: Place, monkeypatch: pytest.MonkeyPatch, proof: str):
    for table in TABLES[proof](place):
        assert results.NOTHING in table or table.count("|") == 0
