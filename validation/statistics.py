"""Agreement from counts: plain Python, no Django, so that a snapshot can be checked anywhere.

Everything here works on *patterns*. A pattern says how the labels of one pair fell: the author's label
(or None) and the number of votes for each label of the scheme, in the scheme's order, the author's vote
included. Corpora of any size have few patterns (five votes over three labels fall in 21 ways), so the
database counts pairs by pattern and this module does the arithmetic, exactly.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Votes = tuple[int, ...]
Pattern = tuple[str | None, Votes]
Patterns = Mapping[Pattern, int]


def majority(votes: Sequence[int], threshold: int) -> int | None:
    """The index of the label with at least `threshold` votes; None if there is none.

    `threshold` must be more than half of the votes, so at most one label can reach it.
    """
    return next((index for index, count in enumerate(votes) if count >= threshold), None)


def agreement_from_patterns(
    patterns: Patterns, *, labels: Sequence[str], seats: int, threshold: int, ordinal: bool = False
) -> dict[str, Any]:
    """Every figure of SNLI's Table 3 and MultiNLI's Table 2, and chance-corrected agreement.

    `patterns` may hold pairs with fewer labels than `seats`; they are left out (and counted). Shares
    are over the pairs with all labels, the author's own label among the individual ones; only
    `individual_equals_gold` is over the labels of those pairs that have a gold label: the readings that
    fit the published tables. What needs an author is None where no pair has one.
    """
    full = {pattern: count for pattern, count in patterns.items() if sum(pattern[1]) == seats}
    total = sum(full.values())
    tally: Counter[str] = Counter()
    for (author, votes), pairs in full.items():
        gold = majority(votes, threshold)
        tally["unanimous"] += pairs * (max(votes) == seats)
        tally["no_gold"] += pairs * (gold is None)
        tally["votes_for_gold"] += pairs * (votes[gold] if gold is not None else 0)
        if author is not None:
            index = labels.index(author)
            tally["authored"] += pairs
            tally["votes_for_author"] += pairs * votes[index]
            tally["gold_is_author"] += pairs * (gold == index)
            tally["gold_is_other"] += pairs * (gold is not None and gold != index)
    authored = tally["authored"]
    return {
        "pairs_with_all_labels": total,
        "unanimous": share(tally["unanimous"], total),
        "individual_equals_gold": share(tally["votes_for_gold"], seats * (total - tally["no_gold"])),
        "individual_equals_gold_all_pairs": share(tally["votes_for_gold"], seats * total),
        "individual_equals_author": share(tally["votes_for_author"], seats * authored),
        "gold_equals_author": share(tally["gold_is_author"], authored),
        "gold_differs_from_author": share(tally["gold_is_other"], authored),
        "no_gold": share(tally["no_gold"], total),
        "fleiss_kappa": fleiss_kappa(votes_only(full), labels),
        "fleiss_kappa_validators": fleiss_kappa(without_author(full, labels), labels),
        "krippendorff_alpha": krippendorff_alpha(votes_only(full), ordinal=ordinal),
        "krippendorff_alpha_interval": alpha_interval(votes_only(full), ordinal=ordinal),
    }


def share(part: float, whole: float) -> float | None:
    """`part / whole`; None where there is nothing to share."""
    return part / whole if whole else None


def votes_only(patterns: Patterns) -> dict[Votes, int]:
    """Pairs by votes, whoever the author was."""
    counts: Counter[Votes] = Counter()
    for (_, votes), pairs in patterns.items():
        counts[votes] += pairs
    return dict(counts)


def without_author(patterns: Patterns, labels: Sequence[str]) -> dict[Votes, int]:
    """Pairs by the votes of the validators alone; empty where some pair has no author."""
    counts: Counter[Votes] = Counter()
    for (author, votes), pairs in patterns.items():
        if author is None:
            return {}
        index = labels.index(author)
        counts[(*votes[:index], votes[index] - 1, *votes[index + 1 :])] += pairs
    return dict(counts)


def fleiss_kappa(votes: Mapping[Votes, int], labels: Sequence[str]) -> dict[str, float | None]:
    """Fleiss (1971): chance-corrected agreement, overall and for each label against the rest.

    Every pair must have the same number of votes, at least two. A label that nobody or everybody
    used has no kappa (None).
    """
    none: dict[str, float | None] = dict.fromkeys(("overall", *labels))
    pairs = sum(votes.values())
    raters = max((sum(row) for row in votes), default=0)
    if not pairs or raters < 2:
        return none
    disagreement = [
        sum(n * row[k] * (raters - row[k]) for row, n in votes.items()) for k in range(len(labels))
    ]
    shares = [sum(n * row[k] for row, n in votes.items()) / (pairs * raters) for k in range(len(labels))]
    chance = [p * (1 - p) for p in shares]
    scale = pairs * raters * (raters - 1)
    kappas = {
        label: 1 - disagreement[k] / (scale * chance[k]) if chance[k] else None
        for k, label in enumerate(labels)
    }
    overall = 1 - sum(disagreement) / (scale * sum(chance)) if sum(chance) else None
    return {"overall": overall, **kappas}


def krippendorff_alpha(votes: Mapping[Votes, int], *, ordinal: bool = False) -> float | None:
    """Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability") from vote counts.

    Pairs with fewer than two votes say nothing and are left out. None where there is nothing to compare
    or everybody always gave one and the same label.
    """
    usable = {row: n for row, n in votes.items() if sum(row) >= 2}
    size = max((len(row) for row in usable), default=0)
    totals = [sum(n * row[k] for row, n in usable.items()) for k in range(size)]
    everything = sum(totals)
    distance = [[_distance(a, b, totals, ordinal=ordinal) for b in range(size)] for a in range(size)]
    observed = sum(
        n * row[a] * row[b] * distance[a][b] / (sum(row) - 1)
        for row, n in usable.items()
        for a in range(size)
        for b in range(size)
    )
    expected = sum(totals[a] * totals[b] * distance[a][b] for a in range(size) for b in range(size))
    if not expected:
        return None
    return 1 - (everything - 1) * observed / expected


def alpha_interval(votes: Mapping[Votes, int], *, ordinal: bool = False) -> list[float] | None:
    """The 95% interval of alpha, [low, high], by the jackknife over pairs (Efron and Tibshirani 1993, chapter 11).

    Pairs of one pattern have the same influence, so a corpus of any size needs one alpha a pattern. Pairs
    of one premise are taken as independent, which they are not quite: the interval is a little narrow.
    None where alpha is None, or would be without some pair.
    """
    alpha = krippendorff_alpha(votes, ordinal=ordinal)
    rows = sorted((row, n) for row, n in votes.items() if sum(row) >= 2 and n)
    pairs = sum(n for _, n in rows)
    if alpha is None or pairs < 2:
        return None
    without = [krippendorff_alpha({**votes, row: n - 1}, ordinal=ordinal) for row, n in rows]
    known = [(value, n) for value, (_, n) in zip(without, rows, strict=True) if value is not None]
    if len(known) < len(rows):
        return None
    mean = sum(n * value for value, n in known) / pairs
    error = ((pairs - 1) / pairs * sum(n * (value - mean) ** 2 for value, n in known)) ** 0.5
    return [alpha - 1.96 * error, min(1.0, alpha + 1.96 * error)]


def _distance(a: int, b: int, totals: Sequence[int], *, ordinal: bool) -> float:
    if a == b:
        return 0.0
    if not ordinal:
        return 1.0
    low, high = min(a, b), max(a, b)
    return (sum(totals[low : high + 1]) - (totals[a] + totals[b]) / 2) ** 2
