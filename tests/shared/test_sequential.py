"""Looks at a study while it goes on: against published boundaries, and in simulated studies."""

from statistics import NormalDist

import numpy as np
import pytest

from shared import clusters
from shared.clusters import difference, power
from shared.sequential import LEVEL, SPENDING, Comparison, levels, look
from tests.shared.test_clusters import EFFECT, PAIRS, SHARE, SPREAD, WRITERS, group

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
STUDIES = 1000
# Boundaries of five looks at two-sided 5%, in standard errors: Reboussin, DeMets, Kim and Lan 2000.
PUBLISHED = {
    "obrien-fleming": (4.8769, 3.3569, 2.6803, 2.2898, 2.0310),
    "pocock": (2.4380, 2.4268, 2.4101, 2.3966, 2.3859),
}


def bounds(found: tuple[float, ...]) -> list[float]:
    return [-NormalDist().inv_cdf(each / 2) for each in found]


@pytest.mark.parametrize("spending", SPENDING)
def test_boundaries_are_the_published_ones(spending):
    assert bounds(levels(FIFTHS, spending)) == pytest.approx(PUBLISHED[spending], abs=0.0003)


def test_boundaries_at_ten_per_cent_are_those_of_another_program():
    """SeqBounds.jl, one-sided at 5%, four looks."""
    found = bounds(levels((0.25, 0.5, 0.75, 1.0), "obrien-fleming", total=0.1))
    assert found == pytest.approx([3.74955, 2.53993, 2.01604, 1.72014], abs=0.0003)


@pytest.mark.parametrize("spending", SPENDING)
def test_one_look_has_the_whole_level_and_a_hundred_leave_some(spending):
    assert levels((1.0,), spending) == pytest.approx((LEVEL,))
    many = levels(tuple(n / 100 for n in range(1, 101)), spending)
    assert 0.005 < many[-1] < LEVEL


def test_an_end_before_or_after_the_plan_spends_all_once():
    short = levels((0.3, 0.7), "pocock", is_last=True)
    assert short[-1] > levels((0.3, 0.7), "pocock")[-1], "nothing will come"
    long = levels((0.3, 1.2, 1.4), "pocock")
    assert long[1] > 0.02
    assert long[2] == 0, "all was spent"


def test_holm_hands_the_level_of_a_told_difference_to_the_others():
    at = (0.5, 1.0)
    third, half, whole = (levels(at, "obrien-fleming", total=LEVEL / n)[-1] for n in (3, 2, 1))
    said = look([Comparison(at, p) for p in (third * 0.9, half * 0.9, whole * 1.1)], "obrien-fleming", 3)
    assert [each.is_told for each in said] == [True, True, False]
    assert said[2].level == pytest.approx(whole)
    alone = look([Comparison(at, half * 0.9)], "obrien-fleming", 3)
    assert not alone[0].is_told, "the two that have no p value yet are counted"


def test_what_was_told_stays_told_and_without_a_test_nothing_is():
    kept, none = look([Comparison((0.5,), 0.9, is_told=True), Comparison((0.5,), None)], "pocock", 2)
    assert kept.is_told
    assert (none.level, none.is_told) == (None, False)


def told(effect: float, number: int) -> np.ndarray:
    """Simulates studies with five looks, each when a fifth more of the writers wrote: p values (studies, looks)."""
    dice = np.random.default_rng(33)
    found = []
    for n in range(number):
        arms = group(dice, SHARE + effect / 2), group(dice, SHARE - effect / 2, first=1000)
        ends = [round(share * WRITERS * PAIRS) for share in FIFTHS]
        tests = (difference(*((who[:end], right[:end]) for who, right in arms), seed=n) for end in ends)
        found.append([1 if each.p is None else each.p for each in tests])
    return np.array(found)


@pytest.mark.thorough
def test_five_looks_keep_the_error_rate_and_the_power_that_one_look_has(monkeypatch):
    """If naive looking stopped crying wolf, spending would prove nothing."""
    monkeypatch.setattr(clusters, "REPLICATES", 199)
    nothing, five_points = told(0, STUDIES), told(EFFECT, STUDIES)
    naive = (nothing <= LEVEL).any(axis=1).mean()
    assert naive > 0.1, "a look at 5% each"
    promised = power(EFFECT, share=SHARE, writers=WRITERS, pairs=PAIRS, spread=SPREAD)
    once = (five_points[:, -1] <= LEVEL).mean()
    assert once == pytest.approx(promised, abs=0.05)
    # How much lower the power is than that of one look at the end, at most.
    for spending, lower in (("obrien-fleming", 0.03), ("pocock", 0.13)):
        limits = np.array(levels(FIFTHS, spending))
        assert (nothing <= limits).any(axis=1).mean() == pytest.approx(LEVEL, abs=0.02)
        assert (five_points <= limits).any(axis=1).mean() >= once - lower
