"""The rules of gold over every distribution of votes, beside their definitions written out."""

from itertools import product

import pytest

from nli.gold import ADJUDICATED, AUTHOR, MAJORITY, NONE, PUBLISHED, UNANIMOUS, VOTED, Gold, Rule

E, N, C = "entailment", "neutral", "contradiction"


def all_votes(seats: int) -> list[tuple[int, int, int]]:
    """Every distribution of at most so many votes over three labels, at least one of them given."""
    return [votes for votes in product(range(seats + 1), repeat=3) if 0 < sum(votes) <= seats]


def test_majority_is_the_label_with_the_threshold_and_no_other():
    for votes in all_votes(5):
        wanted = [label for label, n in zip((E, N, C), votes, strict=True) if n >= 3]
        assert [Rule("nli3", 5, 3).voted(votes)] == (wanted or [None]), votes


def test_the_adjudicated_rule_leaves_open_what_entailment_and_contradiction_share():
    """Three entailments and one contradiction may still become three and two; with a neutral vote they cannot."""
    for votes in all_votes(5):
        entailed, neutral, contradicted = votes
        may_be_shared = neutral == 0 and max(entailed, contradicted) < 4
        wanted = None if may_be_shared else Rule("nli3", 5, 3).voted(votes)
        assert Rule("nli3", 5, 3, ADJUDICATED).voted(votes) == wanted, votes
    assert Rule("nli3", 5, 3, ADJUDICATED).voted((3, 1, 1)) == E


def test_the_unanimous_rule_waits_for_all_and_takes_one_voice():
    rule = Rule("nli3", 5, 3, UNANIMOUS)
    for votes in all_votes(5):
        wanted = (E, N, C)[votes.index(max(votes))] if max(votes) == sum(votes) >= 3 else None
        assert rule.voted(votes) == wanted, votes
        assert rule.voted(votes, settled=False) is None, votes


def test_a_note_stands_behind_the_source():
    assert Gold(E, VOTED).told == "voted"
    assert Gold(E, PUBLISHED, "no majority").told == "published, no majority"


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
