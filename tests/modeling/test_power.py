"""The number of pairs that a difference needs: the formula compared with the power of the exact test."""

import math

import pytest

from modeling.paired_tests import pairs_needed, sign_flip_p, smallest_difference


def binomial(successes: int, trials: int, chance: float) -> float:
    return math.comb(trials, successes) * chance**successes * (1 - chance) ** (trials - successes)


def exact_power(pairs: int, difference: float, discordant: float) -> float:
    """Computes the power of McNemar's exact test, over every number and split of discordant pairs."""
    better, total = (discordant + difference) / (2 * discordant), 0.0
    for count in range(1, pairs + 1):
        chance = binomial(count, pairs, discordant)
        if chance < 1e-9:
            continue
        few = [n for n in range(count // 2 + 1) if sign_flip_p([1] * (count - n) + [-1] * n) <= 0.05]
        total += chance * sum(binomial(n, count, better) + binomial(n, count, 1 - better) for n in few)
    return total


@pytest.mark.parametrize(("difference", "discordant"), [(0.1, 0.2), (0.1, 0.3), (0.15, 0.4), (0.08, 0.12)])
def test_as_many_pairs_as_the_formula_says_have_about_its_power_in_the_exact_test(difference, discordant):
    needed = pairs_needed(difference, discordant)
    # The exact test is a little stricter than the formula's normal distribution.
    assert 0.74 <= exact_power(needed, difference, discordant) <= 0.82


def test_the_formula_is_connors():
    # By hand: (1.959964 * sqrt(0.2) + 0.841621 * sqrt(0.2 - 0.01)) ** 2 / 0.01 = 154.6
    assert pairs_needed(0.1, 0.2) == 155
    assert pairs_needed(-0.1, 0.2) == 155
    assert pairs_needed(0.1, 0.2, power=0.9) > 155 > pairs_needed(0.1, 0.2, level=0.1)


@pytest.mark.parametrize(("difference", "discordant"), [(0.0, 0.2), (0.3, 0.2), (0.1, 0.0), (0.1, 1.1)])
def test_without_a_possible_difference_there_is_no_number(difference, discordant):
    assert pairs_needed(difference, discordant) is None


def test_the_smallest_difference_is_the_one_that_needs_all_pairs():
    found = smallest_difference(1000, 0.2)
    assert pairs_needed(found, 0.2) <= 1000 < pairs_needed(found - 0.001, 0.2)
    assert smallest_difference(10, 0.2) is None  # even if all discordant pairs were of one system
    assert smallest_difference(1000, 0.0) is None
