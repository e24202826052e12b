"""Intervals come from a bootstrap over premises, with all their pairs."""

import random
from collections import Counter

import numpy as np
import pytest

from nli.agreement import Pattern, agreement_from_patterns
from nli.gold import Rule
from validation.statistics.confidence_intervals import intervals, replicates

LABELS = ("entailment", "neutral", "contradiction")
RULE = Rule("nli3", 5, 3)


def premises(number: int, seed: int = 3) -> list[list[Pattern]]:
    """Returns premises with three pairs each; all pairs of a hard premise are hard."""
    dice = random.Random(seed)
    found = []
    for _ in range(number):
        ease = dice.choice((0.95, 0.5))
        rows = []
        for author in LABELS:
            row = [author] + [author if dice.random() < ease else dice.choice(LABELS) for _ in range(4)]
            rows.append(Pattern(author, tuple(row.count(label) for label in LABELS)))
        found.append(rows)
    return found


def profiles(found: list[list[Pattern]]) -> dict:
    return dict(Counter(tuple(sorted(Counter(rows).items(), key=str)) for rows in found))


def slow_interval(found: list[list[Pattern]], name: str, draws: int = 400) -> tuple[float, float]:
    dice = random.Random(8)
    values = []
    for _ in range(draws):
        drawn = Counter(pattern for rows in dice.choices(found, k=len(found)) for pattern in rows)
        values.append(agreement_from_patterns(drawn, RULE)[name])
    low, high = np.percentile(values, [2.5, 97.5])
    return low, high


@pytest.mark.parametrize(
    "name", ["unanimous", "individual_equals_gold", "gold_equals_author", "krippendorff_alpha"]
)
def test_an_interval_is_that_of_drawing_premises_one_by_one(name):
    found = premises(150)
    low, high = intervals(profiles(found), RULE)[name]
    slow_low, slow_high = slow_interval(found, name)
    # Two bootstraps of this size differ by chance in the ends: by less than a tenth of the width or so.
    slack = 0.2 * (slow_high - slow_low)
    assert low == pytest.approx(slow_low, abs=slack)
    assert high == pytest.approx(slow_high, abs=slack)


def test_drawing_pairs_instead_would_make_it_too_narrow():
    found = premises(150)
    low, high = intervals(profiles(found), RULE)["unanimous"]
    alone = [[pattern] for rows in found for pattern in rows]
    narrow_low, narrow_high = intervals(profiles(alone), RULE)["unanimous"]
    assert high - low > 1.2 * (narrow_high - narrow_low)


def test_the_same_seed_gives_the_same_interval_in_whatever_order_premises_come():
    there = profiles(premises(40))
    back = dict(reversed(there.items()))
    assert intervals(there, RULE) == intervals(back, RULE)
    assert intervals(there, RULE) != intervals(there, RULE, seed=1)


def test_a_replicate_has_as_many_premises_as_there_are():
    drawn = replicates(profiles(premises(40)), seed=0, size=7)
    assert sum(drawn.values()).tolist() == [120.0] * 7


def test_one_premise_says_nothing_about_others():
    assert intervals(profiles(premises(1)), RULE)["unanimous"] is None
    assert intervals({}, RULE)["krippendorff_alpha"] is None


def test_an_ordinal_alpha_has_an_interval_too():
    scale = Rule("ordinal5", 3, 2)
    dice = random.Random(1)
    rows = [[dice.choice((k, k, k, min(k + 1, 4))) for _ in range(3)] for k in dice.choices(range(5), k=90)]
    there = Counter(((Pattern(None, tuple(row.count(k) for k in range(5))), 1),) for row in rows)
    low, high = intervals(there, scale)["krippendorff_alpha"]
    alpha = agreement_from_patterns({profile[0][0]: n for profile, n in there.items()}, scale)
    assert low < alpha["krippendorff_alpha"] < high
