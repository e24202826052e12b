"""Defines this platform's own tables over the runs and pairs of frozen snapshots, beside those of the papers.

Each is computed at every request: by `report`, on its page, as CSV and over REST. What takes longer than a page may, the
counts of leaks, is a job.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.reports.evaluation_sets import challenge, human, power, unscored
from modeling.reports.leak_audits import LEAKS, leaks
from modeling.reports.many_answers import lacking, many_answers
from modeling.reports.parity import consistency, parity
from modeling.reports.unscored import Unscored
from modeling.results.beside_twin import whole_beside_twin
from modeling.results.features import top_features
from modeling.results.predicted import Codes, Predicted, read_predicted
from modeling.results.predictions import Predictions, PredictionsMissing
from modeling.results.trials import not_chosen_on
from modeling.results.twins import TWIN, full_run_of
from shared.tables import Column, Table, Value, plain
from snapshots.models import Snapshot

MOST_ROWS = 10_000
LEFT_OUT = "majority"  # it misses every pair that has not the commonest label, whatever the pair says


@dataclass(frozen=True)
class Answers:
    """What a run answers to each pair, as an index in `names`, and whether it is wrong."""

    run: TrainingRun
    names: list[str]
    codes: Codes
    wrong: npt.NDArray[np.bool_]


def missed(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the pairs that most runs predict wrongly, ordered by the number of these runs."""
    (snapshot,) = snapshots
    answers = list(_answers(snapshot, partition))
    columns = (
        Column("pair", kind="pair"),
        Column("premise"),
        Column("hypothesis"),
        Column("gold"),
        Column("predicted"),
        Column("labels"),
        Column("missed by", kind="count"),
        Column("runs", kind="count"),
        Column("baselines that miss it"),
    )
    definitions = [
        f"Of each baseline the newest run of each seed and setting, without {LEFT_OUT} and without runs on two classes."
        " Missed by: runs whose predicted label is not the gold label."
    ]
    if not answers:
        nothing = f"No finished run on {snapshot} has predictions for {partition} on this machine."
        return plain("missed", "Pairs that all runs miss", columns, [], (*definitions, nothing))
    wrong = np.stack([one.wrong for one in answers])
    times = wrong.sum(axis=0)
    everywhere = int((times == len(answers)).sum())
    definitions.append(f"{everywhere:,} of {len(times):,} pairs are missed by all {len(answers)} runs.")
    chosen = np.argsort(-times, kind="stable")[:most]
    rows: list[list[Value]] = []
    shown = Predictions(answers[0].run, partition).rows([int(place) for place in chosen if times[place]])
    for place, row in zip(chosen.tolist(), shown, strict=False):
        by = [one for one in answers if one.wrong[place]]
        rows.append(
            [
                row.pair_id,
                row.premise,
                row.hypothesis,
                row.gold,
                _counted(Counter(one.names[one.codes[place]] for one in by)),
                _counted(Counter(row.votes)),
                len(by),
                len(answers),
                _counted(Counter(one.run.baseline for one in by)),
            ]
        )
    return plain("missed", f"Pairs of {partition} that all runs miss", columns, rows, tuple(definitions))


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" if times > 1 else name for name, times in found.most_common())


def _answers(snapshot: Snapshot, partition: str) -> Iterator[Answers]:
    """Yields the answers of each run that has any on this machine, in the order of the first run's pairs."""
    done = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE)
    wanted = done.exclude(baseline=LEFT_OUT).exclude(pk__in=not_chosen_on([snapshot]))
    runs = wanted.newest_of_each_seed().select_related("snapshot__corpus")
    first: Predicted | None = None
    for run in runs.order_by("pk"):
        path = None if run.regime.get("collapse") else predictions_of(run, snapshot, partition)
        predicted = read_predicted(path) if path else None
        if predicted and predicted.ids:
            first = first or predicted
            found = predicted.in_order_of(first)
            yield Answers(run, found.names, found.codes, ~found.right)


def twins(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each run that has a twin, the newest first."""
    (snapshot,) = snapshots
    columns = (
        Column("baseline"),
        Column("seed", kind="count"),
        Column("run", kind="run"),
        Column("twin", kind="run"),
        Column("pairs", kind="count"),
        Column("full model", kind="share"),
        Column("hypothesis-only", kind="share"),
        Column("majority", kind="share"),
        Column("gain", kind="share"),
        Column("gain, relative", kind="share"),
        Column("PVI, bits"),
    )
    rows: list[list[Value]] = []
    left = not_chosen_on([snapshot])
    done = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE)
    for twin in done.newest_of_each_seed().select_related("snapshot__corpus").order_by("-pk"):
        run = full_run_of(twin) if twin.regime.get(TWIN) else None
        if run is None or {run.pk, twin.pk} & left or len(rows) >= most:
            continue
        try:
            whole = whole_beside_twin(run, twin, partition)
        except PredictionsMissing:
            continue
        if whole is not None:
            rows.append(
                [
                    run.baseline, run.seed, str(run.pk), str(twin.pk), whole.pairs, whole.full, whole.twin,
                    whole.majority, whole.gain, whole.relative, f"{whole.pvi:.3f}",
                ]
            )  # fmt: skip
    definitions = [
        "Twin: the same network, settings and seed, which reads each premise as empty (train --hypothesis-only).",
        "Gain: full model minus hypothesis-only; relative: as a share of hypothesis-only.",
        "PVI: bits that the premise adds to the gold label's probability, mean over pairs (Ethayarajh et al. 2022).",
    ]
    if not rows:
        definitions.append(
            f"No finished run on {snapshot} has such a twin with predictions for {partition} on this machine: a run's page"
            " leads to training one."
        )
    return plain(
        "twins", f"Runs beside their hypothesis-only twins, {partition}", columns, rows, tuple(definitions)
    )


def features(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the features of the newest run that has some, label by label, the strongest first."""
    (snapshot,) = snapshots
    columns = (Column("label"), Column("feature"), Column("kind"), Column("weight", kind="number"))
    runs = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE).order_by("-pk")
    found = ((run, top_features(run, most)) for run in runs.filter(baseline="lexicalized"))
    run, by_label = next(((run, by) for run, by in found if by), (None, {}))
    rows: list[list[Value]] = [
        [label, one.feature, one.kind, one.weight] for label, features in by_label.items() for one in features
    ]
    source = (
        f"Of run {run.pk}."
        if run
        else f"No run of lexicalized on {snapshot} has left its top features on this machine: train one."
    )
    definitions = (
        source,
        "Weight: how far the weight for the label is above the mean over labels, in nats of log odds (SNLI, section 3.4).",
    )
    return plain("features", "Top features of the lexicalized classifier", columns, rows, definitions)


@dataclass(frozen=True)
class Overview:
    """How one table is made: `make` gets the snapshots, the partition and how many rows at most.

    `about`: a sentence about its content. `several`: it covers all named snapshots, else the first alone. Without
    `by_partition` it is the same for every partition.
    """

    title: str
    about: str
    make: Callable[[list[Snapshot], str, int], Table]
    several: bool = False
    by_partition: bool = True
    lacks: Callable[[list[Snapshot], str, int], list[Unscored]] | None = (
        None  # the scores that it shows and lacks
    )


OVERVIEWS: dict[str, Overview] = {
    "twins": Overview(
        "Runs beside their hypothesis-only twins",
        "What the premise adds to each run, in accuracy and in bits (PVI).",
        twins,
    ),
    "missed": Overview(
        "Pairs that all runs miss",
        "Pairs that no run answers correctly, or only few: hard ones, and ones with a wrong label.",
        missed,
    ),
    "human": Overview(
        "Human ceiling",
        "How often one annotator gives the gold label of the others: what a model cannot be expected to exceed.",
        human,
    ),
    "power": Overview(
        "Pairs that a difference needs",
        "Whether this partition is large enough to tell two systems apart.",
        power,
    ),
    "challenge": Overview(
        "Models on several snapshots",
        "The models of the first snapshot on challenge sets: name these as further snapshots.",
        challenge,
        several=True,
        lacks=unscored,
    ),
    "many-answers": Overview(
        "Models beside many answers",
        "How near the models of the first snapshot are to people's labels beyond the seats, by their entropy (ChaosNLI).",
        many_answers,
        several=True,
        lacks=lacking,
    ),
    "parity": Overview(
        "Parity on minimal pairs",
        "Whether models answer alike where two pairs differ in one word that should not matter, such as he and she.",
        parity,
    ),
    "consistency": Overview(
        "Families that are all right",
        "Whether models get every pair right where sentences were changed into one another (prompts with contrast).",
        consistency,
    ),
    LEAKS: Overview(
        "What parts have in common",
        "Whether texts of one part are in another: of one snapshot, or of the first and each further one.",
        leaks,
        several=True,
        by_partition=False,
    ),
    "features": Overview(
        "Top features of the lexicalized classifier",
        "The words and word pairs that speak most for each label (SNLI, section 3.4).",
        features,
        by_partition=False,
    ),
}


def overview(name: str, snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Makes the table `name`. Raises KeyError, PredictionsMissing."""
    kind = OVERVIEWS[name]
    return kind.make(snapshots if kind.several else snapshots[:1], partition, most)
