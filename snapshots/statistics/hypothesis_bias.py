"""Measure what the hypotheses of a corpus reveal about labels. A quick look at labelled pairs, without a snapshot.

Class shares by group, repeated hypotheses, words and neighbouring words that go with a label, and how often a logistic
regression finds the label from the hypothesis alone (Poliak et al. 2018, Hypothesis Only Baselines, with a quicker model).

Beside all pairs, each group by itself: what is learnt and tried within it, the words of its labels, how alike its texts are,
what is upheld, and comparisons of each two groups (comparing_groups.py).

Texts and counts of words are in memory.
"""

import math
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shared.intervals import FEWEST_PAIRS
from snapshots.statistics.artifacts import AT_LEAST, THRESHOLDS, corrected_p, giveaways, z_value
from snapshots.statistics.comparing_groups import UNKNOWN, Group, compared, tried, within
from snapshots.statistics.diversity import Texts, size_of_samples
from snapshots.statistics.regression import FOLDS, Ints, counted, predicted
from snapshots.statistics.words import tokens

SHOWN = 10
SHOWN_OF_GROUP = 5  # words of a label
TOLD_EVERY = 10_000
NOTABLE = 2.58  # standard errors above the commonest label: once in two hundred groups by chance
SIGNIFICANT = 0.05  # after Bonferroni's correction
FREQUENT = 0.01  # of the pairs of a group: a rarer word alone says little about it
PARTITIONED = {"": 0, "train": 1}  # dev and test: 2
MOST_GROUPS = 200
ABOVE, BELOW, WORD = "above", "below", "word"

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
    "telling": (
        "Of the hypotheses with the word, the share that has the label. Listed are those with a p value below .05, the"
        " largest z first."
    ),
    "z": (
        "How many standard errors that share lies from the label’s share of all pairs of the group: from 1 / labels where"
        " labels are balanced (Gardner et al. 2021)."
    ),
    "giveaways": (
        "Words, and pairs of neighbouring words, that stand in at least five hypotheses, at least 80 of 100 of which have"
        " one label; the most frequent first."
    ),
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair as this analysis reads it. label: empty for none.

    Pairs of one `group` (a premise, or a group of premises) are in the same part; `kind` is the group of the report. writer:
    empty where nobody is known. upheld: whether the gold label is the author's, of pairs with all their labels.
    """

    hypothesis: str
    label: str
    group: str = ""
    partition: str = ""
    kind: str = ""
    writer: str = ""
    premise: str = ""
    upheld: bool | None = None


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
    alike: defaultdict[int | None, Texts] = defaultdict(lambda: Texts(language))
    given, placed, groups, writers, kind = array("b"), array("b"), array("q"), array("q"), array("i")
    # Who wrote it (or the premise), whether it is upheld, whether it has no gold label, its kind.
    judged = [array("q"), array("b"), array("b"), array("i")]
    for done, pair in enumerate(pairs, start=1):
        place = kinds.setdefault(pair.kind, len(kinds))
        group = zlib.crc32(pair.group.encode(errors="replace"))
        writer = (
            UNKNOWN - 1 - zlib.crc32(pair.writer.encode()) if pair.writer else UNKNOWN
        )  # below every premise
        if pair.upheld is not None:
            for column, value in zip(
                judged, (writer if pair.writer else group, pair.upheld, not pair.label, place), strict=True
            ):
                column.append(value)
        if pair.label in index:
            texts.append(pair.hypothesis)
            for column, value in (
                *((kind, place), (given, index[pair.label]), (groups, group), (writers, writer)),
                (placed, PARTITIONED.get(pair.partition, 2)),
            ):
                column.append(value)
            hypothesis = tokens(pair.hypothesis, language)
            premise = {
                token.lower() for line in pair.premise.splitlines() for token in tokens(line, language)
            }
            for each in (None, place):
                alike[each].add(hypothesis, premise)
        if done % TOLD_EVERY == 0:
            progress(done)
    columns = (np.array(each, dtype=np.int64) for each in (given, placed, groups, writers, kind, *judged))
    truth, parts, of_group, of_writer, of_kind, who, upheld, without, of_judged = columns
    folds, tried_on = _folds(parts, of_group)
    words, names = counted(texts, language)
    found = predicted(words, truth, folds)
    by_label = _by_label(words, truth, len(labels))
    sample = size_of_samples(each for place, each in alike.items() if place is not None)

    def one(place: int | None) -> tuple[Group, dict[str, Any]]:
        """Returns a group, and what was counted of it among all pairs. place: of its kind; None for all pairs."""
        here, there = (slice(None) if place is None else each == place for each in (of_kind, of_judged))
        group = Group(
            words[here],
            truth[here],
            of_writer[here],
            of_group[here],
            (who[there], upheld[there], without[there]),
        )
        row = _row(truth[here], found[here], words[here], names, labels)
        return group, {**row, "texts": alike[place].figures(sample)}

    return {
        "definitions": DEFINITIONS,
        "labels": list(labels),
        "pairs": len(truth),
        "tried_on": tried_on,
        **_groups(list(kinds), of_kind, one),
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


def _by_label(counted: Any, truth: Ints, classes: int) -> Ints:
    """Returns in how many hypotheses of each label each word stands: (words, labels)."""
    found: Ints = np.asarray(counted.T @ np.eye(classes, dtype=np.float64)[truth]).round().astype(np.int64)
    return found


def _groups(kinds: Sequence[str], of_kind: Ints, one: Callable[[int | None], Any]) -> dict[str, Any]:
    """Returns all pairs (`group` None), then the groups, the largest first, and the comparisons of each two."""
    if not len(of_kind):
        return {"groups": [], "compared": []}
    sizes = np.bincount(of_kind, minlength=len(kinds))
    places = [place for place in np.argsort(-sizes, kind="stable")[:MOST_GROUPS].tolist() if sizes[place]]
    rows, groups = [], {}
    for place in (None, *(places if len(kinds) > 1 else ())):
        group, row = one(place)
        result = tried(group)
        name = None if place is None else kinds[place]
        rows.append({"group": name, **row, **within(group, result)})
        if name is not None:
            groups[name] = group
    return {"groups": rows, "compared": compared(groups)}


def _row(truth: Ints, predicted: Ints, counted: Any, names: Any, labels: Sequence[str]) -> dict[str, Any]:
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
        words = _telling_words(by_label, truth, names, labels)
    why = _why(truth[tried], predicted[tried]) if number >= FEWEST_PAIRS else ""
    why = why or (WORD if word else "")
    return {
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
    frequent = times >= max(FEWEST_PAIRS, FREQUENT * len(truth))
    chosen = np.flatnonzero(frequent & (by_label.max(axis=1, initial=0) >= THRESHOLDS[0] * times))
    for place in chosen[np.argsort(-times[chosen], kind="stable")].tolist():
        label = int(by_label[place].argmax())
        found = _against_chance(by_label, truth, place, label)
        if found:
            return {"word": str(names[place]), "label": labels[label], **found}
    return None


def _against_chance(by_label: Ints, truth: Ints, place: int, label: int) -> dict[str, Any] | None:
    """Returns a word's figures if it goes with the label significantly more than all pairs do, corrected for all words."""
    number, hits = int(by_label[place].sum()), int(by_label[place, label])
    tests = int((by_label.sum(axis=1) >= AT_LEAST).sum()) * by_label.shape[1]
    z = z_value(hits, number, float((truth == label).mean()))
    if z is None or z <= 0 or corrected_p(z, tests) >= SIGNIFICANT:
        return None
    return {"count": number, "p": hits / number, "z": z, "corrected_p": corrected_p(z, tests)}


def _telling_words(
    by_label: Ints, truth: Ints, names: Any, labels: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Returns label -> the words that go with it most, by their z value."""
    times = by_label.sum(axis=1)
    often = np.array(
        [place for place in np.flatnonzero(times >= AT_LEAST) if " " not in names[place]], dtype=int
    )
    usual = np.bincount(truth, minlength=len(labels)) / len(truth)
    far = (
        by_label[often] / np.sqrt(times[often])[:, None] - np.sqrt(times[often])[:, None] * usual
    )  # z, but for a factor
    return {
        label: [
            {"word": str(names[place]), **found}
            for place in often[np.argsort(-far[:, at], kind="stable")[:SHOWN_OF_GROUP]].tolist()
            if (found := _against_chance(by_label, truth, place, at))
        ]
        for at, label in enumerate(labels)
    }


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
