"""Confidence intervals of agreement, by resampling premises. This module imports no Django.

Labels of pairs that share a premise, or an image, are not independent. So each replicate draws premises (or images)
with all their pairs: the cluster bootstrap (Davison and Hinkley 1997, section 3.8) with percentile intervals (Efron and
Tibshirani 1993, chapter 13).

numpy is loaded where it computes: nearly every process imports this module, and few draw replicates.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from nli.agreement import (
    Number,
    Pattern,
    agreement_from_patterns,
    chance_corrected,
    votes_only,
    with_all_labels,
)
from nli.gold import Rule

REPLICATES = 1000
AT_ONCE = 100  # replicates that are drawn, and held in memory, together
# The vote patterns of the pairs of one premise, as (pattern, pairs); profile -> number of premises.
Profile = tuple[tuple[Pattern, int], ...]
Profiles = Mapping[Profile, int]


def intervals(
    profiles: Profiles,
    rule: Rule,
    *,
    seed: int = 0,
) -> dict[str, Any]:
    """Returns [low, high] for each statistic of `agreement_from_patterns`: the middle 95% of a thousand replicates.

    The keys are those of the statistics; the value is None if a statistic is undefined in a replicate. A
    multinomial draws all premises with the same profile together, which is the same as drawing them one by one.
    """
    import numpy as np

    complete = _complete(profiles, rule)
    premises = sum(complete.values())
    counts = replicates(complete, seed=seed) if premises > 1 else {}
    with np.errstate(invalid="ignore", divide="ignore"):
        figures = agreement_from_patterns(counts, rule)
    figures.pop("pairs_with_all_labels")
    return {name: middle(value) for name, value in figures.items()}


def interval_of_corrected(profiles: Profiles, rule: Rule) -> list[float] | None:
    """Returns [low, high] of `chance_corrected` alone, which takes a tenth of the time."""
    import numpy as np

    complete = _complete(profiles, rule)
    if sum(complete.values()) < 2:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        found: list[float] | None = middle(chance_corrected(votes_only(replicates(complete, seed=0)), rule))
    return found


def _complete(profiles: Profiles, rule: Rule) -> dict[Profile, int]:
    """Returns the profiles of the pairs with all labels; it leaves out premises without such a pair."""
    found: Counter[Profile] = Counter()
    for profile, premises in profiles.items():
        rest = tuple(with_all_labels(dict(profile), rule).items())
        if rest:
            found[rest] += premises
    return dict(found)


def replicates(profiles: Profiles, *, seed: int, size: int = REPLICATES) -> dict[Pattern, Number]:
    """Returns pattern -> the number of such pairs in each replicate, as an array of `size` numbers."""
    import numpy as np

    dice = np.random.default_rng(seed)
    # Sorted, since the database returns them in any order, and the same seed must give the same replicates.
    ordered = sorted(profiles.items(), key=str)
    patterns = sorted({pattern for profile, _ in ordered for pattern, _ in profile}, key=str)
    column = {pattern: index for index, pattern in enumerate(patterns)}
    pairs = np.zeros((len(ordered), len(patterns)))
    for row, (profile, _) in enumerate(ordered):
        for pattern, number in profile:
            pairs[row, column[pattern]] = number
    premises = np.array([number for _, number in ordered])
    total = int(premises.sum())
    drawn = [
        dice.multinomial(total, premises / total, size=min(AT_ONCE, size - start)).astype(float) @ pairs
        for start in range(0, size, AT_ONCE)
    ]
    return dict(zip(patterns, np.concatenate(drawn).T, strict=True))


def middle(value: Any) -> Any:
    """Returns [low, high] of replicates, the middle 95%; None if the statistic is undefined in one of them."""
    if isinstance(value, dict):
        return {name: middle(each) for name, each in value.items()}
    import numpy as np

    if not isinstance(value, np.ndarray) or np.isnan(value).any():
        return None
    return [float(end) for end in np.percentile(value, [2.5, 97.5])]
