"""Agreement from patterns, compared with slow oracles and with well-known libraries."""

import random
from collections import Counter

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from nli.agreement import (
    Pattern,
    agreement_from_patterns,
    breakdown_from_patterns,
    cohen_kappa,
    entropy,
    fleiss_kappa,
    krippendorff_alpha,
)
from nli.gold import Rule
from nli.single_premises import Comparison
from tests.oracles import (
    agreement_by_hand,
    alpha_by_definition,
    cohen_by_definition,
    fleiss_by_definition,
    fleiss_of_one_category,
    gold_by_hand,
)

LABELS = ("entailment", "neutral", "contradiction")
RULE = Rule("nli3", 5, 3)


def random_rows(size: int, seed: int = 7) -> list[list[str]]:
    """Returns rows of five labels, mostly equal, as in real corpora."""
    dice = random.Random(seed)
    rows = []
    for _ in range(size):
        author = dice.choice(LABELS)
        rows.append([author] + [author if dice.random() < 0.8 else dice.choice(LABELS) for _ in range(4)])
    return rows


def votes(row: list[str], labels: tuple[str, ...] = LABELS) -> tuple[int, ...]:
    return tuple(row.count(label) for label in labels)


def patterns(rows: list[list[str]]) -> dict:
    return dict(Counter(Pattern(row[0], votes(row)) for row in rows))


def test_every_share_equals_the_count_by_hand():
    rows = random_rows(500)
    figures = agreement_from_patterns(patterns(rows), RULE)
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
    figures = agreement_from_patterns(patterns(rows), RULE)
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
    figures = agreement_from_patterns(patterns(rows), RULE)
    parts = [figures["gold_equals_author"], figures["gold_differs_from_author"], figures["no_gold"]]
    assert sum(parts) == pytest.approx(1)


def test_pairs_with_fewer_labels_are_left_out_and_counted():
    some = {Pattern("neutral", (0, 5, 0)): 2, Pattern("neutral", (0, 4, 0)): 7}
    figures = agreement_from_patterns(some, RULE)
    assert figures["pairs_with_all_labels"] == 2
    assert figures["unanimous"] == 1


def test_nothing_labelled_gives_none_and_no_error():
    figures = agreement_from_patterns({}, RULE)
    assert figures["unanimous"] is None
    assert figures["fleiss_kappa"]["overall"] is None
    assert figures["krippendorff_alpha"] is None


def test_a_corpus_without_authors_has_no_author_figures():
    figures = agreement_from_patterns({Pattern(None, (5, 0, 0)): 3, Pattern(None, (3, 2, 0)): 1}, RULE)
    assert figures["individual_equals_author"] is None
    assert figures["fleiss_kappa_validators"]["overall"] is None
    assert figures["individual_equals_gold"] == pytest.approx(18 / 20)


def breakdown(some: dict) -> dict:
    return breakdown_from_patterns(some, RULE)


def test_validators_alone_are_counted_as_a_corpus_of_four_labels():
    rows = random_rows(400)
    alone = breakdown(patterns(rows))["validators_alone"]
    by_hand = agreement_by_hand([row[1:] for row in rows])
    for name in ("unanimous", "no_gold", "individual_equals_gold"):
        assert alone[name] == pytest.approx(by_hand[name], abs=1e-12), name
    agreeing = [label == row[0] for row in rows for label in row[1:]]
    assert alone["individual_equals_author"] == pytest.approx(sum(agreeing) / len(agreeing), abs=1e-12)


def test_the_kappa_of_the_validators_stands_once_and_without_the_author():
    rows = random_rows(400)
    alone = breakdown(patterns(rows))["validators_alone"]
    assert "fleiss_kappa_validators" not in alone, "the author's label would be taken out twice"
    expected = fleiss_by_definition([row[1:] for row in rows], LABELS)
    assert alone["fleiss_kappa"]["overall"] == pytest.approx(expected, abs=1e-12)


def test_alpha_of_all_pairs_has_those_with_fewer_labels():
    rows = ["eeeee", "eennc", "een", "nc", "c", "nnnnn"]
    some = Counter(Pattern(None, tuple(row.count(letter) for letter in "enc")) for row in rows)
    found = breakdown_from_patterns(some, RULE)["krippendorff_alpha_all_pairs"]
    assert found == pytest.approx(alpha_by_definition([row for row in rows if len(row) > 1]))
    whole = agreement_from_patterns(some, RULE)["krippendorff_alpha"]
    assert whole == pytest.approx(alpha_by_definition([row for row in rows if len(row) == 5]))


def test_labels_on_a_scale_equal_the_gold_label_that_they_stand_for():
    rule = Rule("ordinal5", 3, 2, "unanimous", "entailed2")
    some = {
        Pattern(None, (0, 0, 0, 0, 3)): 4,  # entailed
        Pattern(None, (3, 0, 0, 0, 0)): 2,  # not-entailed
        Pattern(None, (1, 1, 1, 0, 0)): 1,  # none, though all stand for the same
        Pattern(None, (2, 0, 0, 0, 1), "not-entailed", "published"): 1,
    }
    figures, behind = agreement_from_patterns(some, rule), breakdown_from_patterns(some, rule)
    assert behind["gold_labels"] == {"entailed": 4 / 8, "not-entailed": 3 / 8}
    assert behind["gold_sources"] == {"voted": 6, "none": 1, "published, no majority": 1}
    assert figures["individual_equals_gold"] == (12 + 6 + 2) / 21
    assert set(figures["fleiss_kappa"]) == {"overall", *"12345"}


def test_gold_labels_that_stand_through_the_author_alone_are_counted():
    rows = random_rows(400)
    through = [gold_by_hand(row) != "-" and gold_by_hand(row[1:]) == "-" for row in rows]
    assert breakdown(patterns(rows))["gold_through_author"] == pytest.approx(sum(through) / 400)
    assert sum(through) > 0


def test_a_decision_beyond_the_votes_is_the_gold_label_and_says_whose_it_is():
    some = {
        Pattern(None, (3, 1, 1), "contradiction", "published"): 3,
        Pattern(None, (2, 2, 1), "neutral", "published"): 2,
        Pattern(None, (4, 1, 0), "entailment", "published"): 5,
        Pattern(None, (2, 2, 1), "entailment", "adjudicated"): 1,
        Pattern(None, (2, 1, 2)): 1,
    }
    found = breakdown(some)
    assert found["gold_sources"] == {
        "published, differs from the votes": 3,
        "published, no majority": 2,
        "voted": 5,
        "adjudicated": 1,
        "none": 1,
    }
    assert found["individual_equals_gold_by_label"] == {
        "entailment": (5 * 4 + 2) / 30,
        "neutral": 4 / 10,
        "contradiction": 3 / 15,
    }
    assert found["gold_labels"]["contradiction"] == 3 / 12
    assert found["splits"] == {"4-1": 5 / 12, "3-1-1": 3 / 12, "2-2-1": 4 / 12}
    figures = agreement_from_patterns(some, RULE)
    assert figures["no_gold"] == 1 / 12
    assert figures["individual_equals_gold"] == (22 + 4 + 3) / 55


def test_cohens_kappa_equals_its_definition():
    dice = random.Random(11)
    given = [(dice.choice(LABELS), dice.choice(LABELS)) for _ in range(60)]
    given += [(label, label) for label in LABELS for _ in range(20)]
    assert cohen_kappa(Counter(given)) == pytest.approx(cohen_by_definition(given), abs=1e-12)
    assert cohen_kappa({("neutral", "neutral"): 9}) is None


def test_majority_needs_the_threshold():
    assert RULE.voted((3, 2, 0)) == "entailment"
    assert RULE.voted((2, 2, 1)) is None


def test_two_raters_are_enough_for_fleiss_and_one_is_not():
    votes = {(2, 0): 3, (1, 1): 1, (0, 2): 4}
    table = [[a, b] for (a, b), n in votes.items() for _ in range(n)]
    assert fleiss_kappa(votes, ["x", "y"])["overall"] == pytest.approx(statsmodels_fleiss(np.array(table)))
    assert fleiss_kappa({(1, 0): 3, (0, 1): 4}, ["x", "y"])["overall"] is None
    assert fleiss_kappa({}, ["x", "y"]) == {"overall": None, "x": None, "y": None}


def test_entropy_is_in_bits():
    assert entropy((5, 0, 0)) == 0
    assert entropy((2, 2, 0)) == 1
    assert entropy((1, 1, 1, 1)) == 2
    assert entropy((3, 1, 0)) == pytest.approx(0.811278, abs=1e-6)


def test_single_premises_are_compared_with_the_label_of_all():
    single = Comparison()
    single.add("entailment", ["entailment", "entailment", "entailment", "contradiction"])
    single.add("entailment", ["entailment", "entailment", "neutral", "neutral"])  # half is no majority
    single.add("contradiction", ["contradiction", "neutral", "neutral", None])
    single.add("neutral", ["entailment", "contradiction", "neutral", None])
    single.add("entailment", ["entailment", "contradiction", "neutral", "neutral"])
    assert single.figures(LABELS) == {
        "pairs": 5,
        "agree": {"0": 0, "1": 0.6, "2": 0.2, "3": 0.2},
        "majority_of_premises": 0.2,
        "more_of_premises": 0.8,
    }
    assert single.figures(("entailed", "not-entailed"))["more_of_premises"] is None
    assert Comparison().figures(LABELS) is None


def test_splits_stand_from_one_voice_to_many():
    patterns = {Pattern("entailment", votes): 1 for votes in ((2, 2, 1), (5, 0, 0), (3, 2, 0))}
    assert list(breakdown_from_patterns(patterns, Rule("nli3", 5, 3))["splits"]) == ["5", "3-2", "2-2-1"]
