"""Breaks the predictions of runs down by the values of pairs, and stores the result. See pair_values.DIMENSIONS."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import transaction

from modeling.baselines.config import METRICS
from modeling.folders import folder_of, further_dimensions, predictions_in
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.results.dimensions import APPROACH, OWN
from modeling.results.marks import marked_values
from modeling.results.pair_values import (
    PairValues,
    Values,
    binned,
    own_values,
    pair_values,
    read_values,
    tag_values,
    write_values,
)
from modeling.results.predicted import Predicted, read_predicted
from snapshots.models import Snapshot

MOST_VALUES = 1000  # of more authors than these, those with the most pairs
TRAINING_TEXTS = "training_texts.safetensors"  # a file of a run's folder
CONFIDENCES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
WITH_APPROACH, BETWEEN = ("genre", "semantic_type"), "\t"
MATCHED, MISMATCHED = "matched", "mismatched"
SEEN, NEW = "seen", "new"


def break_down(values: Values, gold: Values, right: npt.NDArray[np.bool_] | None) -> list[list[Any]]:
    """Returns a row for each value: the value, its pairs, those predicted correctly, and its pairs by gold label."""
    labels, total = len(gold.names), len(values.names)
    if not total or not labels:
        return []
    counts = np.zeros((total, labels), dtype=np.int64)
    correct = np.zeros(total, dtype=np.int64)
    for codes in values.codes.T:
        has = codes >= 0
        place = codes[has] * labels + gold.codes[has, 0]
        counts += np.bincount(place, minlength=total * labels).reshape(total, labels)
        if right is not None:
            correct += np.bincount(codes[has], weights=right[has], minlength=total).astype(np.int64)
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_VALUES]
    return [
        [
            values.names[row],
            int(counts[row].sum()),
            None if right is None else int(correct[row]),
            {label: int(count) for label, count in zip(gold.names, counts[row], strict=True)},
        ]
        for row in order
        if counts[row].any()
    ]


def store_breakdowns(
    run: TrainingRun,
    snapshot: Snapshot,
    folder: Path,
    partitions: Iterable[str],
    *,
    paths: Mapping[str, Path] = {},
    tags: bool = False,
    own: Mapping[str, Path] = {},
) -> None:
    """Breaks down the predictions in `folder` and stores the result, with that of the snapshot's pairs themselves.

    `paths`: files of partitions that are not in the snapshot's folder. `tags`: also by annotation tag, which needs spaCy.
    `own`: name -> file with the values of a further dimension. A partition without predictions is skipped. Raises NoTagger,
    ValueError for a bad file.
    """
    given = {name: own_values(file) for name, file in own.items()}
    unused = set(given)
    for partition in partitions:
        path = predictions_in(folder, partition)
        if not path.exists():
            continue
        predicted = read_predicted(path)
        pairs = aligned(pair_values(snapshot, partition, paths.get(partition)), predicted)
        further = tag_values(snapshot, partition, pairs) if tags else {}
        further |= marked_values(snapshot, partition, pairs.ids)
        found = {name for name, of_pairs in given.items() if not of_pairs.keys().isdisjoint(pairs.ids)}
        further |= {
            f"{OWN}{name}": Values.of([given[name].get(pair, []) for pair in pairs.ids]) for name in found
        }
        unused -= found
        _keep_further(run, snapshot, partition, pairs, further)
        dimensions = _dimensions(run, pairs, predicted) | further
        _store(run, snapshot, partition, dimensions, predicted.gold_values, predicted.right)
        Evaluation.objects.filter(run=run, snapshot=snapshot, partition=partition).update(
            calibration=predicted.calibration()
        )
    for name in unused:
        raise ValueError(f"{own[name]}: no pair id in it belongs to an evaluated pair.")


def _dimensions(run: TrainingRun, pairs: PairValues, predicted: Predicted) -> dict[str, Values]:
    """Returns the dimensions that every run has: each needs neither spaCy nor a file that a researcher brings."""
    return {
        "label": predicted.gold_values,
        "predicted": predicted.predicted_values,
        "confidence": binned(predicted.confidence, CONFIDENCES),
        **pairs.dimensions,
        **_of_run(run, pairs),
    }


def store_marks_of_run(run: TrainingRun, snapshot: Snapshot, partition: str, path: Path) -> None:
    """Stores how many predictions in `path`, and how many right ones, have each phenomenon that people marked."""
    predicted = read_predicted(path)
    values = marked_values(snapshot, partition, predicted.ids)
    gold = [predicted.names[code] for code in predicted.gold]
    none = np.zeros(len(predicted.ids), np.uint64)  # no hypotheses are needed here
    _keep_further(run, snapshot, partition, PairValues(predicted.ids, gold, none), values)
    _store(run, snapshot, partition, values, predicted.gold_values, predicted.right)


def store_marks(snapshot: Snapshot, partition: str) -> None:
    """Stores how many pairs of a partition have each phenomenon that people marked, without any predictions."""
    pairs = pair_values(snapshot, partition)
    values = marked_values(snapshot, partition, pairs.ids)
    _store(None, snapshot, partition, values, Values.of([(label,) for label in pairs.gold]), None)


def stored_dimensions(
    run: TrainingRun, snapshot: Snapshot, partition: str, predicted: Predicted
) -> dict[str, Values]:
    """Returns every dimension by which the predictions can be filtered, with the value of each prediction.

    The values are those of the stored counts. If the snapshot's file is not on this machine, it returns only the
    dimensions that the predictions themselves contain.
    """
    pairs = pair_values(snapshot, partition)
    further: dict[str, Values] = {}
    try:
        pairs = aligned(pairs, predicted)
        with suppress(FileNotFoundError):
            further = aligned(read_values(further_dimensions(run, snapshot, partition)), predicted).dimensions
    except ValueError:
        pairs = PairValues(predicted.ids, [], np.zeros(len(predicted.ids), np.uint64))
    return _dimensions(run, pairs, predicted) | further


def _keep_further(
    run: TrainingRun, snapshot: Snapshot, partition: str, pairs: PairValues, found: dict[str, Values]
) -> None:
    """Stores the values of dimensions that cannot be computed again from the snapshot alone, beside earlier ones."""
    if not found:
        return
    target = further_dimensions(run, snapshot, partition)
    with suppress(FileNotFoundError, ValueError):
        earlier = read_values(target)
        found = (earlier.dimensions if earlier.ids == pairs.ids else {}) | found
    write_values(target, PairValues(pairs.ids, pairs.gold, pairs.hypotheses, found))


def store_composition(snapshot: Snapshot, partition: str, *, tags: bool = False) -> None:
    """Stores how many pairs of a partition have each value, by gold label. Raises NoTagger."""
    pairs = pair_values(snapshot, partition)
    dimensions = {"label": Values.of([(label,) for label in pairs.gold]), **pairs.dimensions}
    if tags:
        dimensions |= tag_values(snapshot, partition, pairs)
    dimensions |= marked_values(snapshot, partition, pairs.ids) | _with_approach(pairs)
    _store(None, snapshot, partition, dimensions, dimensions["label"], None)


def _with_approach(pairs: PairValues) -> dict[str, Values]:
    """Returns genre and data set of each pair, each with how the pair was recast; empty where no pair says it."""
    if APPROACH not in pairs.dimensions:
        return {}
    approaches = pairs.dimensions[APPROACH].of_pairs()
    return {
        crossed(name): Values.of(
            [
                [f"{one}{BETWEEN}{approach}" for one in values for approach in each]
                for values, each in zip(pairs.dimensions[name].of_pairs(), approaches, strict=True)
            ]
        )
        for name in WITH_APPROACH
        if name in pairs.dimensions
    }


def crossed(dimension: str) -> str:
    """Returns the name of a dimension whose values are those of another one, each with how the pair was recast."""
    return f"{dimension} by {APPROACH}"


def aligned(pairs: PairValues, predicted: Predicted) -> PairValues:
    """Returns the values in the order of the predictions. Raises ValueError for a pair that is not in the snapshot."""
    if pairs.ids == predicted.ids:
        return pairs
    place = {name: row for row, name in enumerate(pairs.ids)}
    try:
        rows = np.array([place[name] for name in predicted.ids], dtype=np.int64)
    except KeyError as error:
        raise ValueError(
            f"The predictions contain the pair {error}, which is not in the snapshot: evaluate the run again."
        ) from None
    dimensions = {name: Values(one.names, one.codes[rows]) for name, one in pairs.dimensions.items()}
    return PairValues(
        predicted.ids, [pairs.gold[row] for row in rows.tolist()], pairs.hypotheses[rows], dimensions
    )


def _of_run(run: TrainingRun, pairs: PairValues) -> dict[str, Values]:
    """Returns the dimensions that depend on the training pairs of the run."""
    found = {}
    genres = _training_genres(folder_of(run))
    if genres is not None and "genre" in pairs.dimensions:
        names = pairs.dimensions["genre"].names
        kinds = np.array([int(name not in genres) for name in names] + [-1], dtype=np.int32)
        found["matched"] = Values([MATCHED, MISMATCHED], kinds[pairs.dimensions["genre"].codes])
    texts = folder_of(run) / TRAINING_TEXTS
    if texts.exists() and len(pairs.ids):
        # Imported late: only machines that train have it, and only they have the file.
        from safetensors.numpy import load_file

        known = np.isin(pairs.hypotheses, load_file(texts)["hypotheses"])
        found["seen"] = Values([NEW, SEEN], known.astype(np.int32)[:, None])
    return found


def _training_genres(folder: Path) -> set[str] | None:
    try:
        train = json.loads((folder / METRICS).read_text(encoding="utf-8"))["train"]
    except (OSError, ValueError, KeyError):
        return None
    return {*train.get("genres", ()), *train.get("genres_before", ())}


@transaction.atomic
def _store(
    run: TrainingRun | None,
    snapshot: Snapshot,
    partition: str,
    dimensions: Mapping[str, Values],
    gold: Values,
    right: npt.NDArray[np.bool_] | None,
) -> None:
    Breakdown.objects.filter(
        run=run, snapshot=snapshot, partition=partition, dimension__in=dimensions
    ).delete()
    Breakdown.objects.bulk_create(
        Breakdown(run=run, snapshot=snapshot, partition=partition, dimension=name, rows=rows)
        for name, values in dimensions.items()
        if (rows := break_down(values, gold, right))
    )
