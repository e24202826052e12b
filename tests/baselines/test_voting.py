"""`voting`: predictions by labels of single premises (MPE paper, section 5.2), of all annotators, or of one."""

import json
from pathlib import Path
from typing import Any

import pytest

from modeling.baselines.data import read_pair
from nli.gold import Rule
from nli.labels import SCHEMES, label_index, vote_index
from tests.baselines.small import line, run_train, small_run, write_lines

LABELS = SCHEMES["nli3"]
E, N, C = LABELS
THREE_JUDGES = {"scheme": "nli3", "seats": 3, "threshold": 2}


def voted(tmp_path: Path, rows: list[dict[str, Any]], **settings: object) -> tuple[dict[str, Any], list[str]]:
    """Returns the metrics, and the prediction for each row."""
    run = small_run(tmp_path, "voting", settings=settings)
    del run["vectors"]
    run["files"] = {
        name: {**write_lines(tmp_path / f"{name}.jsonl", rows), "single_premises": THREE_JUDGES}
        for name in ("train", "test")
    }
    code, events = run_train(run, tmp_path)
    assert code == 0, events[-1]
    text = (tmp_path / "run/predictions-test.jsonl").read_text()
    return events[-1]["metrics"], [json.loads(row)["predicted"] for row in text.splitlines()]


def of_premises(pair: str, gold: str, *labels: str) -> dict[str, Any]:
    """Returns a pair whose premises were judged one by one, each by three people."""
    return line(pair, "A.", "B.", gold, single_premise_labels=[[label] * 2 + [N] for label in labels])


# Table 4 of the MPE paper: "the simple majority voting would work on the fourth example but fail on the second".
TABLE_4 = [
    of_premises("p0-e", E, N, N, N, N),
    of_premises("p1-c", C, N, C, N, N),
    of_premises("p2-e", E, E, E, N, N),
    of_premises("p3-n", N, N, N, E, N),
    of_premises("p4-c", C, C, C, C, C),
]


def test_the_papers_heuristic_answers_by_entailment_and_contradiction(tmp_path: Path):
    metrics, answers = voted(tmp_path, TABLE_4)
    assert answers == [N, C, E, E, C]
    assert metrics["test"]["accuracy"] == pytest.approx(3 / 5)


def test_the_simple_majority_takes_the_commonest_label_and_neutral_on_a_tie(tmp_path: Path):
    assert voted(tmp_path, TABLE_4, rule="most")[1] == [N, N, N, N, C]


def test_annotators_vote_for_the_pair(tmp_path: Path):
    rows = [
        line("a-1", "A.", "B.", E, annotator_labels=[E, E, E, N, C]),
        line("b-1", "A.", "B.", N, annotator_labels=[C, C, C, N, N]),
    ]
    answers = voted(tmp_path, rows, labels="annotators", rule="most")[1]
    assert answers == [E, C]
    shares = json.loads((tmp_path / "run/predictions-test.jsonl").read_text().splitlines()[1])[
        "probabilities"
    ]
    assert [shares[label] for label in LABELS] == pytest.approx([0, 0.4, 0.6], abs=2e-3)


def test_one_annotator_is_drawn_for_each_pair_by_the_seed(tmp_path: Path):
    rows = [line(f"p{n}-1", "A.", "B.", E, annotator_labels=[E] * 3 + [C] * 2) for n in range(200)]
    answers = voted(tmp_path, rows, labels="one", rule="most")[1]
    assert answers == voted(tmp_path / "again", rows, labels="one", rule="most")[1]
    assert set(answers) == {E, C}
    assert 0.45 < answers.count(E) / 200 < 0.75


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([[E, N, C], [C, C, E], [N, N, E]], (2, 1)),  # no majority in the first
        ([[E, E, E], [C, C], [N, N, E]], ()),  # one premise lacks a label: none of this pair counts
        ([], ()),
    ],
)
def test_premises_have_the_labels_that_statistics_and_pages_give_them(given, expected):
    row = line("p-1", "A.", "B.", E, single_premise_labels=given)
    pair = read_pair(json.dumps(row).encode(), label_index(LABELS), vote_index(LABELS), Rule("nli3", 3, 2))
    assert pair is not None
    assert pair.premise_labels == expected


def test_pairs_without_such_labels_are_told_with_what_to_do(tmp_path: Path):
    run = small_run(tmp_path, "voting", settings={})
    del run["vectors"]
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert events[-1]["message"].startswith("No pair has labels of single premises: set labels to annotators")


def test_the_heuristic_is_for_entailment_and_contradiction(tmp_path: Path):
    run = small_run(tmp_path, "voting", scheme="ordinal5", settings={})
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert 'settings.rule: "more" is for nli3 and entailed2; set it to "most"' in events[-1]["message"]
