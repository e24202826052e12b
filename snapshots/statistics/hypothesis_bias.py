"""Measure what the hypotheses of a corpus reveal about labels. A quick look at labelled pairs, without a snapshot.

Class shares by group, repeated hypotheses, words and neighbouring words that go with a label, and how often a naive Bayes
classifier finds the label from the hypothesis alone (Poliak et al. 2018, Hypothesis Only Baselines, with a quicker model).

The texts and their words are in temporary files, which are read in portions, so that memory does not grow with the corpus
but by some bytes a pair.
"""

import os
import tempfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from math import sqrt
from typing import Any, BinaryIO

import numpy as np

from snapshots.statistics.artifacts import AT_LEAST, THRESHOLDS, giveaways
from snapshots.statistics.words import is_word, tokens

FOLDS = 5
SMOOTHING = 0.5
SHOWN = 10
TOLD_EVERY = 10_000
NOTABLE = 2.58  # standard errors above the commonest label: once in two hundred groups by chance
PARTITIONED = {"": 0, "train": 1}  # dev and test: 2
MOST_GROUPS = 200
PAIR = 2**31  # codes from here on are of two words
CHUNK = 1_000_000  # occurrences of words
Ints = np.ndarray[Any, np.dtype[np.int64]]
Places = np.ndarray[Any, np.dtype[np.int32]]
OCCURRENCE = np.dtype([("feature", np.int32), ("row", np.int32)])

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
    """A labelled pair as this analysis reads it.

    Pairs of one `group` are in the same fold; `kind` is the group of the report.
    """

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
    """Compute all statistics over the pairs whose label is in `labels`, in one pass."""
    index = {label: at for at, label in enumerate(labels)}
    kinds: dict[str, int] = {}
    given, placed, groups, kind = array("b"), array("b"), array("b"), array("i")
    with (
        tempfile.TemporaryFile() as word_file,
        tempfile.TemporaryFile() as text_file,
        tempfile.TemporaryFile() as table_file,
    ):
        features, texts = _Features(word_file, len(labels)), _Texts(text_file)
        for done, pair in enumerate((each for each in pairs if each.label in index), start=1):
            label = index[pair.label]
            features.add([token for token in tokens(pair.hypothesis, language) if is_word(token)], label)
            texts.add(pair.hypothesis)
            kind.append(kinds.setdefault(pair.kind, len(kinds)))
            given.append(label)
            placed.append(PARTITIONED.get(pair.partition, 2))
            groups.append(zlib.crc32(pair.group.encode(errors="replace")) % FOLDS)
            if done % TOLD_EVERY == 0:
                progress(done)
        truth, parts = np.array(given, dtype=np.int64), np.array(placed, dtype=np.int64)
        is_split = bool(len(truth)) and set(np.unique(parts).tolist()) == {1, 2}
        folds = parts - 1 if is_split else np.array(groups, dtype=np.int64)
        table = features.table(table_file)
        predicted, tried = _predicted(table, truth, folds, len(labels), is_split)
        return {
            "definitions": DEFINITIONS,
            "labels": list(labels),
            "pairs": len(truth),
            "tried_on": "dev and test" if is_split else f"{FOLDS} parts in turn",
            "groups": list(_groups(list(kinds), np.array(kind), truth, predicted, tried, labels)),
            "repeated": _repeated(texts, truth, labels),
            "giveaways": _giveaways(_listed(features.names, features.word_counts, labels), labels),
            "giveaway_pairs": _giveaways(_neighbours(features, table, truth, labels), labels),
        }


@dataclass(frozen=True)
class _Table:
    """The occurrences of features in hypotheses: `codes` by number; the file has feature and row of each, rows rising."""

    codes: Ints
    file: BinaryIO

    def parts(self) -> Iterator[tuple[Places, Places]]:
        """Yield the features and the rows of the next occurrences."""
        for part in _read(self.file, OCCURRENCE):
            yield part["feature"], part["row"]

    def counts(self, truth: Ints, classes: int, rows: Any = None) -> Places:
        """Return the frequency of each feature with each label, in the chosen rows (all if None)."""
        found = np.zeros(len(self.codes) * classes, dtype=np.int32)
        for feature, row in self.parts():
            if rows is not None:
                here = rows[row]
                feature, row = feature[here], row[here]
            place, times = np.unique(feature.astype(np.int64) * classes + truth[row], return_counts=True)
            found[place] += times.astype(np.int32)
        return found.reshape(len(self.codes), classes)


class _Features:
    """The distinct unigrams and bigrams of each hypothesis, as numbers in a file; how often each word occurs by label."""

    def __init__(self, file: BinaryIO, classes: int) -> None:
        self.file, self.classes = file, classes
        self.ids: dict[str, int] = {}
        self.occurrences = array("i")  # of word and label
        self.sizes = array("h")
        self.waiting, self.written = array("q"), 0

    def add(self, words: Sequence[str], label: int) -> None:
        ids = [self.ids.setdefault(word, len(self.ids)) for word in words]
        self.occurrences.extend([0] * (len(self.ids) * self.classes - len(self.occurrences)))
        for word in ids:
            self.occurrences[word * self.classes + label] += 1
        codes = {*ids, *((one + 1) * PAIR + other for one, other in pairwise(ids))}
        self.waiting.extend(codes)
        self.sizes.append(len(codes))
        if len(self.waiting) >= CHUNK:
            self._write()

    def _write(self) -> None:
        self.waiting.tofile(self.file)
        self.written += len(self.waiting)
        self.waiting = array("q")

    def table(self, file: BinaryIO) -> _Table:
        """Write the occurrences of features into `file`, and return their table.

        A feature of a single hypothesis is left out: it carries no information.
        """
        self._write()
        portions = self.written // (4 * CHUNK) + 1
        often = np.sort(np.concatenate([self._often(portion, portions) for portion in range(portions)]))
        ends, before = np.cumsum(np.array(self.sizes, dtype=np.int64)), 0
        for codes in _read(self.file, np.dtype(np.int64)) if len(often) else ():
            place = np.minimum(np.searchsorted(often, codes), len(often) - 1)
            known = np.flatnonzero(often[place] == codes)
            part = np.empty(len(known), dtype=OCCURRENCE)
            part["feature"] = place[known]
            part["row"] = np.searchsorted(ends, before + known, side="right")
            part.tofile(file)
            before += len(codes)
        return _Table(often, file)

    def _often(self, portion: int, portions: int) -> Ints:
        """Return the codes of a portion of all codes that occur twice or more."""
        parts = [codes[codes % portions == portion] for codes in _read(self.file, np.dtype(np.int64))]
        ordered = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        again = ordered[1:][ordered[1:] == ordered[:-1]]
        return again[np.flatnonzero(np.diff(again, prepend=-1))]

    @property
    def names(self) -> list[str]:
        return list(self.ids)

    @property
    def word_counts(self) -> Ints:
        """Return the occurrences of each word with each label."""
        return np.array(self.occurrences, dtype=np.int64).reshape(len(self.ids), self.classes)

    def named(self, codes: Ints) -> list[str]:
        words = self.names
        return [f"{words[code // PAIR - 1]} {words[code % PAIR]}" for code in codes.tolist()]


class _Texts:
    """Texts in a file, with a digest of each."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.digests, self.ends = array("Q"), array("Q", [0])

    def add(self, text: str) -> None:
        data = text.encode(errors="surrogatepass")
        self.file.write(data)
        self.ends.append(self.ends[-1] + len(data))
        self.digests.append(int.from_bytes(blake2b(data, digest_size=8).digest(), "big"))

    def __getitem__(self, place: int) -> str:
        self.file.seek(self.ends[place])
        return self.file.read(self.ends[place + 1] - self.ends[place]).decode(errors="surrogatepass")


def _read(file: BinaryIO, kind: np.dtype[Any]) -> Iterator[Any]:
    """Yield the numbers of a file in portions."""
    file.flush()
    size = os.fstat(file.fileno()).st_size // kind.itemsize
    for start in range(0, size, CHUNK):
        file.seek(start * kind.itemsize)
        yield np.frombuffer(file.read(min(CHUNK, size - start) * kind.itemsize), dtype=kind)


def _predicted(table: _Table, truth: Ints, folds: Ints, classes: int, is_split: bool) -> tuple[Ints, Any]:
    """Return the label that naive Bayes predicts for each hypothesis, and for which hypotheses it made a prediction."""
    parts = int(folds.max()) + 1 if len(folds) else 0
    whole = table.counts(truth, classes) if not is_split else None
    predicted, tried = np.zeros(len(truth), dtype=np.int64), np.zeros(len(truth), dtype=bool)
    for part in range(1 if is_split else 0, parts):
        here = folds == part
        learnt_from = folds == 0 if is_split else ~here
        learnt = (
            whole - table.counts(truth, classes, here)
            if whole is not None
            else table.counts(truth, classes, learnt_from)
        )
        known = np.bincount(truth[learnt_from], minlength=classes)
        weights = np.log(learnt + SMOOTHING) - np.log(learnt.sum(axis=0) + SMOOTHING * max(len(learnt), 1))
        scores = np.zeros((len(truth), classes))
        for feature, row in table.parts():
            of_part = here[row]
            feature, row = feature[of_part], row[of_part]
            if not len(row):
                continue
            first = int(row[0])  # rows rise
            for label in range(classes):
                found = np.bincount(row - first, weights[feature, label])
                scores[first : first + len(found), label] += found
        scores += np.log(known + SMOOTHING)
        predicted[here] = scores[here].argmax(axis=1)
        tried |= here
    return predicted, tried


def _groups(
    names: Sequence[str], kinds: Any, truth: Ints, predicted: Ints, tried: Any, labels: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield all pairs (`group` None), then the groups, the largest first. `kinds`: the number of each pair's name."""
    if not len(truth):
        return
    yield _row(None, truth, predicted, tried, labels)
    if len(names) < 2:
        return
    sizes = np.bincount(kinds)
    for place in np.argsort(-sizes, kind="stable")[:MOST_GROUPS].tolist():
        here = kinds == place
        yield _row(names[place], truth[here], predicted[here], tried[here], labels)


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


def _repeated(texts: _Texts, truth: Ints, labels: Sequence[str]) -> dict[str, Any]:
    digests = np.array(texts.digests, dtype=np.uint64)
    _, first, text = np.unique(digests, return_index=True, return_inverse=True)
    counts = np.bincount(text * len(labels) + truth, minlength=len(first) * len(labels)).reshape(
        -1, len(labels)
    )
    times = counts.sum(axis=1)
    again = np.flatnonzero(times > 1)
    most = again[np.lexsort((first[again], -times[again]))][:SHOWN]
    return {
        "pairs": int(times[again].sum()),
        "hypotheses": len(again),
        "with_one_label": int(((counts[again] > 0).sum(axis=1) == 1).sum()),
        "commonest": [
            {
                "hypothesis": texts[int(first[place])],
                "labels": dict(zip(labels, counts[place].tolist(), strict=True)),
            }
            for place in most
        ],
    }


def _neighbours(
    features: _Features, table: _Table, truth: Ints, labels: Sequence[str]
) -> Iterator[dict[str, Any]]:
    counts = table.counts(truth, len(labels))
    chosen = np.flatnonzero(_goes_with_one(counts) & (table.codes >= PAIR))
    return _listed(features.named(table.codes[chosen]), counts[chosen], labels)


def _goes_with_one(counts: Any) -> Any:
    """Return which features are frequent and go with one label."""
    times = counts.sum(axis=1)
    return (times >= AT_LEAST) & (counts.max(axis=1, initial=0) >= THRESHOLDS[0] * times)


def _listed(names: Sequence[str], counts: Any, labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the features that are frequent and go with one label, each with its share of each label."""
    for place in np.flatnonzero(_goes_with_one(counts)).tolist():
        numbers = counts[place].tolist()
        for label, times in zip(labels, numbers, strict=True):
            yield {"label": label, "word": names[place], "count": sum(numbers), "p": times / sum(numbers)}


def _giveaways(words: Iterable[dict[str, Any]], labels: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    rows = list(words)
    return {
        label: [
            {key: each[key] for key in ("word", "count", "p")}
            for each in giveaways(rows, label, THRESHOLDS[0])[:SHOWN]
        ]
        for label in labels
    }
