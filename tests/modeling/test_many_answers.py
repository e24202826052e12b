"""Models beside many answers to each pair, as in ChaosNLI."""

import json
import random

import numpy as np
import pytest

from modeling.baselines.scores import distances
from modeling.folders import folder_of, predictions_in
from modeling.reports.overviews import overview
from nli.agreement import entropy
from nli.lines import PARTITION_FILES
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot
from tests.modeling.test_overviews import rows_of
from tests.snapshots.material import lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

LABELS = ("entailment", "neutral", "contradiction")


def with_many_answers():
    """Makes a snapshot whose test pairs but the last have a hundred labels more: all equal, some, or none."""
    snapshot = small_snapshot(8, test=12)
    there = lines(snapshot, "test")
    for number, line in enumerate(there[:-1]):
        split = ([100, 0, 0], [92, 8, 0], [70, 20, 10], [34, 33, 33], [50, 50, 0])[number % 5]
        line["extra_label_counts"] = dict(zip(LABELS, split[number % 3 :] + split[: number % 3], strict=True))
    path = snapshot.folder / PARTITION_FILES["test"]
    path.chmod(0o600)
    path.write_text("".join(json.dumps(line) + "\n" for line in there))
    return snapshot


snapshot = made_once(with_many_answers)


def predict(run, there):
    """Writes drawn predictions; returns the probabilities of each pair by its id."""
    drawn = random.Random(run.seed)
    found = {}
    for line in there:
        numbers = [drawn.random() ** 4 for _ in LABELS]
        found[line["pairID"]] = {
            label: one / sum(numbers) for label, one in zip(LABELS, numbers, strict=True)
        }
    folder_of(run).mkdir(parents=True, exist_ok=True)
    rows = []
    for line in there:
        shares = found[line["pairID"]]
        said = max(shares, key=shares.__getitem__)
        rows.append(
            {"pairID": line["pairID"], "gold": line["gold_label"], "predicted": said, "probabilities": shares}
        )
    predictions_in(folder_of(run), "test").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return found


BINS = {
    "all": (-1, 9),
    "0": (-1, 0),
    "<= 0.5": (0, 0.5),
    "<= 1": (0.5, 1),
    "<= 1.5": (1, 1.5),
    "> 1.5": (1.5, 9),
}


def test_each_bin_has_the_figures_of_its_pairs(snapshot):
    """Of accuracy by hand, of distances by the training program's own scores, which store them for all pairs."""
    there = lines(snapshot, "test")
    runs = [done_run(snapshot, "cbow", seed=seed) for seed in (1, 2)]
    predicted = [predict(run, there) for run in runs]
    done_run(snapshot, "esim")  # without predictions here
    rows = rows_of(overview("many-answers", [snapshot], "test", 50))
    assert [row["entropy"] for row in rows] == list(BINS)
    assert {(row["model"], row["seeds"]) for row in rows} == {("cbow", 2)}
    for row in rows:
        low, high = BINS[row["entropy"]]
        chosen = [
            line
            for line in there[:-1]
            if low < entropy([one for one in line["extra_label_counts"].values() if one]) <= high
        ]
        votes = [[line["extra_label_counts"][label] for label in LABELS] for line in chosen]
        assert row["pairs"] == len(chosen) > 0
        by_seed = [[list(seed[line["pairID"]].values()) for line in chosen] for seed in predicted]
        wanted = [distances(votes, np.array(shares)) for shares in by_seed]
        assert row["JSD"] == pytest.approx(np.mean([one["jsd"] for one in wanted]))
        assert row["KL"] == pytest.approx(np.mean([one["kl"] for one in wanted]))
        answers = [[LABELS[one.index(max(one))] for one in shares] for shares in by_seed]
        pairs = [(said, line) for seed in answers for said, line in zip(seed, chosen, strict=True)]
        gold = [said == line["gold_label"] for said, line in pairs]
        counts = [(line["extra_label_counts"], said) for said, line in pairs]
        most = [each[said] == max(each.values()) for each, said in counts]
        assert row["gold label"] == pytest.approx(np.mean(gold))
        assert row["commonest label"] == pytest.approx(np.mean(most))


def test_models_of_the_first_snapshot_stand_beside_the_answers_of_the_last(snapshot):
    other = small_snapshot(3, slug="other")
    run = done_run(other, "cbow")
    told = command("report", "other@1", "small@1", "many-answers")
    assert f"Missing: run {run.pk} on small@1 test: manage.py evaluate {run.pk} small@1" in told.out
    assert "11 pairs of test of small@1 with two labels or more beyond the seats" in told.out
    assert "on the 0 pairs of test of other@1" in command("report", "other@1", "many-answers").out
