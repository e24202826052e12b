"""Compare groups of pairs, such as the arms of a prompt: what hypotheses give away within each, and what is upheld.

Every comparison is one of writers (shared/clusters.py): each writer's pairs are in one part when a regression is tried, and
writers are drawn and dealt anew. Of pairs without a writer, premises stand in for writers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shared import clusters
from shared.intervals import FEWEST_PAIRS
from snapshots.statistics.regression import Ints, even_folds, predicted

MOST_COMPARED = 8  # groups, the largest: 28 pairs of groups
MOST_WRITERS, FEWEST_TEXTS, MOST_TEXTS = 30, 10, 5_000  # of guessing who wrote a hypothesis
ALONE, UPHELD = "alone", "upheld"
UNKNOWN = -1  # writer

DEFINITIONS = {
    "within": (
        "How often a logistic regression over the words of the hypothesis, without the premise, finds the label: learnt and"
        " tried within the group, over five parts in turn. Nothing is learnt from a writer or a premise that is tried; of"
        f" groups with fewer than {clusters.FEWEST} known writers, from no such premise."
    ),
    "within_interval": (
        "The 95% interval over writers (over premises, where a group has fewer than"
        f" {clusters.FEWEST} known writers): they are drawn {clusters.REPLICATES:,} times with all their pairs"
        " (studentized cluster bootstrap)."
    ),
    "effect": (
        "The difference in points, the first group less the second. Of hypotheses alone it is that of the leads over the"
        " majority class, by one regression that learns from as many pairs of each of the two (of other writers and"
        " premises, and of the labels that both have): so neither is ahead because more was learnt of it."
    ),
    "p": (
        "How often as large a difference, in standard errors, comes about when writers are dealt anew among the two groups,"
        " or, those who wrote in both, their two parts are swapped: a permutation test over writers (over premises, where no"
        f" writer is known), {clusters.REPLICATES:,} times. Nothing is learnt anew for it: what the regression learns"
        " does not depend on who is in which group."
    ),
    "corrected_p": "The p value corrected for the number of pairs of groups that are compared (Holm 1979).",
    "guessed": (
        "How often a logistic regression over words finds who wrote a hypothesis, among the"
        f" {MOST_WRITERS} writers with the most pairs ({FEWEST_TEXTS} at least), of {MOST_TEXTS:,} pairs at most; no premise"
        " is in two parts."
    ),
}


@dataclass(frozen=True)
class Group:
    """The labelled pairs of a group. writers: UNKNOWN for none.

    judged: the writer (or premise) of each pair that has all its labels, whether its gold label is the author's,
    and whether it has none.
    """

    words: Any
    truth: Ints
    writers: Ints
    premises: Ints
    judged: tuple[Ints, Ints, Ints]

    @property
    def units(self) -> Ints:
        return np.where(self.writers == UNKNOWN, self.premises, self.writers)

    @property
    def number_of_writers(self) -> int:
        return len(np.unique(self.writers[self.writers != UNKNOWN]))

    @property
    def has_writers(self) -> bool:
        return self.number_of_writers >= clusters.FEWEST

    @property
    def clusters(self) -> Ints:
        """What is drawn, and kept in one part: a few writers are no sample of writers."""
        return self.units if self.has_writers else self.premises


@dataclass(frozen=True)
class Tried:
    """Which pairs were tried; whether each of these was right, and whether it has the majority class."""

    here: Any
    right: Any
    is_majority: Any


def tried(group: Group) -> Tried | None:
    """Learns and tries within the group; None where too little could be tried."""
    if len(group.truth) < FEWEST_PAIRS:
        return None
    found = predicted(group.words, group.truth, even_folds(group.clusters), group.premises)
    here = found >= 0
    if here.sum() < FEWEST_PAIRS:
        return None
    truth = group.truth[here]
    return Tried(here, found[here] == truth, truth == np.bincount(truth).argmax())


def within(group: Group, found: Tried | None) -> dict[str, Any]:
    """Returns the figures of a group by itself; values are None where there is none."""
    row: dict[str, Any] = {"writers": group.number_of_writers, "within": None, "upheld": None}
    if found:
        share = clusters.share_of((group.clusters[found.here], found.right))
        numbers = {"tried": int(found.here.sum()), "majority": float(found.is_majority.mean())}
        row["within"] = {**share._asdict(), **numbers, "by_writer": group.has_writers}
    if len(group.judged[0]):
        share = clusters.share_of(group.judged[:2])
        numbers = {"pairs": len(group.judged[0]), "no_gold": float(group.judged[2].mean())}
        row["upheld"] = {**share._asdict(), **numbers}
    return {**row, "guess": _guess(group)}


def compared(groups: Mapping[str, Group]) -> list[dict[str, Any]]:
    """Returns a row for each two of the first groups, and each of ALONE and UPHELD, if both have enough writers."""
    return [*_corrected(ALONE, _alone(groups)), *_corrected(UPHELD, _upheld(groups))]


def _alone(groups: Mapping[str, Group]) -> Iterator[dict[str, Any]]:
    known = [
        name
        for name, group in groups.items()
        if len(group.truth) >= FEWEST_PAIRS and _has_enough(group.units)
    ]
    for names in combinations(known[:MOST_COMPARED], 2):
        scores = _together(groups[names[0]], groups[names[1]])
        if scores:
            shares = [float(right.mean()) for _, right, _ in scores]
            first, second = ((units, right - is_majority) for units, right, is_majority in scores)
            pairs = [len(units) for units, _, _ in scores]
            found = clusters.difference(first, second)
            yield {"groups": names, "shares": shares, "pairs": pairs, **found._asdict()}


def _together(one: Group, other: Group) -> list[tuple[Ints, Any, Any]]:
    """Learns from two groups together, and returns of each (writers, whether right, whether of the majority class).

    What is learnt does not depend on who is in which group, so that writers can be dealt anew. Two regressions, one for each
    group, would differ by chance as well: halves of one published corpus were told apart in one of ten trials.
    """
    from scipy.sparse import vstack

    both = np.intersect1d(one.truth, other.truth)
    pairs = [(group, np.isin(group.truth, both)) for group in (one, other)]
    truth, units, premises = (
        np.concatenate([getattr(group, name)[here] for group, here in pairs])
        for name in ("truth", "units", "premises")
    )
    side = np.repeat([0, 1], [here.sum() for _, here in pairs])
    words = vstack([group.words[here] for group, here in pairs], format="csr")
    found = predicted(words, truth, even_folds(units), premises, side)
    parts = [(found >= 0) & (side == each) for each in (0, 1)]
    if min(here.sum() for here in parts) < FEWEST_PAIRS:
        return []
    return [
        (units[here], (found == truth)[here].astype(float), truth[here] == np.bincount(truth[here]).argmax())
        for here in parts
    ]


def _upheld(groups: Mapping[str, Group]) -> Iterator[dict[str, Any]]:
    judged = {
        name: group.judged[:2]
        for name, group in groups.items()
        if len(group.judged[0]) >= FEWEST_PAIRS and _has_enough(group.judged[0])
    }
    for one, other in combinations(list(judged)[:MOST_COMPARED], 2):
        shares = [float(judged[name][1].mean()) for name in (one, other)]
        found = clusters.difference(judged[one], judged[other])
        pairs = [len(judged[name][1]) for name in (one, other)]
        yield {"groups": (one, other), "shares": shares, "pairs": pairs, **found._asdict()}


def _has_enough(units: Ints) -> bool:
    return len(np.unique(units)) >= clusters.FEWEST


def _corrected(measure: str, found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = list(found)
    values = clusters.holm([row["p"] for row in rows])
    return [
        {"measure": measure, **row, "corrected_p": value} for row, value in zip(rows, values, strict=True)
    ]


def _guess(group: Group) -> dict[str, Any] | None:
    """Returns how often the writer of a hypothesis is found, beside the share of the one with the most pairs."""
    often = Counter(group.writers[group.writers != UNKNOWN].tolist()).most_common(MOST_WRITERS)
    known = [writer for writer, times in often if times >= FEWEST_TEXTS]
    places = np.flatnonzero(np.isin(group.writers, known))
    if len(known) < 2 or len(places) < FEWEST_PAIRS:
        return None
    if len(places) > MOST_TEXTS:
        places = np.sort(np.random.default_rng(0).choice(places, MOST_TEXTS, replace=False))
    who = np.unique(group.writers[places], return_inverse=True)[1]
    found = predicted(group.words[places], who, even_folds(group.premises[places]))
    here = found >= 0
    if not here.any():
        return None
    return {
        "guessed": float((found[here] == who[here]).mean()),
        "commonest": float(np.bincount(who[here]).max() / here.sum()),
    }
