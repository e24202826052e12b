"""Evaluates test sets: the human ceiling, the differences that they can show, several sets side by side."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

import numpy as np

from modeling.models import Evaluation, TrainingRun
from modeling.paired_tests import LEVEL, POWER, mean_and_spread, paired_p, pairs_needed, smallest_difference
from modeling.reports.scores import Scores
from modeling.reports.unscored import Unscored
from modeling.results.run_scores import Experiment, results
from modeling.results.trials import not_chosen_on
from nli.gold import FEWEST, left_out
from nli.lines import PARTITION_FILES, rule_of
from shared.intervals import wilson
from shared.tables import Column, Table, Value, plain
from snapshots.files.reading import lines
from snapshots.models import Snapshot

DISCORDANT = (0.05, 0.1, 0.2, 0.3, 0.4)
DIFFERENCES = (0.005, 0.01, 0.02, 0.03, 0.05)
MOST_SYSTEMS = 12


def human(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns how often one annotator agrees with the gold label of the others: overall, by genre and by gold label."""
    (snapshot,) = snapshots
    columns = (
        Column("labels left out"),
        Column("pairs", kind="count"),
        Column("labels", kind="count"),
        Column("others have a gold label", kind="count"),
        Column("as the others", kind="share"),
        Column("from", kind="share"),
        Column("to", kind="share"),
    )
    counts, pairs = _left_out(snapshot, partition)
    rows: list[list[Value]] = []
    for name, left in list(counts.items())[: most + 1]:
        rows.append([name, pairs[name], left.given, left.judged, left.share, *left.interval])
    best = _best(snapshot, partition)
    if best is not None:
        rows.append(
            [
                f"best run: {best.run.baseline}, run {best.run_id}",
                *(best.pairs, None, None, best.accuracy, *wilson(best.accuracy, best.pairs)),
            ]
        )
    definitions = (
        f"Each label of a pair with {FEWEST} labels or more is left out once; more than half of the others decide, by the"
        " question's rule. Where the others have none, the label is in no share.",
        "From, to: the 95% interval after Wilson. Labels in one group of premises are not independent, so it counts as many"
        " labels as would have the same spread over groups if they were.",
        "Author: label 1 of pairs that were written for a label. Validators: all other labels.",
        "A model is judged on pairs with a gold label alone, and by all labels: compare with care.",
        *(() if rows and pairs["all"] else (f"No pair of {partition} has {FEWEST} labels here.",)),
    )
    return plain("human", f"Human ceiling on {partition}", columns, rows, definitions)


@dataclass
class LeftOut:
    """Labels that were left out: all, and by group of premises those that the others judge and those that agree."""

    given: int = 0
    groups: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def add(self, group: str, given: int, judged: int, agrees: int) -> None:
        self.given += given
        if judged:
            self.groups[group][0] += judged
            self.groups[group][1] += agrees

    @property
    def judged(self) -> int:
        return sum(judged for judged, _ in self.groups.values())

    @property
    def share(self) -> float | None:
        return sum(same for _, same in self.groups.values()) / self.judged if self.groups else None

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Returns the 95% interval of the share; (None, None) if there are fewer than two groups."""
        share, groups = self.share, len(self.groups)
        if share is None or groups < 2:
            return None, None
        residuals = sum((same - share * judged) ** 2 for judged, same in self.groups.values())
        variance = residuals * groups / (groups - 1) / self.judged**2
        # Where all groups have one share there is no spread to go by: then each group counts as one label.
        return wilson(share, share * (1 - share) / variance if variance else groups)


def _left_out(snapshot: Snapshot, partition: str) -> tuple[dict[str, LeftOut], Counter[str]]:
    """Counts held-out labels, those for which the others have a gold label, and those that agree with it, by row."""
    counts: dict[str, LeftOut] = defaultdict(LeftOut)
    pairs: Counter[str] = Counter()
    manifest = snapshot.read_manifest()
    path = snapshot.folder / PARTITION_FILES[partition]
    counts["all"], counts["author"], counts["validators"] = LeftOut(), LeftOut(), LeftOut()
    if manifest is None or not path.exists():
        return counts, pairs
    rule = rule_of(manifest["corpus"])

    @lru_cache(maxsize=100_000)
    def of_labels(labels: tuple[str, ...], is_authored: bool) -> dict[str, list[int]]:
        """Returns row -> how many of its labels are left out, have others with a gold label, and agree with it."""
        found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for place, gold, agrees in left_out(rule, labels):
            who = "author" if is_authored and place == 0 else "validators"
            for name in ("all", who, *([f"gold label of the others {gold}"] if gold else [])):
                found[name] = [
                    have + one for have, one in zip(found[name], (1, gold is not None, agrees), strict=True)
                ]
        return found

    for line in lines(path):
        labels = tuple(line["annotator_labels"])
        # Only where the question has the author's scheme is its first label the author's.
        is_authored = bool(labels) and not rule.gold_scheme and line["author_label"] == labels[0]
        if found := of_labels(labels, is_authored):
            for name, figures in ((f"genre {line['genre']}", found["all"]), *found.items()):
                pairs[name] += 1
                counts[name].add(line.get("group") or line["promptID"], *figures)
    return counts, pairs


def _best(snapshot: Snapshot, partition: str) -> Evaluation | None:
    found = Evaluation.objects.filter(snapshot=snapshot, partition=partition, run__snapshot=snapshot)
    found = found.exclude(
        run__regime__has_key="collapse"
    )  # of two classes it says nothing beside people's labels
    if partition == "test":
        found = found.exclude(run__in=not_chosen_on([snapshot]))
    return found.select_related("run").order_by("-accuracy", "-pk").first()


def power(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns how many pairs a difference needs: for any two systems with predictions here, and in general."""
    (snapshot,) = snapshots
    size = snapshot.pairs.filter(partition=partition, gold_label__isnull=False).count()
    columns = (
        Column("comparison"),
        Column("difference", kind="share"),
        Column("discordant pairs", kind="share"),
        Column("p", kind="p"),
        Column("pairs needed", kind="count"),
        Column("pairs here", kind="count"),
        Column("smallest difference shown by these", kind="share"),
    )
    rows = [*_of_systems(snapshot, partition, size)][:most]
    for discordant in DISCORDANT:
        for difference in DIFFERENCES:
            needed = pairs_needed(difference, discordant)
            shown = smallest_difference(size, discordant)
            rows.append(["any two systems", difference, discordant, None, needed, size, shown])
    definitions = (
        f"Pairs needed: for a power of {POWER:.0%} of McNemar's test, two-sided at {LEVEL:.0%} (Connor 1987). p: its exact"
        " form on these predictions. Of several runs of a baseline, the oldest one stands for it.",
        "Discordant pairs: those that one of the two systems alone gets right. Two runs of one network differ in many, too.",
    )
    return plain("power", f"Pairs that a difference needs, {partition}", columns, rows, definitions)


def _of_systems(snapshot: Snapshot, partition: str, size: int) -> list[list[Value]]:
    scores = Scores([snapshot])
    systems: dict[str, TrainingRun] = {}
    for run in reversed(scores.runs):
        if run.most is None and not run.regime and run.baseline not in systems:
            systems[run.baseline] = run
    rows: list[list[Value]] = []
    for one, other in combinations(list(systems.values())[:MOST_SYSTEMS], 2):
        first, second = (scores.predicted(run, 0, partition) for run in (one, other))
        if first is None or second is None or first.ids != second.ids or not first.ids:
            continue
        difference = float(np.mean(first.right) - np.mean(second.right))
        discordant = float(np.mean(first.right != second.right))
        rows.append(
            [
                f"{one.baseline} (run {one.pk}) and {other.baseline} (run {other.pk})",
                difference,
                discordant,
                paired_p(first.right.astype(int), second.right.astype(int)),
                pairs_needed(difference, discordant),
                size,
                smallest_difference(size, discordant),
            ]
        )
    return rows


def challenge(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each experiment on the first snapshot, with its accuracy on every named snapshot."""
    first, *_ = snapshots
    chosen, accuracy = _challenged(snapshots, partition, most)
    columns = [Column("model"), Column("seeds", kind="count")]
    for snapshot in snapshots:
        columns += [Column(str(snapshot), kind="share"), Column(f"{snapshot} ±", kind="share")]
    rows: list[list[Value]] = [
        [
            title,
            None,
            *(cell for snapshot in snapshots for cell in (_majority(accuracy, snapshot, read), None)),
        ]
        for title, read in (("majority class", False), ("majority class (labels read as two classes)", True))
        if not read or any(row.run.regime.get("collapse") for row in accuracy.values())
    ]
    for experiment in chosen:
        row: list[Value] = [_name(experiment.baseline, experiment.settings), len(experiment.run_ids)]
        for snapshot in snapshots:
            scored = [
                accuracy[run, snapshot.pk].accuracy
                for run in experiment.run_ids
                if (run, snapshot.pk) in accuracy
            ]
            row += mean_and_spread(scored) if scored else (None, None)
        rows.append(row)
    definitions = [
        f"All models are trained on {first} and scored on {partition} of each snapshot: mean and standard deviation over"
        " seeds. Majority class: the share of the commonest gold label there.",
        *(f"Missing: {one}." for one in unscored(snapshots, partition, most)),
    ]
    return plain(
        "challenge", f"Models of {first} on several snapshots", tuple(columns), rows, tuple(definitions)
    )


def unscored(snapshots: list[Snapshot], partition: str, most: int) -> list[Unscored]:
    """Returns the runs of `challenge` that are not scored on a snapshot yet, in the order of its cells."""
    chosen, accuracy = _challenged(snapshots, partition, most)
    wanted = [
        (run, snapshot)
        for experiment in chosen
        for snapshot in snapshots
        for run in experiment.run_ids
        if (run, snapshot.pk) not in accuracy
    ]
    runs = TrainingRun.objects.newest_first().in_bulk([run for run, _ in wanted])
    return [Unscored(runs[run], snapshot, partition) for run, snapshot in wanted]


def _challenged(
    snapshots: list[Snapshot], partition: str, most: int
) -> tuple[list[Experiment], dict[tuple[int, int], Evaluation]]:
    """Returns the experiments on the first snapshot, and the scores of their runs by run and snapshot."""
    tables = results(snapshots[:1])
    chosen = tables[0].experiments[:most] if tables else []
    numbers = [number for experiment in chosen for number in experiment.run_ids]
    found = Evaluation.objects.filter(run__in=numbers, snapshot__in=snapshots, partition=partition)
    return chosen, {(row.run_id, row.snapshot_id): row for row in found.select_related("run")}


def _majority(
    accuracy: Mapping[tuple[int, int], Evaluation], snapshot: Snapshot, collapsed: bool
) -> float | None:
    """Returns the share of the commonest label of a snapshot, as runs have read it that collapse labels, or do not."""
    bars = [
        row.majority
        for row in accuracy.values()
        if row.snapshot_id == snapshot.pk
        and row.majority is not None
        and bool(row.run.regime.get("collapse")) is collapsed
    ]
    return max(bars, default=None)


def _name(baseline: str, settings: str) -> str:
    return f"{baseline} ({settings})" if settings else baseline
