"""The gold rules over every distribution of votes, compared with their definitions."""

from itertools import product

import pytest

from nli.gold import (
    ADJUDICATED,
    AUTHOR,
    DIFFERS,
    MAJORITY,
    NO_MAJORITY,
    NONE,
    PUBLISHED,
    RULES,
    UNANIMOUS,
    VOTED,
    Gold,
    Rule,
    may_decide,
)
from nli.labels import SCHEMES

E, N, C = "entailment", "neutral", "contradiction"


def all_votes(seats: int) -> list[tuple[int, int, int]]:
    """Returns every distribution of one to `seats` votes over three labels."""
    return [votes for votes in product(range(seats + 1), repeat=3) if 0 < sum(votes) <= seats]


def test_majority_is_the_label_with_the_threshold_and_no_other():
    for votes in all_votes(5):
        wanted: list[str | None] = [label for label, n in zip((E, N, C), votes, strict=True) if n >= 3]
        assert [Rule("nli3", 5, 3).voted(votes)] == (wanted or [None]), votes


def test_the_adjudicated_rule_leaves_open_what_entailment_and_contradiction_share():
    """Such pairs have two votes or more for each of the two labels, and none for neutral.

    While votes are missing, a pair is undecided if it can still become one of them.
    """
    rule = Rule("nli3", 5, 3, ADJUDICATED)
    for votes in all_votes(5):
        entailed, neutral, contradicted = votes
        strongest = max(entailed, contradicted)
        by_majority = Rule("nli3", 5, 3).voted(votes)
        is_shared = neutral == 0 and min(entailed, contradicted) >= 2
        may_be_shared = neutral == 0 and 5 - strongest >= 2
        assert rule.voted(votes) == (None if is_shared else by_majority), votes
        assert rule.voted(votes, settled=False) == (None if may_be_shared else by_majority), votes
    assert rule.voted((3, 1, 1)) == rule.voted((3, 1, 1), settled=False) == E


def test_the_unanimous_rule_waits_for_all_and_takes_one_voice():
    rule = Rule("nli3", 5, 3, UNANIMOUS)
    for votes in all_votes(5):
        wanted = (E, N, C)[votes.index(max(votes))] if max(votes) == sum(votes) >= 3 else None
        assert rule.voted(votes) == wanted, votes
        assert rule.voted(votes, settled=False) is None, votes


def test_a_note_stands_behind_the_source():
    assert Gold(E, VOTED).in_words == "voted"
    assert Gold(E, PUBLISHED, "no majority").in_words == "published, no majority"


@pytest.mark.parametrize(
    ("gold", "source", "labels", "author", "is_explained"),
    [
        (E, VOTED, (E, E, E, N, C), E, True),
        (N, VOTED, (E, E, E, N, C), E, False),
        (None, NONE, (E, E, E, N, C), E, False),
        (None, NONE, (E, E, N, N, C), E, True),
        (E, VOTED, (E, E, N, N, C), E, False),
        (E, AUTHOR, (E, E, N, N, C), E, False),  # all seats are filled: the author's label stands no longer
        (E, AUTHOR, (E, E, N, N), E, True),  # a seat waits
        (E, AUTHOR, (E,), E, True),
        (N, AUTHOR, (E,), E, False),
        (N, PUBLISHED, (E, E, E, E, E), E, True),
        (N, ADJUDICATED, (E, E, E, E, E), E, True),
        ("no label", ADJUDICATED, (E, E, E, E, E), E, False),
    ],
)
def test_a_line_is_explained_by_its_labels_or_not(gold, source, labels, author, is_explained):
    assert Rule("nli3", 5, 3, MAJORITY).explains(gold, source, labels, author) is is_explained


def test_a_published_label_stands_against_the_votes_only_where_its_file_had_votes():
    rule = Rule("nli3", 5, 3)
    assert rule.decide((3, 2, 0), published=N) == Gold(E, VOTED)
    assert rule.decide((3, 2, 0), published=N, beside_votes=True) == Gold(N, PUBLISHED, DIFFERS)
    assert rule.decide((2, 2, 1), published=N, beside_votes=True) == Gold(N, PUBLISHED, NO_MAJORITY)
    assert rule.decide((3, 2, 0), published=E, beside_votes=True) == Gold(E, VOTED)
    assert rule.decide((0, 0, 0), settled=False, published=N, author=E) == Gold(N, PUBLISHED)
    assert rule.decide((2, 2, 1), published=N) == Gold(None, NONE)
    assert rule.decide((3, 2, 0), adjudicated=C, published=N, beside_votes=True) == Gold(C, ADJUDICATED)


def test_votes_for_a_gold_label_are_of_all_labels_that_it_is_read_from():
    assert Rule("nli3", 5, 3).votes_for(N, (1, 3, 1)) == 3
    rule = Rule("nli3", 5, 3, UNANIMOUS, "entailed2")
    assert rule.votes_for("entailed", (1, 3, 1)) == 1
    assert rule.votes_for("not-entailed", (1, 3, 1)) == 4


def test_only_a_scale_is_ordinal():
    assert Rule("ordinal5", 5, 3).ordinal is True
    assert Rule("nli3", 5, 3).ordinal is False


def test_a_published_label_explains_a_line_whose_votes_differ():
    rule = Rule("nli3", 5, 3)
    assert rule.explains(N, PUBLISHED, (E, E, E, N, C), None)
    assert rule.explains(N, PUBLISHED, (), None)
    assert not rule.explains(N, AUTHOR, (), None)


def test_early_snapshots_left_three_voices_undecided_under_the_adjudicated_rule():
    rule = Rule("nli3", 5, 3, ADJUDICATED)
    assert rule.explains(None, NONE, (E, E, E), E, is_early=True)
    assert rule.explains(None, NONE, (E, E, E, C), E, is_early=True)
    assert not rule.explains(None, NONE, (E, E, E, E), E, is_early=True)
    assert not rule.explains(None, NONE, (E, E, E, N, C), E, is_early=True)
    assert not rule.explains(C, VOTED, (E, E, E), E, is_early=True)
    assert not Rule("nli3", 5, 3).explains(None, NONE, (E, E, E), E, is_early=True)
    assert not rule.explains(None, NONE, (E, E, E), E)


def test_a_scale_may_decide_in_two_classes_and_nothing_else_in_another_scheme():
    allowed = {
        (rule, scheme, into)
        for rule, scheme, into in product(RULES, SCHEMES, SCHEMES)
        if may_decide(rule, scheme, into)
    }
    same = {
        (rule, scheme, scheme) for rule in ("majority", "unanimous", "majority_of_all") for scheme in SCHEMES
    }
    assert allowed == same | {("adjudicated", "nli3", "nli3"), ("unanimous", "ordinal5", "entailed2")}
    for rule, scheme, into in allowed:
        seats = Rule(scheme, 3, 2, rule, into)
        assert set(seats.reads.values()) <= set(seats.gold_labels), "such labels can be read"
