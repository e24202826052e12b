"""Which labels a model gives under each annotation tag, beside the gold labels; tags a pair by genre."""

from collections import Counter

import pytest

from modeling.folders import folder_of, predictions_in
from modeling.results import breakdowns
from modeling.results.breakdowns import store_breakdowns
from modeling.results.pair_values import Values
from modeling.results.predicted import read_predicted
from modeling.results.run_figures import BY_TAG
from modeling.results.run_scores import evaluations
from snapshots.statistics.tag_figures import FIGURES
from snapshots.statistics.tags import KEY_WORDS, NAMES, SUBSTRING, WORD
from tests.modeling.material import done_run, small_snapshot
from tests.modeling.test_error_browser import answers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def test_labels_under_a_tag_are_those_of_the_predictions(monkeypatch):
    run = done_run(small_snapshot(9, test=9))
    answers(run, [(n % 2 == 0, 0.8) for n in range(9)])

    def tags(snapshot, partition, pairs):
        return {"tag_substring": Values.of([("negation",) if n < 6 else () for n in range(9)])}

    monkeypatch.setattr(breakdowns, "tag_values", tags)

    def table():
        return BY_TAG.table(next(each for each in evaluations(run) if each.partition == "test"))

    assert table() is None, "tags are not counted yet"
    store_breakdowns(run, run.snapshot, folder_of(run), ["test"], tags=True)
    (row,) = table().rows
    read = read_predicted(predictions_in(folder_of(run), "test"))
    assert (row["tag"], row["pairs"], row["accuracy"]) == (NAMES["negation"], 6, 0.5)
    for what, codes in (("predicted", read.codes), ("gold", read.gold)):
        counts = Counter(read.names[code] for code in codes[:6])
        for label in run.snapshot.corpus.labels:
            assert row[f"{what}: {label}"] == pytest.approx(counts[label] / 6)
    assert BY_TAG.finding(table()).startswith("no tag changes"), "six pairs say nothing"


def test_tags_a_pair_are_summed_over_tags_by_genre():
    (figure,) = [each for each in FIGURES if each.name == "tags-a-pair"]
    nothing = {"pairs": 0, "genres": {}, "labels": {}}
    tags = {tag: {WORD: nothing, SUBSTRING: nothing} for tag in NAMES}
    tags["pronouns"] = {
        WORD: {"pairs": 8, "genres": {"fiction": 6, "travel": 2}, "labels": {}},
        SUBSTRING: nothing,
    }
    tags["quantifiers"] = {
        WORD: {"pairs": 2, "genres": {"fiction": 2}, "labels": {}},
        SUBSTRING: {"pairs": 4, "genres": {"fiction": 3, "travel": 1}, "labels": {}},
    }
    group = {"partition": None, "pairs": 10, "genres": {"fiction": 6, "travel": 4}, "tags": tags}
    made = figure.table({"groups": [group], "key_words": {name: [] for name in KEY_WORDS}})
    rows = {row["genre"]: row for row in made.rows}
    assert [(rows[name]["by word"], rows[name]["by substring"]) for name in ("all", "fiction", "travel")] == [
        (1.0, 1.2),
        (8 / 6, 1.5),
        (0.5, 0.75),
    ]
    assert rows["fiction"]["MultiNLI"] == pytest.approx(3.85)
    assert figure.finding(made) == "A pair has 1.2 tags: 1.5 in fiction, 0.8 in travel."
