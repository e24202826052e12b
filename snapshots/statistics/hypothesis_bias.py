"""What the hypotheses of a corpus give away before anybody labels: a quick look at labelled pairs, without a snapshot.

Class shares by group, repeated hypotheses, words and neighbouring words that go with a label, and how often a naive Bayes
classifier finds the label from the hypothesis alone (Poliak et al. 2018, Hypothesis Only Baselines, with a quicker model).
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from snapshots.statistics.artifacts import AT_LEAST, THRESHOLDS, WordCounts, giveaways
from snapshots.statistics.words import is_word, tokens

FOLDS = 5
SMOOTHING = 0.5
SHOWN = 10
TOLD_EVERY = 10_000
NOTABLE = 2.58  # standard errors above the commonest label: once in two hundred groups by chance
PARTITIONED = {"": 0, "train": 1}  # dev and test: 2
MOST_GROUPS = 200
PAIR = 2**31  # codes from here on are of two words
Ints = np.ndarray[Any, np.dtype[np.int64]]

DEFINITIONS = {
    "commonest": "The share of the commonest label among the pairs of the group.",
    "hypothesis_only": (
        "How often naive Bayes over the words and neighbouring words of the hypothesis finds the label: learnt from train"
        " and tried on dev and test where the pairs are in partitions, else over five parts that share no group."
    ),
    "gives_away": (
        "Whether the hypothesis alone finds the label clearly more often than the commonest label does: by more than"
        " 2.58 standard errors."
    ),
    "repeated": "Pairs whose hypothesis, letter by letter, stands in another pair too.",
    "giveaways": (
        "Words, and pairs of neighbouring words, that occur at least five times and stand with one label in at least 80 of"
        " 100 occurrences; the most frequent first."
    ),
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled pair as this look sees it. `group` stays in one part; `kind` is the group of the report."""

    hypothesis: str
    label: str
    group: str = ""
    partition: str = ""
    kind: str = ""


def measure_bias(
    pairs: Iterable[Labelled],
    *,
    labels: Sequence[str],
    language: str = "en",
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """All figures over the pairs whose label is one of `labels`, in one pass; features are counted in NumPy arrays."""
    features, words = _Features(), WordCounts()
    index = {label: at for at, label in enumerate(labels)}
    hypotheses: list[str] = []
    kinds: list[str] = []
    given, placed, groups = array("q"), array("q"), array("q")
    for done, pair in enumerate((each for each in pairs if each.label in index), start=1):
        found = [token for token in tokens(pair.hypothesis, language) if is_word(token)]
        words.add(pair.label, Counter(found))
        features.add(found)
        hypotheses.append(pair.hypothesis)
        kinds.append(pair.kind)
        given.append(index[pair.label])
        placed.append(PARTITIONED.get(pair.partition, 2))
        groups.append(zlib.crc32(pair.group.encode(errors="replace")))
        if done % TOLD_EVERY == 0:
            progress(done)
    truth = np.array(given, dtype=np.int64)
    parts = np.array(placed, dtype=np.int64)
    is_split = bool(len(truth)) and set(np.unique(parts).tolist()) == {1, 2}
    folds = parts - 1 if is_split else np.array(groups, dtype=np.int64) % FOLDS
    table = features.table()
    predicted, tried = _predicted(table, truth, folds, len(labels), is_split)
    return {
        "definitions": DEFINITIONS,
        "labels": list(labels),
        "pairs": len(truth),
        "tried_on": "dev and test" if is_split else f"{FOLDS} parts in turn",
        "groups": list(_groups(kinds, truth, predicted, tried, labels)),
        "repeated": _repeated(hypotheses, truth, labels),
        "giveaways": _giveaways(words.figures(labels)["words"], labels),
        "giveaway_pairs": _giveaways(_neighbours(features, table, truth, labels), labels),
    }


@dataclass(frozen=True)
class _Table:
    """Which features stand in which hypotheses: `codes` by number; `feature` and `row` are as long as all occurrences."""

    codes: Ints
    feature: Ints
    row: Ints


class _Features:
    """The different words, and neighbouring words, of each hypothesis, as numbers."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.codes, self.sizes = array("q"), array("q")

    def add(self, words: Sequence[str]) -> None:
        ids = [self.ids.setdefault(word, len(self.ids)) for word in words]
        codes = {*ids, *((one + 1) * PAIR + other for one, other in pairwise(ids))}
        self.codes.extend(codes)
        self.sizes.append(len(codes))

    def table(self) -> _Table:
        """What stands in two hypotheses at least: the rest teaches nothing."""
        row = np.repeat(np.arange(len(self.sizes)), np.array(self.sizes, dtype=np.int64))
        codes, feature, times = np.unique(
            np.array(self.codes, dtype=np.int64), return_inverse=True, return_counts=True
        )
        often = times > 1
        number = np.cumsum(often) - 1
        kept = often[feature]
        return _Table(codes[often], number[feature[kept]], row[kept])

    def named(self, codes: Ints) -> list[str]:
        words = list(self.ids)
        return [
            f"{words[code // PAIR - 1]} {words[code % PAIR]}" if code >= PAIR else words[code]
            for code in codes.tolist()
        ]


def _predicted(table: _Table, truth: Ints, folds: Ints, classes: int, is_split: bool) -> tuple[Ints, Any]:
    """The label that naive Bayes finds for each hypothesis, and for which ones it was tried."""
    parts = int(folds.max()) + 1 if len(folds) else 0
    shape = (len(table.codes), parts, classes)
    place = (table.feature * parts + folds[table.row]) * classes + truth[table.row]
    counts = np.bincount(place, minlength=shape[0] * shape[1] * shape[2]).reshape(shape).astype(np.float32)
    sizes = np.bincount(folds * classes + truth, minlength=parts * classes).reshape(parts, classes)
    predicted, tried = np.zeros(len(truth), dtype=np.int64), np.zeros(len(truth), dtype=bool)
    for part in range(1 if is_split else 0, parts):
        learnt = counts[:, 0] if is_split else counts.sum(axis=1) - counts[:, part]
        known = sizes[0] if is_split else sizes.sum(axis=0) - sizes[part]
        weights = np.log(learnt + SMOOTHING) - np.log(learnt.sum(axis=0) + SMOOTHING * max(len(learnt), 1))
        here = folds == part
        of_part = here[table.row]
        rows, features = table.row[of_part], table.feature[of_part]
        scores = np.stack(
            [np.bincount(rows, weights[features, label], minlength=len(truth)) for label in range(classes)],
            axis=1,
        )
        scores = scores + np.log(known + SMOOTHING)
        predicted[here] = scores[here].argmax(axis=1)
        tried |= here
    return predicted, tried


def _groups(
    kinds: Sequence[str], truth: Ints, predicted: Ints, tried: Any, labels: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """All pairs first (`group` None), then the groups, the largest first."""
    if not len(truth):
        return
    yield _row(None, truth, predicted, tried, labels)
    sizes = Counter(kinds)
    if len(sizes) < 2:
        return
    names = np.array(kinds, dtype=object)
    for name, _ in sizes.most_common(MOST_GROUPS):
        here = names == name
        yield _row(name, truth[here], predicted[here], tried[here], labels)


def _row(name: str | None, truth: Ints, predicted: Ints, tried: Any, labels: Sequence[str]) -> dict[str, Any]:
    counts = np.bincount(truth, minlength=len(labels))
    number = int(tried.sum())
    found: dict[str, Any] = {"hypothesis_only": None, "commonest_there": None, "gives_away": False}
    if number:
        share = float(np.bincount(truth[tried]).max() / number)
        accuracy = float((predicted[tried] == truth[tried]).mean())
        margin = NOTABLE * sqrt(max(share * (1 - share), 1 / number) / number)
        found = {
            "hypothesis_only": accuracy,
            "commonest_there": share,
            "gives_away": accuracy > share + margin,
        }
    return {
        "group": name,
        "pairs": len(truth),
        "labels": {label: int(counts[at]) for at, label in enumerate(labels)},
        "commonest": float(counts.max() / len(truth)),
        "tried": number,
        **found,
    }


def _repeated(hypotheses: Sequence[str], truth: Ints, labels: Sequence[str]) -> dict[str, Any]:
    number: dict[str, int] = {}
    texts = np.array([number.setdefault(text, len(number)) for text in hypotheses], dtype=np.int64)
    counts = np.bincount(texts * len(labels) + truth, minlength=len(number) * len(labels)).reshape(
        -1, len(labels)
    )
    times = counts.sum(axis=1)
    again = np.flatnonzero(times > 1)
    names = list(number)
    most = sorted(again.tolist(), key=lambda text: (-int(times[text]), names[text]))[:SHOWN]
    return {
        "pairs": int(times[again].sum()),
        "hypotheses": len(again),
        "with_one_label": int(((counts[again] > 0).sum(axis=1) == 1).sum()),
        "commonest": [
            {"hypothesis": names[text], "labels": dict(zip(labels, counts[text].tolist(), strict=True))}
            for text in most
        ],
    }


def _neighbours(
    features: _Features, table: _Table, truth: Ints, labels: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Pairs of neighbouring words in five hypotheses or more, each with its share of each label."""
    counts = np.bincount(
        table.feature * len(labels) + truth[table.row], minlength=len(table.codes) * len(labels)
    ).reshape(-1, len(labels))
    times = counts.sum(axis=1)
    chosen = np.flatnonzero(
        (times >= AT_LEAST) & (table.codes >= PAIR) & (counts.max(axis=1) >= THRESHOLDS[0] * times)
    )
    for word, numbers in zip(features.named(table.codes[chosen]), counts[chosen].tolist(), strict=True):
        for label, times_here in zip(labels, numbers, strict=True):
            yield {"label": label, "word": word, "count": sum(numbers), "p": times_here / sum(numbers)}


def _giveaways(words: Iterable[dict[str, Any]], labels: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    rows = list(words)
    return {
        label: [
            {key: each[key] for key in ("word", "count", "p")}
            for each in giveaways(rows, label, THRESHOLDS[0])[:SHOWN]
        ]
        for label in labels
    }
