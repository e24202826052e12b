"""Measures whether a model labels minimal pairs alike, such as Winogender's, which differ in one pronoun alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from modeling.models import TrainingRun
from modeling.reports.scores import Scores
from modeling.results.trials import not_chosen_on
from nli.labels import NO_GOLD
from nli.lines import PARTITION_FILES
from snapshots.files.reading import lines
from snapshots.models import Snapshot
from snapshots.statistics.paper_tables import Cell, Column, Table

MOST_IN_A_GROUP = 200  # each two of a group are compared


def parity(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each run: the share of minimal pairs whose two sentences get the same label."""
    (snapshot,) = snapshots
    columns = (
        Column("baseline"),
        Column("trained on"),
        Column("seed", "count"),
        Column("run", "run"),
        Column("minimal pairs", "count"),
        Column("parity", "share"),
        Column("both right", "share"),
        Column("one right", "share"),
    )
    found = list(minimal_pairs(snapshot, partition))
    rows: list[list[Cell]] = []
    for run, predicted in _predictions(snapshot, partition) if found else ():
        known = [
            (predicted.places[one], predicted.places[other])
            for one, other in found
            if one in predicted.places and other in predicted.places
        ]
        if not known or len(rows) >= most:
            continue
        same = sum(predicted.codes[one] == predicted.codes[other] for one, other in known)
        right = [int(predicted.right[one]) + int(predicted.right[other]) for one, other in known]
        rows.append(
            [
                run.baseline, str(run.snapshot), run.seed, str(run.pk), len(known), float(same / len(known)),
                right.count(2) / len(known), right.count(1) / len(known),
            ]
        )  # fmt: skip
    definitions = (
        "Minimal pair: two pairs of one group, of one premise or with one hypothesis that have the same gold label; one"
        " sentence is the same, the other differs in one word, such as he and she.",
        "Parity: the share of minimal pairs to which the model gives the same label (Winogender, Rudinger et al. 2018; the"
        " gender parity score of SuperGLUE, Wang et al. 2019).",
        f"{snapshot} has {len(found):,} minimal pairs in {partition}.",
    )
    return Table("parity", f"Parity on minimal pairs, {partition}", columns, rows, definitions)


def minimal_pairs(snapshot: Snapshot, partition: str) -> Iterator[tuple[str, str]]:
    """Yields the ids of the two pairs of each minimal pair, each once."""
    path = snapshot.folder / PARTITION_FILES[partition]
    groups: dict[str, list[Any]] = defaultdict(list)
    for line in lines(path) if path.exists() else ():
        if line["gold_label"] != NO_GOLD:
            texts = (line["sentence1"].split(), line["sentence2"].split())
            for group in _groups(line):
                groups[group].append((line["pairID"], line["gold_label"], *texts))
    found = (
        (one[0], other[0])
        for members in groups.values()
        for one, other in combinations(members[:MOST_IN_A_GROUP], 2)
        if one[1] == other[1] and sorted(map(_differences, one[2:], other[2:])) == [0, 1]
    )
    yield from dict.fromkeys(found)


def _groups(line: Mapping[str, Any]) -> tuple[str, str]:
    """Returns where a pair may have its counterpart: in its group (or premise), and among pairs with its hypothesis."""
    return (line.get("group") or line["promptID"], f"hypothesis {line['sentence2']}")


def _differences(one: list[str], other: list[str]) -> int:
    """Counts the positions with different words; 2 for texts of different lengths, which means more than one."""
    if len(one) != len(other):
        return 2
    return sum(mine != theirs for mine, theirs in zip(one, other, strict=True))


def _predictions(snapshot: Snapshot, partition: str) -> Iterator[Any]:
    """Yields the runs that were scored on the snapshot, with their predictions, the newest first."""
    done = TrainingRun.objects.filter(
        evaluations__snapshot=snapshot, evaluations__partition=partition, status="done"
    )
    scores = Scores([snapshot])
    runs = done.select_related("snapshot__corpus").distinct().order_by("-pk")
    left = not_chosen_on({run.snapshot for run in runs})
    for run in runs.exclude(pk__in=left):
        predicted = scores.predicted(run, 0, partition)
        if predicted is not None:
            yield run, predicted
