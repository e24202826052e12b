"""The exact paired test and PVI, compared with independent computations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.contingency_tables import mcnemar

from modeling.paired_tests import mean_and_spread, paired_p, sign_flip_p, signed
from modeling.results.predictions import pvi


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=300))
def test_one_run_each_is_mcnemars_exact_test(right: list[tuple[bool, bool]]):
    first, second = ([int(pair[side]) for pair in right] for side in (0, 1))
    counts = [[right.count((one, other)) for other in (True, False)] for one in (True, False)]
    assert paired_p(first, second) == pytest.approx(mcnemar(counts, exact=True).pvalue)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=10))
def test_several_runs_are_the_whole_permutation_test(differences: list[int]):
    rows = np.array(differences)
    theirs = permutation_test(
        (rows, np.zeros_like(rows)),
        lambda one, other, axis: (one - other).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert sign_flip_p(differences) == pytest.approx(theirs.pvalue)


def test_no_difference_and_the_greatest():
    assert sign_flip_p([0, 0, 0]) == 1
    assert sign_flip_p([2] * 20) == pytest.approx(2 / 2**20)


def test_spread_is_the_samples_own():
    values = [53.8, 54.8, 51.2]
    assert mean_and_spread(values) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    assert mean_and_spread([7.0]) == (7.0, None)


def test_pvi_is_the_bits_that_the_premise_adds():
    assert pvi([0.8, 0.25, 0.5], [0.4, 0.5, 0.5]) == pytest.approx([1, -1, 0])


def test_the_mean_of_pvi_is_the_difference_of_cross_entropies_in_bits():
    full, twin = [0.9, 0.2, 0.6], [0.5, 0.3, 0.1]
    entropies = [-sum(map(math.log2, one)) / 3 for one in (twin, full)]
    assert np.mean(pvi(full, twin)) == pytest.approx(entropies[0] - entropies[1])


def test_a_probability_rounded_to_zero_gives_a_finite_pvi():
    assert pvi([1.0], [0.0]) == pytest.approx([math.log2(2e6)])


def test_pvi_refuses_lists_of_two_lengths():
    with pytest.raises(ValueError, match="the same pairs"):
        pvi([1.0], [])


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_the_chances_of_signs_are_the_binomial_ones(count):
    exact = [math.comb(count, positive) / 2**count for positive in range(count + 1)]
    assert signed(3, count)[::6] == pytest.approx(exact, rel=1e-9)


def test_hundreds_of_thousands_of_pairs_are_compared_in_seconds():
    """A difference of two standard deviations of 130,000 discordant pairs, by the normal distribution 0.0455."""
    sure = round(math.sqrt(130_000))
    signs = [1] * (65_000 + sure) + [-1] * (65_000 - sure)
    assert sign_flip_p(signs) == pytest.approx(0.0455, abs=0.001)


def test_long_and_short_sums_are_the_same(monkeypatch):
    differences = [3] * 40 + [-2] * 55 + [1] * 70 + [-1] * 90
    short = sign_flip_p(differences)
    monkeypatch.setattr("modeling.paired_tests.LARGE", 0)
    assert sign_flip_p(differences) == pytest.approx(short, abs=1e-12)
