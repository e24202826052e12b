"""Compares models with the answers of many people to each pair, as ChaosNLI does (Nie et al. 2020): its hundred labels."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.reports.evaluation_sets import unscored
from modeling.reports.unscored import Unscored
from modeling.results.pair_values import ENTROPIES, bin_of
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.run_scores import results
from nli.agreement import entropy
from nli.labels import NO_GOLD
from nli.lines import EXTRA, PARTITION_FILES, votes_in
from shared.tables import Column, Table, Value, plain
from snapshots.files.reading import lines
from snapshots.models import Snapshot

ALL = "all"
SMALLEST = 1e-7  # as the training program counts a predicted probability (modeling.baselines.scores)
Shares = npt.NDArray[np.float64]


def many_answers(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each experiment on the first snapshot and each bin of entropy of people's labels on the last one."""
    first, on = snapshots[0], snapshots[-1]
    columns = (
        *(Column("model"), Column("seeds", kind="count"), Column("entropy"), Column("pairs", kind="count")),
        *(Column(name, kind="share") for name in ("gold label", "commonest label")),
        *(Column(name, kind="kappa") for name in ("JSD", "KL")),
    )
    votes = _votes(on, partition)
    rows: list[list[Value]] = []
    tables = results([first]) if votes else []
    numbers = [number for table in tables for one in table.experiments for number in one.run_ids]
    runs = TrainingRun.objects.filter(pk__in=numbers).exclude(regime__has_key="collapse").in_bulk()
    for experiment in [one for table in tables for one in table.experiments]:
        paths = (predictions_of(runs[one], on, partition) for one in experiment.run_ids if one in runs)
        found = [figures(read_predicted(path), votes) for path in paths if path]
        name = (
            f"{experiment.baseline} ({experiment.settings})" if experiment.settings else experiment.baseline
        )
        for part in found[0] if found else ():
            means = np.mean([seed[part] for seed in found], axis=0).tolist()
            rows.append([name, len(found), part, round(means[0]), *means[1:]])
    definitions = [
        f"Models of {first}, on the {len(votes):,} pairs of {partition} of {on} with two labels or more beyond the seats,"
        " and a gold label; means over seeds. Entropy: of these labels, in bits. Without models of two classes.",
        "Gold label: how often the model gives it. Commonest label: how often it gives the one that most of these labels"
        " are; of several, any.",
        "JSD and KL: mean Jensen-Shannon divergence, and Kullback-Leibler divergence of the model from these labels, in"
        " nats; ChaosNLI gives the square root of the former.",
        *(f"Missing: {one}." for one in lacking(snapshots, partition, most)),
    ]
    return plain(
        "many-answers", f"Models beside many answers, {partition}", columns, rows[:most], definitions
    )


def lacking(snapshots: list[Snapshot], partition: str, most: int) -> list[Unscored]:
    """Returns the runs on the first snapshot that are not scored on the last one yet."""
    found = unscored(list(dict.fromkeys((snapshots[0], snapshots[-1]))), partition, most)
    return [one for one in found if one.snapshot == snapshots[-1]]


def _votes(snapshot: Snapshot, partition: str) -> dict[str, Counter[str]]:
    """Returns the labels beyond the seats of each pair that has a gold label and two of them."""
    path = snapshot.folder / PARTITION_FILES[partition]
    given = (
        (line["pairID"], votes_in(line, EXTRA))
        for line in (lines(path) if path.exists() else ())
        if line["gold_label"] != NO_GOLD
    )
    return {name: votes for name, votes in given if votes.total() > 1}


def figures(predicted: Predicted, votes: Mapping[str, Counter[str]]) -> dict[str, Sequence[float]]:
    """Returns [pairs, gold label, commonest label, JSD, KL] of all pairs with votes, and of each bin of entropy."""
    places = [place for place, name in enumerate(predicted.ids) if name in votes]
    given = [votes[predicted.ids[place]] for place in places]
    people = np.array([[each[label] for label in predicted.names] for each in given], dtype=np.float64)
    if not len(people):
        return {}
    codes = predicted.codes[places]
    is_commonest = people[np.arange(len(people)), codes] == people.max(axis=1)
    people /= people.sum(axis=1, keepdims=True)
    model = np.clip(predicted.shares[places], SMALLEST, None)
    model /= model.sum(axis=1, keepdims=True)
    middle = (people + model) / 2
    jsd = (_divergence(people, middle) + _divergence(model, middle)) / 2
    each = np.stack(
        [np.ones(len(people)), predicted.right[places], is_commonest, jsd, _divergence(people, model)]
    )
    bins: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(given):
        bins[bin_of(entropy(tuple(one.values())), ENTROPIES)].append(row)
    ends = [bin_of(end, ENTROPIES) for end in (*ENTROPIES, float("inf"))]
    parts = {ALL: list(range(len(given))), **{name: bins[name] for name in ends if name in bins}}
    return {name: [len(rows), *each[1:, rows].mean(axis=1).tolist()] for name, rows in parts.items()}


def _divergence(one: Shares, other: Shares) -> Shares:
    terms = np.where(one > 0, one * np.log(np.where(one > 0, one, 1) / other), 0)
    return np.asarray(terms.sum(axis=1))
