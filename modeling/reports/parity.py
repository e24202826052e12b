"""Measures whether a model labels minimal pairs alike, such as Winogender's, and families of changed sentences all right."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, compress
from typing import Any

import numpy as np
import orjson

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.results.predicted import read_predicted
from modeling.results.trials import not_chosen_on
from nli.labels import NO_GOLD
from nli.lines import HYPOTHESIS, PARTITION_FILES, PREMISE, has_gold
from shared.intervals import wilson
from shared.tables import Column, Table, Value, plain
from snapshots.files.reading import lines
from snapshots.models import Snapshot

MOST_IN_A_GROUP = 200  # of texts that differ in the same word, each two of so many make a minimal pair
OF_RUN = (Column("baseline"), Column("trained on"), Column("seed", kind="count"), Column("run", kind="run"))


def _of_run(run: TrainingRun) -> list[Value]:
    return [run.baseline, str(run.snapshot), run.seed, str(run.pk)]


def parity(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each run: the share of minimal pairs whose two sentences get the same label."""
    (snapshot,) = snapshots
    columns = (
        *OF_RUN,
        Column("minimal pairs", kind="count"),
        Column("parity", kind="share"),
        Column("both right", kind="share"),
        Column("one right", kind="share"),
    )
    found = list(minimal_pairs(snapshot, partition))
    rows: list[list[Value]] = []
    for run, predicted in _predictions(snapshot, partition) if found else ():
        if len(rows) == most:
            break  # the rest need not be read
        known = [
            (predicted.places[one], predicted.places[other])
            for one, other in found
            if one in predicted.places and other in predicted.places
        ]
        if not known:
            continue
        same = sum(predicted.codes[one] == predicted.codes[other] for one, other in known)
        right = [int(predicted.right[one]) + int(predicted.right[other]) for one, other in known]
        rows.append(
            [
                *_of_run(run), len(known), float(same / len(known)),
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
    return plain("parity", f"Parity on minimal pairs, {partition}", columns, rows, definitions)


def consistency(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each run: the share of families that are all right (Gardner et al. 2020, section 4)."""
    (snapshot,) = snapshots
    columns = (
        *OF_RUN,
        Column("families", kind="count"),
        Column("all right", kind="share"),
        Column("from", kind="share"),
        Column("to", kind="share"),
        Column("pairs", kind="count"),
        Column("pairs right", kind="share"),
    )
    found = families(snapshot, partition)
    rows: list[list[Value]] = []
    for run, predicted in _predictions(snapshot, partition) if found else ():
        if len(rows) == most:
            break  # the rest need not be read
        right = [
            [bool(predicted.right[predicted.places[pair]]) for pair in pairs]
            for pairs in found
            if all(pair in predicted.places for pair in pairs)
        ]
        if not right:
            continue
        share, pairs = sum(map(all, right)) / len(right), sum(map(len, right))
        rows.append(
            [
                *_of_run(run), len(right), share,
                *wilson(share, len(right)), pairs, sum(map(sum, right)) / pairs,
            ]
        )  # fmt: skip
    definitions = (
        "Family: two pairs or more with a gold label that were made of one another, as under prompts with the mode"
        " `contrast`.",
        "All right: the share of families of which the model gets every pair right (the contrast consistency of Gardner et"
        " al. 2020, Evaluating Models’ Local Decision Boundaries via Contrast Sets).",
        "From, to: the 95% interval of the share, after Wilson.",
        f"{snapshot} has {len(found):,} families in {partition}.",
    )
    return plain("consistency", f"Families that are all right, {partition}", columns, rows, definitions)


def families(snapshot: Snapshot, partition: str) -> list[list[str]]:
    """Returns the ids of the pairs of each family that has two or more with a gold label."""
    path = snapshot.folder / PARTITION_FILES[partition]
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines(path) if path.exists() else ():
        if has_gold(line) and (family := line.get("family")):
            found[family].append(line["pairID"])
    return [pairs for pairs in found.values() if len(pairs) > 1]


def minimal_pairs(snapshot: Snapshot, partition: str) -> Iterator[tuple[str, str]]:
    """Yields the ids of the two pairs of each minimal pair, each once."""
    path = snapshot.folder / PARTITION_FILES[partition]
    if not path.exists():
        return
    # Few pairs have a counterpart in most corpora: the others' texts are not kept.
    hashes = (hash(key) for line in lines(path) for key in _alike(line))
    alike = np.fromiter(hashes, dtype=np.int64).reshape(-1, 2)
    numbers, times = np.unique(alike, return_counts=True)
    is_candidate = np.asarray(np.isin(alike, numbers[times > 1]).any(axis=1))
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    with path.open("rb") as stream:
        for line in map(orjson.loads, compress(stream, is_candidate)):
            for key, sentence in zip(_alike(line), (PREMISE, HYPOTHESIS), strict=True):
                if line["gold_label"] != NO_GOLD:
                    groups[key].append((line["pairID"], line[sentence]))
    for members in groups.values():
        yield from _differing_in_one_word(members)


def _alike(line: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields what a counterpart with another premise shares with the pair, then one with another hypothesis.

    The former has any premise; the latter has its group, or is of the same prompt.
    """
    yield line["gold_label"], *line[HYPOTHESIS].split()
    yield line["gold_label"], line.get("group") or line["promptID"], "", *line[PREMISE].split()


def _differing_in_one_word(members: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yields the ids of each two texts of the same length that differ in one word."""
    if len(members) < 2:
        return
    others: dict[tuple[Any, ...], list[tuple[str, str]]] = defaultdict(list)
    for name, text in members:
        words = text.split()
        for place, word in enumerate(words):
            others[(place, *words[:place], *words[place + 1 :])].append((name, word))
    for found in others.values():
        for (one, mine), (other, theirs) in combinations(found[:MOST_IN_A_GROUP], 2):
            if mine != theirs:
                yield one, other


def _predictions(snapshot: Snapshot, partition: str) -> Iterator[Any]:
    """Yields the runs that were scored on the snapshot, with their predictions, the newest first."""
    done = TrainingRun.objects.filter(
        evaluations__snapshot=snapshot, evaluations__partition=partition, status="done"
    )
    runs = done.select_related("snapshot__corpus").distinct().order_by("-pk")
    left = not_chosen_on({run.snapshot for run in runs})
    for run in runs.exclude(pk__in=left):
        path = predictions_of(run, snapshot, partition)
        if path is not None:
            yield run, read_predicted(path)
