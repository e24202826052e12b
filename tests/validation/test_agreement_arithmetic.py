"""Agreement from patterns against slow oracles and against well-known libraries."""

import random
from collections import Counter

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from tests.oracles import agreement_by_hand, fleiss_by_definition, fleiss_of_one_category
from validation.statistics import (
    agreement_from_patterns,
    alpha_interval,
    fleiss_kappa,
    krippendorff_alpha,
    majority,
)

LABELS = ("entailment", "neutral", "contradiction")


def random_rows(size: int, seed: int = 7) -> list[list[str]]:
    """Five labels a pair, mostly agreeing, as in real corpora."""
    dice = random.Random(seed)
    rows = []
    for _ in range(size):
        author = dice.choice(LABELS)
        rows.append([author] + [author if dice.random() < 0.8 else dice.choice(LABELS) for _ in range(4)])
    return rows


def votes(row: list[str], labels: tuple[str, ...] = LABELS) -> tuple[int, ...]:
    return tuple(row.count(label) for label in labels)


def patterns(rows: list[list[str]]) -> dict:
    return dict(Counter((row[0], votes(row)) for row in rows))


def test_every_share_equals_the_count_by_hand():
    rows = random_rows(500)
    figures = agreement_from_patterns(patterns(rows), labels=LABELS, seats=5, threshold=3)
    for name, expected in agreement_by_hand(rows).items():
        assert figures[name] == pytest.approx(expected, abs=1e-12), name


def test_fleiss_kappa_equals_its_definition_and_statsmodels():
    rows = random_rows(500)
    kappas = fleiss_kappa(Counter(votes(row) for row in rows), LABELS)
    assert kappas["overall"] == pytest.approx(fleiss_by_definition(rows, LABELS), abs=1e-12)
    assert kappas["overall"] == pytest.approx(
        statsmodels_fleiss(np.array([votes(row) for row in rows])), abs=1e-12
    )
    for label in LABELS:
        assert kappas[label] == pytest.approx(fleiss_of_one_category(rows, label), abs=1e-12)


def test_validators_kappa_leaves_the_author_out():
    rows = random_rows(300)
    figures = agreement_from_patterns(patterns(rows), labels=LABELS, seats=5, threshold=3)
    expected = fleiss_by_definition([row[1:] for row in rows], LABELS)
    assert figures["fleiss_kappa_validators"]["overall"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ordinal", [False, True])
def test_alpha_equals_the_library_of_that_name_with_labels_missing_too(ordinal):
    dice = random.Random(3)
    scale = ("1", "2", "3", "4", "5")
    rows = [[dice.choice(scale) for _ in range(dice.randint(1, 5))] for _ in range(200)]
    counts = [votes(row, scale) for row in rows]
    expected = krippendorff.alpha(
        value_counts=np.array(counts), level_of_measurement="ordinal" if ordinal else "nominal"
    )
    assert krippendorff_alpha(Counter(counts), ordinal=ordinal) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.lists(st.sampled_from(LABELS), min_size=5, max_size=5), min_size=1, max_size=30))
def test_shares_of_gold_add_up_whatever_the_labels(rows):
    figures = agreement_from_patterns(patterns(rows), labels=LABELS, seats=5, threshold=3)
    parts = [figures["gold_equals_author"], figures["gold_differs_from_author"], figures["no_gold"]]
    assert sum(parts) == pytest.approx(1)


def test_the_interval_of_alpha_is_that_of_a_bootstrap_over_pairs():
    dice, rows = random.Random(5), [votes(row) for row in random_rows(300)]
    alphas = sorted(
        value
        for _ in range(400)
        if (value := krippendorff_alpha(Counter(dice.choices(rows, k=len(rows))))) is not None
    )
    low, high = alpha_interval(Counter(rows)) or (0, 0)
    assert low == pytest.approx(alphas[10], abs=0.02)
    assert high == pytest.approx(alphas[-11], abs=0.02)


def test_the_interval_of_a_single_pair_is_unknown():
    assert alpha_interval({(3, 2, 0): 1}) is None


def test_pairs_with_fewer_labels_are_left_out_and_counted():
    some = {("neutral", (0, 5, 0)): 2, ("neutral", (0, 4, 0)): 7}
    figures = agreement_from_patterns(some, labels=LABELS, seats=5, threshold=3)
    assert figures["pairs_with_all_labels"] == 2
    assert figures["unanimous"] == 1


def test_nothing_labelled_gives_none_and_no_error():
    figures = agreement_from_patterns({}, labels=LABELS, seats=5, threshold=3)
    assert figures["unanimous"] is None
    assert figures["fleiss_kappa"]["overall"] is None
    assert figures["krippendorff_alpha"] is None


def test_a_corpus_without_authors_has_no_author_figures():
    figures = agreement_from_patterns(
        {(None, (5, 0, 0)): 3, (None, (3, 2, 0)): 1}, labels=LABELS, seats=5, threshold=3
    )
    assert figures["individual_equals_author"] is None
    assert figures["fleiss_kappa_validators"]["overall"] is None
    assert figures["individual_equals_gold"] == pytest.approx(18 / 20)


def test_majority_needs_the_threshold():
    assert majority((3, 2, 0), 3) == 0
    assert majority((2, 2, 1), 3) is None
