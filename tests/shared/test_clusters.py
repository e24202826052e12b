"""Intervals and permutation tests over writers: against plain loops, and in simulated studies."""

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from shared import clusters
from shared.clusters import Group, difference, holm, power, share_of

STUDIES = 1000
WRITERS, PAIRS, SHARE, SPREAD, EFFECT = 40, 60, 0.45, 0.04, 0.05


def group(dice: Any, share: float, spread: float = SPREAD, writers: int = WRITERS, first: int = 0) -> Group:
    """Returns a group whose writers each have a share of their own, by the normal distribution."""
    own = np.clip(dice.normal(share, spread, writers), 0, 1)
    return np.repeat(np.arange(first, first + writers), PAIRS), dice.random(writers * PAIRS) < np.repeat(
        own, PAIRS
    )


def studies(effect: float, number: int = STUDIES, **other: Any) -> list[clusters.Difference]:
    dice = np.random.default_rng(20)
    return [
        difference(
            group(dice, SHARE + effect / 2), group(dice, SHARE - effect / 2, first=1000, **other), seed=n
        )
        for n in range(number)
    ]


@pytest.fixture
def quick(monkeypatch):
    """199 deals are exact at 5%, too (Phipson and Smyth 2010), and a tenth of the work."""
    monkeypatch.setattr(clusters, "REPLICATES", 199)


def found(results: list[clusters.Difference]) -> float:
    return float(np.mean([each.p is not None and each.p < 0.05 for each in results]))


def test_without_an_effect_one_study_in_twenty_finds_one(quick):
    results = studies(0)
    assert found(results) == pytest.approx(0.05, abs=0.02)
    covered = [
        each.low <= 0 <= each.high for each in results if each.low is not None and each.high is not None
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)


def test_five_points_are_found_as_often_as_the_power_says(quick):
    promised = power(EFFECT, share=SHARE, writers=WRITERS, pairs=PAIRS, spread=SPREAD)
    assert promised > 0.8
    assert found(studies(EFFECT)) == pytest.approx(promised, abs=0.04)


def test_groups_of_unlike_size_and_spread_do_not_find_what_is_not_there(quick):
    """A difference that is not divided by its standard error finds one in five studies."""
    assert found(studies(0, 400, writers=10, spread=0.12)) < 0.1


@pytest.mark.parametrize(("effect", "least", "most"), [(0, 0.02, 0.08), (EFFECT, 0.8, 1)])
def test_writers_who_wrote_in_both_groups_are_compared_with_themselves(quick, effect, least, most):
    """However unlike writers are: their own shares, 0.15 apart, are in both parts."""
    dice, results = np.random.default_rng(3), []
    for n in range(300):
        own = np.repeat(np.clip(dice.normal(SHARE, 0.15, 40), 0.05, 0.95), PAIRS)
        who = np.repeat(np.arange(40), PAIRS)
        results.append(
            difference((who, dice.random(2400) < own + effect), (who, dice.random(2400) < own), seed=n)
        )
    assert results[0].in_both == 40
    assert least <= found(results) <= most


def test_p_is_that_of_every_deal():
    """Of 5 and 5 writers there are 252 deals; the groups are told apart by each writer."""
    one = np.repeat(np.arange(5), 10), np.tile([1] * 8 + [0] * 2, 5)
    other = np.repeat(np.arange(5, 10), 10), np.tile([1] * 4 + [0] * 6, 5)
    result = difference(one, other)
    assert result.effect == pytest.approx(0.4)
    assert result.p == pytest.approx(2 / 252, abs=0.005)
    assert result.clusters == (5, 5)


def test_the_interval_of_alike_clusters_is_that_of_independent_pairs():
    dice = np.random.default_rng(1)
    scores = dice.random(2000) < 0.4
    result = share_of((np.arange(2000), scores))
    reach = NormalDist().inv_cdf(0.975) * np.sqrt(0.4 * 0.6 / 2000)
    assert result.low is not None
    assert result.high is not None
    assert (result.low, result.high) == pytest.approx((result.share - reach, result.share + reach), abs=0.004)
    pairs_of_one = share_of((np.arange(2000) // 20, np.repeat(scores[::20], 20)))
    assert pairs_of_one.high - pairs_of_one.low > 3 * (result.high - result.low)


def test_the_same_seed_gives_the_same():
    dice = np.random.default_rng(5)
    one, other = group(dice, 0.5), group(dice, 0.5, first=100)
    assert difference(one, other, seed=1) == difference(one, other, seed=1)


def test_of_four_writers_nothing_is_told():
    dice = np.random.default_rng(0)
    result = difference(group(dice, 0.9, writers=4), group(dice, 0.1, first=100))
    assert (result.low, result.high, result.p, result.clusters) == (None, None, None, (4, WRITERS))
    assert result.effect == pytest.approx(0.8, abs=0.1)
    assert share_of(group(dice, 0.5, writers=4))[1:] == (None, None, 4)


@pytest.mark.parametrize("right", [0, 1, 89, 90])
def test_an_interval_of_nearly_all_or_nothing_is_no_point(right):
    result = share_of((np.arange(90), np.arange(90) < right))
    assert 0 <= result.low < result.high <= 1
    assert result.low <= right / 90 <= result.high


def test_holm_corrects_step_by_step():
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert holm([]) == []
