"""Breakdowns of a run's predictions: computed once from the predictions and the snapshot, stored, and shown."""

import json

import numpy as np
import pytest

from modeling.baselines.data import votes_of
from modeling.folders import folder_of
from modeling.models import Breakdown
from modeling.results import pair_values as values
from modeling.results.breakdowns import MOST_VALUES, break_down, store_breakdowns, store_composition
from modeling.results.dimensions import DIMENSIONS
from modeling.results.pair_values import Values, cache_file, pair_values
from modeling.results.run_scores import breakdowns
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot, write_predictions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


snapshot = made_once(small_snapshot, 3)


def stored(run, dimension, partition="test"):
    (shown,) = [one for one in breakdowns(run) if (one.dimension, one.partition) == (dimension, partition)]
    return {part.value: (part.pairs, part.accuracy) for part in shown.parts}


def test_each_value_counts_its_pairs_and_the_correct_ones():
    values = Values.of([("a",), ("b", "a"), (), ("b",)])
    gold = Values.of([("yes",), ("no",), ("no",), ("yes",)])
    rows = break_down(values, gold, np.array([True, False, True, True]))
    assert rows == [["a", 2, 1, {"yes": 1, "no": 1}], ["b", 2, 1, {"yes": 1, "no": 1}]]


@pytest.mark.parametrize("values", [[], [()], [(), ()]])
def test_no_pairs_and_no_values_give_no_rows(values):
    gold = Values.of([("yes",)] * len(values))
    assert break_down(Values.of(values), gold, np.ones(len(values), dtype=np.bool_)) == []


def test_of_very_many_values_those_with_the_most_pairs_are_stored():
    values = Values.of([(f"author {number}",) for number in range(MOST_VALUES + 5)] + [("frequent",)] * 3)
    rows = break_down(values, Values.of([("yes",)] * len(values.codes)), None)
    assert len(rows) == MOST_VALUES
    assert rows[0][:3] == ["frequent", 3, None]


def test_the_predictions_are_broken_down_by_what_the_snapshot_knows_of_its_pairs(snapshot):
    run = done_run(snapshot)
    lines = write_predictions(run, "test", wrong=1)
    store_breakdowns(run, snapshot, folder_of(run), ("dev", "test"))
    assert {row.dimension for row in Breakdown.objects.filter(run=run)} <= DIMENSIONS.keys()
    genres = stored(run, "genre")
    assert sum(pairs for pairs, _ in genres.values()) == len(lines)
    labels = stored(run, "label")
    assert sum(pairs * accuracy for pairs, accuracy in labels.values()) == pytest.approx(len(lines) - 1)
    lengths = stored(run, "premise_length")
    assert sum(pairs for pairs, _ in lengths.values()) == len(lines)
    assert not Breakdown.objects.filter(run=run, partition="dev").exists()  # there are no predictions for dev


def test_predicted_labels_and_confidence_make_the_confusion_matrix_and_the_calibration(snapshot):
    run = done_run(snapshot)
    lines = write_predictions(run, "test", wrong=1)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    confusion = Breakdown.objects.get(run=run, dimension="predicted").rows
    assert {
        (predicted, gold): count
        for predicted, _, _, golds in confusion
        for gold, count in golds.items()
        if count
    } == {(line["predicted"], line["gold"]): 1 for line in lines}
    assert stored(run, "confidence") == {"<= 0.8": (3, pytest.approx(2 / 3))}


def test_matched_genres_are_those_of_training(snapshot):
    run = done_run(snapshot)
    write_predictions(run, "test")
    genre = pair_values(snapshot, "test").dimensions["genre"].names[0]
    (folder_of(run) / "metrics.json").write_text(json.dumps({"train": {"genres": {genre: 3}}}))
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    assert stored(run, "matched").keys() == {"matched"}
    (folder_of(run) / "metrics.json").write_text(json.dumps({"train": {"genres": {"other": 3}}}))
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    assert stored(run, "matched").keys() == {"mismatched"}


def test_a_hypothesis_that_training_has_is_seen(snapshot):
    from safetensors.numpy import save_file

    run = done_run(snapshot)
    write_predictions(run, "test")
    hypotheses = pair_values(snapshot, "test").hypotheses
    save_file({"hypotheses": np.sort(hypotheses[:1])}, folder_of(run) / "training_texts.safetensors")
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    assert stored(run, "seen")["seen"][0] == int((hypotheses == hypotheses[0]).sum())


def test_a_dimension_of_ones_own_comes_from_a_file(snapshot, tmp_path):
    run = done_run(snapshot)
    lines = write_predictions(run, "test")
    path = tmp_path / "marks.csv"
    path.write_text(f"{lines[0]['pairID']},hypernymy\n{lines[0]['pairID']},negation\nunknown,negation\n")
    store_breakdowns(run, snapshot, folder_of(run), ["test"], own={"phenomenon": path})
    assert stored(run, "file:phenomenon") == {"hypernymy": (1, 1.0), "negation": (1, 1.0)}
    path.write_text("one column\n")
    with pytest.raises(ValueError, match="line 1: give two columns"):
        store_breakdowns(run, snapshot, folder_of(run), ["test"], own={"phenomenon": path})


def test_a_file_may_have_pairs_of_one_evaluated_part_alone(snapshot, tmp_path):
    """As marks of a sample of dev, where `evaluate` reads dev and test."""
    run = done_run(snapshot)
    (first, *_), _ = (write_predictions(run, part) for part in ("dev", "test"))
    path = tmp_path / "marks.csv"
    path.write_text(f"{first['pairID']},negation\n")
    store_breakdowns(run, snapshot, folder_of(run), ["dev", "test"], own={"phenomenon": path})
    (row,) = Breakdown.objects.filter(run=run, dimension="file:phenomenon")
    assert (row.partition, row.rows[0][:3]) == ("dev", ["negation", 1, 1])
    path.write_text("unknown,negation\n")
    with pytest.raises(ValueError, match="no pair id in it belongs to an evaluated pair"):
        store_breakdowns(run, snapshot, folder_of(run), ["dev", "test"], own={"phenomenon": path})


def test_a_second_computation_replaces_the_first_and_reads_the_cache(snapshot):
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=1)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    before = Breakdown.objects.count()
    cached = cache_file(snapshot, "test").stat().st_mtime_ns
    write_predictions(run, "test")
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    assert Breakdown.objects.count() == before
    assert all(accuracy == 1 for _, accuracy in stored(run, "label").values())
    assert cache_file(snapshot, "test").stat().st_mtime_ns == cached


def test_predictions_of_other_pairs_are_an_error(snapshot):
    run = done_run(snapshot)
    write_predictions(run, "test")
    path = folder_of(run) / "predictions-test.jsonl"
    path.write_text(path.read_text().replace('"pairID": "', '"pairID": "x'))
    with pytest.raises(ValueError, match="not in the snapshot"):
        store_breakdowns(run, snapshot, folder_of(run), ["test"])


def test_the_pairs_themselves_are_counted_without_a_run(snapshot):
    store_composition(snapshot, "train")
    (row,) = Breakdown.objects.filter(run=None, dimension="label")
    assert sum(pairs for _, pairs, _, _ in row.rows) == len(pair_values(snapshot, "train").ids)
    assert all(right is None for _, _, right, _ in row.rows)


def test_page_and_rest_show_the_breakdowns(snapshot, browser_of, rosa):
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=1)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    page = browser_of(rosa).get(f"/runs/{run.pk}/").content.decode()
    assert "By gold label" in page
    assert "By tokens of the premise" in page
    rest = browser_of(rosa).get(f"/api/v1/runs/{run.pk}/").json()
    found = {row["dimension"]: row for row in rest["breakdowns"]}
    assert found["genre"]["parts"][0].keys() == {"value", "pairs", "accuracy", "majority", "gold"}
    by_label = [row for row in rest["evaluations"] if row["gold_label"]]
    assert {row["gold_label"] for row in by_label} == {part["value"] for part in found["label"]["parts"]}


def test_a_dimension_that_does_not_exist_is_named(snapshot):
    run = done_run(snapshot)
    failed = command("evaluate", run.pk, str(snapshot), "--by", "colour").failure
    assert "There is no dimension 'colour'. There are: label, predicted" in failed


def test_disagreement_is_over_the_votes_that_training_reads(snapshot, settings, tmp_path, monkeypatch):
    """Labels beyond the seats count in both; a label that nobody gave is no part of a split."""
    settings.CACHE_ROOT = tmp_path
    counts, read = {"entailment": 4, "neutral": 0, "contradiction": 4}, values.lines
    monkeypatch.setattr(
        values, "lines", lambda path: ({**line, "all_label_counts": counts} for line in read(path))
    )
    dimensions = pair_values(snapshot, "test").dimensions
    assert (dimensions["agreement"].names, dimensions["entropy"].names) == (["4-4"], ["<= 1"])
    line = {"all_label_counts": counts, "annotator_labels": ["neutral", ""]}
    index = {"entailment": 0, "neutral": 1, "contradiction": 2}
    assert votes_of(line, index) == (4, 0, 4)
    assert votes_of({"annotator_labels": ["neutral", "", "-"]}, index) == (0, 1, 0)
