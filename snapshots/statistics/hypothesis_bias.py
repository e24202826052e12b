"""Measure what the hypotheses of a corpus reveal about labels. A quick look at labelled pairs, without a snapshot.

Class shares by group, repeated hypotheses, words and neighbouring words that go with a label, and how often a logistic
regression finds the label from the hypothesis alone (Poliak et al. 2018, Hypothesis Only Baselines, with a quicker model).

Texts and counts of words are in memory: 600 MB for 400,000 pairs of eleven words, and a minute of a processor.
"""

import math
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from shared.intervals import FEWEST_PAIRS
from snapshots.statistics.artifacts import AT_LEAST, THRESHOLDS, corrected_p, giveaways, z_value
from snapshots.statistics.words import is_word, tokens

FOLDS = 5
SHOWN = 10
SHOWN_OF_GROUP = 5  # words of a label
TOLD_EVERY = 10_000
TOLERANCE = (
    0.001  # of the gradient: ten times as much is reached before the first step where labels are balanced
)
MOST_STEPS = 300
NOTABLE = 2.58  # standard errors above the commonest label: once in two hundred groups by chance
SIGNIFICANT = 0.05  # after Bonferroni's correction
FREQUENT = 0.01  # of the pairs of a group: a rarer word alone says little about it
PARTITIONED = {"": 0, "train": 1}  # dev and test: 2
MOST_GROUPS = 200
ABOVE, BELOW, WORD = "above", "below", "word"
Ints = np.ndarray[Any, np.dtype[np.int64]]

DEFINITIONS = {
    "commonest": "The share of the commonest label among the pairs of the group.",
    "hypothesis_only": (
        "How often a logistic regression over the words and neighbouring words of the hypothesis finds the label: learnt"
        " from train and tried on dev and test where the pairs are in partitions that share no premise or group, else over"
        " five parts that share none."
    ),
    "gives_away": (
        "Whether the hypothesis alone tells something about the label: it finds it clearly more often than the commonest"
        " label does, or clearly less often than as many guesses of each label would (by more than 2.58 standard errors);"
        f" or a word stands in one of a hundred pairs or more, {FEWEST_PAIRS} at least, four in five of which have one"
        " label, significantly more than of all pairs after Bonferroni’s correction."
        f" Where it was tried on fewer than {FEWEST_PAIRS} pairs and no word tells, nothing is said: all pairs may share a"
        " premise, a group or a label."
    ),
    "repeated": "Pairs whose hypothesis, letter by letter, stands in another pair too.",
    "giveaways": (
        "Words, and pairs of neighbouring words, that stand in at least five hypotheses, at least 80 of 100 of which have"
        " one label; the most frequent first."
    ),
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled pair as this analysis reads it.

    Pairs of one `group` (a premise, or a group of premises) are in the same part; `kind` is the group of the report.
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
    """Computes all statistics over the pairs whose label is in `labels`."""
    index = {label: at for at, label in enumerate(labels)}
    kinds: dict[str, int] = {}
    texts: list[str] = []
    given, placed, groups, kind = array("b"), array("b"), array("q"), array("i")
    for done, pair in enumerate((each for each in pairs if each.label in index), start=1):
        texts.append(pair.hypothesis)
        kind.append(kinds.setdefault(pair.kind, len(kinds)))
        given.append(index[pair.label])
        placed.append(PARTITIONED.get(pair.partition, 2))
        groups.append(zlib.crc32(pair.group.encode(errors="replace")))
        if done % TOLD_EVERY == 0:
            progress(done)
    truth, parts, of_group = (np.array(each, dtype=np.int64) for each in (given, placed, groups))
    folds, tried_on = _folds(parts, of_group)
    counted, names = _counted(texts, language)
    predicted = _predicted(counted, truth, folds)
    by_label = _by_label(counted, truth, len(labels))
    return {
        "definitions": DEFINITIONS,
        "labels": list(labels),
        "pairs": len(truth),
        "tried_on": tried_on,
        "groups": list(_groups(list(kinds), np.array(kind), truth, predicted, counted, names, labels)),
        "repeated": _repeated(texts, truth, labels),
        "giveaways": _giveaways(names, by_label, labels, neighbours=False),
        "giveaway_pairs": _giveaways(names, by_label, labels, neighbours=True),
    }


def _folds(parts: Ints, groups: Ints) -> tuple[Ints, str]:
    """Returns the part of each pair, and on what the classifier is tried. -1: learnt from, and not tried on.

    A premise in two parts would be learnt with other labels than it is tried with: its pairs share words, and annotators
    write one for each label.
    """
    by_group = np.unique(groups, return_inverse=True)[1] % FOLDS  # so that even two groups are in two parts
    number = len(np.unique(by_group))
    alone = (
        f"{number} parts in turn that share no premise or group"
        if number > 1
        else "nothing: all pairs share one premise or group"
    )
    if set(np.unique(parts).tolist()) != {1, 2}:
        return by_group, alone
    shared = int(np.isin(groups[parts == 2], groups[parts == 1]).sum())
    if not shared:
        return np.where(parts == 1, -1, 0), "dev and test"
    whole = int((parts == 2).sum())
    return (
        by_group,
        f"{alone}, since the premise or group of {shared:,} of {whole:,} pairs of dev and test is in train",
    )


def _words(text: str, language: str) -> list[str]:
    """Returns the words of a hypothesis and its pairs of neighbouring words."""
    words = [token for token in tokens(text, language) if is_word(token)]
    return [*words, *map(" ".join, pairwise(words))]


def _counted(texts: Sequence[str], language: str) -> tuple[Any, Any]:
    """Returns which words stand in which hypotheses (a sparse matrix), and the words; those of a single one are left out."""
    from sklearn.feature_extraction.text import CountVectorizer  # not at the top: no web process needs it

    counter = CountVectorizer(
        analyzer=partial(_words, language=language), binary=True, min_df=2, dtype=np.float32
    )
    try:
        return counter.fit_transform(texts), counter.get_feature_names_out()
    except ValueError:  # no word stands in two hypotheses
        from scipy.sparse import csr_matrix

        return csr_matrix((len(texts), 0), dtype=np.float32), np.zeros(0, dtype=object)


def _by_label(counted: Any, truth: Ints, classes: int) -> Ints:
    """Returns in how many hypotheses of each label each word stands: (words, labels)."""
    found: Ints = np.asarray(counted.T @ np.eye(classes, dtype=np.float64)[truth]).round().astype(np.int64)
    return found


def _predicted(counted: Any, truth: Ints, folds: Ints) -> Ints:
    """Returns the label that was predicted for each hypothesis; -1 where none was."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    predicted = np.full(len(truth), -1, dtype=np.int64)
    if not counted.shape[1]:
        return predicted
    with threadpool_limits(1):  # small steps: several threads would wait for each other
        for part in range(FOLDS):
            here = folds == part
            if here.any() and len(np.unique(truth[~here])) > 1:
                learnt = LogisticRegression(C=0.1, tol=TOLERANCE, max_iter=MOST_STEPS).fit(
                    counted[~here], truth[~here]
                )
                predicted[here] = learnt.predict(counted[here])
    return predicted


def _groups(
    kinds: Sequence[str],
    kind: Any,
    truth: Ints,
    predicted: Ints,
    counted: Any,
    names: Any,
    labels: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yields all pairs (`group` None), then the groups, the largest first. `kind`: the number of each pair's group."""
    if not len(truth):
        return
    places = np.argsort(-np.bincount(kind), kind="stable")[:MOST_GROUPS].tolist() if len(kinds) > 1 else []
    for name, here in ((None, slice(None)), *((kinds[place], kind == place) for place in places)):
        yield _row(name, truth[here], predicted[here], counted[here], names, labels)


def _row(
    name: str | None, truth: Ints, predicted: Ints, counted: Any, names: Any, labels: Sequence[str]
) -> dict[str, Any]:
    counts = np.bincount(truth, minlength=len(labels))
    tried = predicted >= 0
    number = int(tried.sum())
    accuracy = commonest = None
    if number:
        commonest = float(np.bincount(truth[tried]).max() / number)
        accuracy = float((predicted[tried] == truth[tried]).mean())
    word, words = None, {}
    if len(truth) >= FEWEST_PAIRS:
        by_label = _by_label(counted, truth, len(labels))
        word = _telling_word(by_label, truth, names, labels)
        words = _giveaways(names, by_label, labels, neighbours=False, most=SHOWN_OF_GROUP)
    why = _why(truth[tried], predicted[tried]) if number >= FEWEST_PAIRS else ""
    why = why or (WORD if word else "")
    return {
        "group": name,
        "pairs": len(truth),
        "labels": {label: int(counts[at]) for at, label in enumerate(labels)},
        "commonest": float(counts.max() / len(truth)),
        "tried": number,
        "hypothesis_only": accuracy,
        "commonest_there": commonest,
        "gives_away": bool(why) if why or number >= FEWEST_PAIRS else None,
        "why": why,
        "word": word,
        "words": words,
    }


def _why(truth: Ints, predicted: Ints) -> str:
    """Returns whether so many right predictions are clearly above the commonest label, or below guesses of these shares."""
    accuracy = float((predicted == truth).mean())
    classes = int(max(truth.max(), predicted.max())) + 1
    shares, guesses = (np.bincount(each, minlength=classes) / len(truth) for each in (truth, predicted))

    def margin(share: float) -> float:
        return NOTABLE * math.sqrt(max(share * (1 - share), 1 / len(truth)) / len(truth))

    commonest, chance = float(shares.max()), float(shares @ guesses)
    if accuracy > commonest + margin(commonest):
        return ABOVE
    return BELOW if accuracy < chance - margin(chance) else ""


def _telling_word(by_label: Ints, truth: Ints, names: Any, labels: Sequence[str]) -> dict[str, Any] | None:
    """Returns the most frequent word of one label that is frequent, and significant after a correction for all words."""
    times = by_label.sum(axis=1)
    tests = int((times >= AT_LEAST).sum()) * len(labels)
    usual = np.bincount(truth, minlength=len(labels)) / len(truth)
    frequent = times >= max(FEWEST_PAIRS, FREQUENT * len(truth))
    chosen = np.flatnonzero(frequent & (by_label.max(axis=1, initial=0) >= THRESHOLDS[0] * times))
    for place in chosen[np.argsort(-times[chosen], kind="stable")].tolist():
        label, number = int(by_label[place].argmax()), int(times[place])
        hits = int(by_label[place, label])
        z = z_value(hits, number, float(usual[label]))
        if z is not None and z > 0 and corrected_p(z, tests) < SIGNIFICANT:
            return {"word": str(names[place]), "label": labels[label], "count": number, "p": hits / number}
    return None


def _repeated(texts: Sequence[str], truth: Ints, labels: Sequence[str]) -> dict[str, Any]:
    import pandas as pd

    table = (
        pd.crosstab(pd.factorize(np.array(texts, dtype=object))[0], truth) if len(texts) else pd.DataFrame()
    )
    table = table.reindex(columns=range(len(labels)), fill_value=0)
    again = table[table.sum(axis=1) > 1]
    most = again.assign(times=again.sum(axis=1)).sort_values("times", ascending=False, kind="stable")[:SHOWN]
    firsts = list(dict.fromkeys(texts)) if len(most) else []  # numbered by where they stand first
    return {
        "pairs": int(again.to_numpy().sum()),
        "hypotheses": len(again),
        "with_one_label": int(((again > 0).sum(axis=1) == 1).sum()),
        "commonest": [
            {"hypothesis": firsts[place], "labels": {label: int(row[at]) for at, label in enumerate(labels)}}
            for place, row in zip(most.index.to_list(), most.to_dict("records"), strict=True)
        ],
    }


def _giveaways(
    names: Any, by_label: Ints, labels: Sequence[str], *, neighbours: bool, most: int = SHOWN
) -> dict[str, list[dict[str, Any]]]:
    """Returns label -> the most frequent words, or pairs of neighbouring words, that go with it."""
    times = by_label.sum(axis=1)
    telling = (times >= AT_LEAST) & (by_label.max(axis=1, initial=0) >= THRESHOLDS[0] * times)
    rows = [
        {"label": label, "word": names[place], "count": int(times[place]), "p": number / int(times[place])}
        for place in np.flatnonzero(telling).tolist()
        if (" " in names[place]) == neighbours
        for label, number in zip(labels, by_label[place].tolist(), strict=True)
    ]
    return {
        label: [
            {key: each[key] for key in ("word", "count", "p")}
            for each in giveaways(rows, label, THRESHOLDS[0])[:most]
        ]
        for label in labels
    }
