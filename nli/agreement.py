"""Computes agreement from counts of vote patterns.

A *pattern* says how many votes each label of a pair got. Even large corpora have few of them (five
votes over three labels make 21), so the database counts pairs by pattern and this module does the
arithmetic, exactly. The counts may be numbers, or numpy arrays with a number for each replicate: the same
formulas then give a statistic for each replicate, NaN where it is undefined.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nli.gold import ADJUDICATED, MAJORITY, OF_ALL, Gold, Rule

Votes = tuple[int, ...]
Number = Any  # an int or float, or an array of replicates


class Pattern(NamedTuple):
    """How many votes each label of a pair got.

    author: the author's label. votes: the number for each label of the scheme, in its order, the author's
    vote included. decided: the gold label, if it was decided otherwise than by the votes, and
    decided_by: "adjudicated", or "published" if the decision came with the corpus.
    self_validated: the author is among the validators, too, as happens in published corpora.
    missing: under `majority_of_all`, answers that are no votes: those left out, and those that seats wait for.
    """

    author: str | None
    votes: Votes
    decided: str | None = None
    decided_by: str = ""
    self_validated: bool = False
    missing: int = 0


Patterns = Mapping[Pattern, Number]


def gold_of(pattern: Pattern, rule: Rule) -> Gold:
    """Returns the gold label of a pair with all labels, with its source and note."""
    if pattern.decided_by == ADJUDICATED:
        return rule.decide(pattern.votes, adjudicated=pattern.decided)
    return rule.decide(pattern.votes, published=pattern.decided, beside_votes=True)


def agreement_from_patterns(patterns: Patterns, rule: Rule) -> dict[str, Any]:
    """Returns every statistic of SNLI's Table 3 and MultiNLI's Table 2, and chance-corrected agreement.

    Pairs with fewer labels than seats are left out and counted. A share is over all other pairs (of labels: over theirs);
    `individual_equals_gold` is over the labels of pairs with a gold label. The author's label is one of the
    individual labels. These definitions reproduce the published tables. Statistics that compare with the author
    are None if no pair has one. If labels of one scheme decide the gold label in another, a label equals the gold
    label that it stands for.
    """
    full = with_all_labels(patterns, rule)
    alone = votes_only(without_author(full, rule))
    figures = _figures(full, rule)
    alpha = figures.pop("krippendorff_alpha")
    return {
        **figures,
        "fleiss_kappa_validators": fleiss_kappa(alone, rule.labels),
        "krippendorff_alpha": alpha,
    }


def _figures(full: Patterns, rule: Rule) -> dict[str, Any]:
    """Returns the statistics over pairs that have all labels."""
    total = sum(full.values())
    tally: Counter[str] = Counter()
    for pattern, pairs in full.items():
        author, votes = pattern.author, pattern.votes
        labels = pairs * sum(votes)
        gold = gold_of(pattern, rule).label
        tally["labels"] += labels
        tally["unanimous"] += pairs * (max(votes) == sum(votes))
        tally["no_gold"] += pairs * (gold is None)
        if gold is not None:
            tally["votes_for_gold"] += pairs * rule.votes_for(gold, votes)
            tally["labels_with_gold"] += labels
        if author is not None:
            tally["authored"] += pairs
            tally["labels_with_author"] += labels
            tally["votes_for_author"] += pairs * votes[rule.labels.index(author)]
            tally["gold_is_author"] += pairs * (gold == rule.reads[author])
            tally["gold_is_other"] += pairs * (gold is not None and gold != rule.reads[author])
    authored = tally["authored"]
    return {
        "pairs_with_all_labels": total,
        "unanimous": share(tally["unanimous"], total),
        "individual_equals_gold": share(tally["votes_for_gold"], tally["labels_with_gold"]),
        "individual_equals_gold_all_pairs": share(tally["votes_for_gold"], tally["labels"]),
        "individual_equals_author": share(tally["votes_for_author"], tally["labels_with_author"]),
        "gold_equals_author": share(tally["gold_is_author"], authored),
        "gold_differs_from_author": share(tally["gold_is_other"], authored),
        "no_gold": share(tally["no_gold"], total),
        "fleiss_kappa": fleiss_kappa(votes_only(full), rule.labels),
        "krippendorff_alpha": krippendorff_alpha(votes_only(full), ordinal=rule.ordinal),
    }


def breakdown_from_patterns(patterns: Patterns, rule: Rule) -> dict[str, Any]:
    """Returns details: gold labels and their sources, how votes split, agreement by gold label.

    All over the pairs with all labels, but for `krippendorff_alpha_all_pairs`. `validators_alone`, `alpha_of_all_pairs`: see
    the functions of these names. `gold_through_author`: the
    share of pairs that have a gold label by votes, but would have none without the author's.
    """
    full = with_all_labels(patterns, rule)
    total = sum(full.values())
    gold_labels: Counter[str] = Counter()
    votes_for_gold: Counter[str] = Counter()
    labels_of_gold: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for pattern, pairs in full.items():
        gold = gold_of(pattern, rule)
        sources[gold.in_words] += pairs
        if gold.label is not None:
            gold_labels[gold.label] += pairs
            votes_for_gold[gold.label] += pairs * rule.votes_for(gold.label, pattern.votes)
            labels_of_gold[gold.label] += pairs * sum(pattern.votes)
    found: dict[str, Any] = {
        "gold_labels": {label: share(gold_labels[label], total) for label in rule.gold_labels},
        "gold_sources": dict(sources),
        "splits": splits(full),
        "individual_equals_gold_by_label": {
            label: share(votes_for_gold[label], labels_of_gold[label]) for label in rule.gold_labels
        },
        "gold_through_author": None,
        "validators_alone": validators_alone(full, rule),
        "krippendorff_alpha_all_pairs": alpha_of_all_pairs(patterns, rule),
    }
    if found["validators_alone"]:
        through_author = sum(
            pairs
            for pattern, pairs in full.items()
            if pattern.decided is None
            and rule.voted(pattern.votes) is not None
            and rule.voted(rule.without(pattern.votes, pattern.author)) is None
        )
        found["gold_through_author"] = share(through_author, total)
    return found


def splits(full: Patterns) -> dict[str, float | None]:
    """Returns how votes split ("4-1", the most frequent label first) -> share of these pairs, which have all labels."""
    counts: Counter[str] = Counter()
    for pattern, pairs in full.items():
        counts[split_of(pattern.votes)] += pairs
    total = sum(counts.values())
    return {name: share(counts[name], total) for name in in_order(counts)}


def split_of(votes: Iterable[int]) -> str:
    """Returns how the votes of a pair split: "4-1", the most frequent label first."""
    return "-".join(str(number) for number in sorted(votes, reverse=True) if number)


def in_order(splits: Iterable[str]) -> list[str]:
    """Returns splits with the largest numbers of votes first: "10" before "9-1"."""
    return sorted(splits, key=lambda split: [int(number) for number in split.split("-")], reverse=True)


def is_unanimous(split: str) -> bool:
    """Returns whether all labels of such a pair are the same."""
    return "-" not in split


def validators_alone(patterns: Patterns, rule: Rule) -> dict[str, Any] | None:
    """Returns the statistics over the validators' labels; None where a pair has no author.

    Gold here is the validators' majority with the threshold of `rule`, even if `rule` decides otherwise over all labels.
    `fleiss_kappa` is over the validators too, since the author's label is left out.
    """
    alone = without_author(with_all_labels(patterns, rule), rule)
    name = OF_ALL if rule.name == OF_ALL else MAJORITY
    return _figures(alone, replace(rule, name=name, seats=rule.seats - 1)) if alone else None


def alpha_of_all_pairs(patterns: Patterns, rule: Rule) -> Number | None:
    """Returns Krippendorff's alpha over every pair with two labels or more: it needs no equal numbers of labels."""
    return krippendorff_alpha(votes_only(patterns), ordinal=rule.ordinal)


def has_all_labels(labels: int, rule: Rule, missing: int = 0) -> bool:
    """Returns whether a pair with so many labels counts in agreement: it has as many as the question has seats.

    Under `majority_of_all` it has as many as answers, and two at least.

    Kappa needs equally many labels a pair, and a single label agrees with itself. So a pair of a partition with fewer seats
    counts in no agreement, although it is complete: every seat of its own is filled (validation.gold.queries.is_complete).
    """
    return not missing and labels >= 2 if rule.name == OF_ALL else labels == rule.seats


def with_all_labels(patterns: Patterns, rule: Rule) -> Patterns:
    """Returns the patterns of the pairs with all labels."""
    return {
        pattern: count
        for pattern, count in patterns.items()
        if has_all_labels(sum(pattern.votes), rule, pattern.missing)
    }


def share(part: Number, whole: Number) -> Number | None:
    """Returns `part / whole`, or None if `whole` is zero."""
    return part / whole if _is_some(whole) else None


def _is_some(number: Number) -> bool:
    """Returns whether a number is not zero; of an array of replicates, whether any is."""
    return bool(number.any() if hasattr(number, "any") else number)


def votes_only(patterns: Patterns) -> dict[Votes, Number]:
    """Returns the patterns' votes without their authors."""
    counts: Counter[Votes] = Counter()
    for pattern, pairs in patterns.items():
        counts[pattern.votes] += pairs
    return dict(counts)


def without_author(patterns: Patterns, rule: Rule) -> Patterns:
    """Returns the patterns of the validators' labels alone; none if some pair has no author."""
    counts: Counter[Pattern] = Counter()
    for pattern, pairs in patterns.items():
        if pattern.author is None:
            return {}
        counts[Pattern(pattern.author, rule.without(pattern.votes, pattern.author))] += pairs
    return counts


def fleiss_kappa(votes: Mapping[Votes, Number], labels: Sequence[str]) -> dict[str, Number | None]:
    """Returns Fleiss' kappa (1971): chance-corrected agreement, overall and for each label against the rest.

    Every pair must have the same number of votes, at least two: without that there is no kappa, and Krippendorff's alpha
    says the same. A label that nobody or everybody used has no kappa (None).
    """
    none: dict[str, float | None] = dict.fromkeys(("overall", *labels))
    pairs = sum(votes.values())
    raters = max((sum(row) for row in votes), default=0)
    if not _is_some(pairs) or raters < 2 or any(sum(row) != raters for row in votes):
        return none
    disagreement = [
        sum(n * row[k] * (raters - row[k]) for row, n in votes.items()) for k in range(len(labels))
    ]
    shares = [sum(n * row[k] for row, n in votes.items()) / (pairs * raters) for k in range(len(labels))]
    chance = [p * (1 - p) for p in shares]
    scale = pairs * raters * (raters - 1)
    kappas = {
        label: 1 - disagreement[k] / (scale * chance[k]) if _is_some(chance[k]) else None
        for k, label in enumerate(labels)
    }
    overall = 1 - sum(disagreement) / (scale * sum(chance)) if _is_some(sum(chance)) else None
    return {"overall": overall, **kappas}


def chance_corrected(votes: Mapping[Votes, Number], rule: Rule) -> Number | None:
    """Returns Fleiss' kappa; where pairs have different numbers of labels by the rule, Krippendorff's alpha."""
    if rule.name == OF_ALL:
        return krippendorff_alpha(votes, ordinal=rule.ordinal)
    return fleiss_kappa(votes, rule.labels)["overall"]


def entropy(votes: Sequence[float], base: float = 2) -> float:
    """Returns the entropy of votes or shares, in bits unless there is another base; 0 if all are equal.

    Needs at least one vote.
    """
    whole = sum(votes)
    return sum(n / whole * math.log2(whole / n) for n in votes if n) / math.log2(base)


def cohen_kappa(table: Mapping[tuple[str, str], int]) -> float | None:
    """Returns Cohen's kappa (1960) from (one's label, other's label) -> pairs; None if both always gave the same one."""
    total = sum(table.values())
    one: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for (label, other_label), number in table.items():
        one[label] += number
        other[other_label] += number
    same = sum(number for (label, other_label), number in table.items() if label == other_label)
    chance = sum(one[label] * other[label] for label in one)
    return (total * same - chance) / (total * total - chance) if total * total > chance else None


def krippendorff_alpha(votes: Mapping[Votes, Number], *, ordinal: bool = False) -> Number | None:
    """Returns Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability") from vote counts.

    Leaves out pairs with fewer than two votes. None if there is nothing to compare or all labels are the same.
    """
    # In one order: sums of thirds depend on it in the last digit.
    usable = {row: n for row, n in sorted(votes.items(), key=lambda item: item[0]) if sum(row) >= 2}
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
    if not _is_some(expected):
        return None
    return 1 - (everything - 1) * observed / expected


def _distance(a: int, b: int, totals: Sequence[Number], *, ordinal: bool) -> Number:
    if a == b:
        return 0.0
    if not ordinal:
        return 1.0
    low, high = min(a, b), max(a, b)
    return (sum(totals[low : high + 1]) - (totals[a] + totals[b]) / 2) ** 2
