"""Groups of pairs beside each other: learnt within each, over its writers, and compared by them."""

import random
from collections.abc import Iterator

import pytest

from snapshots.statistics.hypothesis_bias import Labelled, measure_bias

LABELS = ("entailment", "neutral", "contradiction")
TOLD = dict(zip(LABELS, ("surely", "perhaps", "never"), strict=True))


def arm(
    name: str, tells: float, *, writers: int = 12, pairs: int = 30, named: bool = True
) -> Iterator[Labelled]:
    """Yields the pairs of an arm: a word of the label's own stands in this share of them; each writer has a word, too."""
    dice = random.Random(name)
    for writer in range(writers):
        for n in range(pairs):
            label = LABELS[n % 3]
            word = TOLD[label] if dice.random() < tells else dice.choice([*TOLD.values()])
            yield Labelled(
                f"{word} w{writer} {dice.randrange(9)}",
                label,
                f"{name} {writer} {n // 3}",
                kind=name,
                writer=f"{name} {writer}" if named else "",
                upheld=dice.random() < 0.9 - tells / 4,
            )


def measured(*arms: Iterator[Labelled]) -> dict:
    return measure_bias([pair for each in arms for pair in each], labels=LABELS)


def test_arms_are_learnt_within_and_compared_over_writers():
    found = measured(arm("telling", 0.5), arm("fair", 0.0))
    _, *groups = found["groups"]
    by_name = {each["group"]: each for each in groups}
    within = by_name["telling"]["within"]
    assert (within["by_writer"], within["clusters"], within["tried"]) == (True, 12, 360)
    assert within["low"] < within["share"] < within["high"]
    assert within["share"] == pytest.approx(2 / 3, abs=0.07)
    assert by_name["fair"]["within"]["share"] == pytest.approx(1 / 3, abs=0.06)
    alone, upheld = found["compared"]
    assert (alone["measure"], alone["groups"]) == ("alone", ("telling", "fair"))
    assert alone["effect"] == pytest.approx(1 / 3, abs=0.1)
    assert alone["low"] < alone["effect"] < alone["high"]
    assert alone["corrected_p"] < 0.01
    assert upheld["effect"] == pytest.approx(-0.125, abs=0.06)
    assert by_name["fair"]["upheld"]["pairs"] == 360


def test_what_a_writer_always_says_is_not_learnt_from_that_writer():
    """Each writer writes for one label alone, with a word of their own: other writers' pairs do not tell it."""
    pairs = [
        Labelled(f"word{writer} {n % 7}", LABELS[writer % 3], f"{writer} {n}", kind="a", writer=str(writer))
        for writer in range(12)
        for n in range(30)
    ]
    found = measure_bias([*pairs, *arm("b", 0.0)], labels=LABELS)
    of_a = next(each for each in found["groups"] if each["group"] == "a")
    assert of_a["within"]["share"] < 0.45
    assert of_a["hypothesis_only"] > 0.95, "which is learnt from the same writers' other premises"


def test_few_writers_are_not_compared_and_their_premises_stand_in():
    found = measured(arm("a", 0.5, writers=4, pairs=60), arm("b", 0.0))
    of_a = next(each for each in found["groups"] if each["group"] == "a")
    assert (of_a["writers"], of_a["within"]["by_writer"], of_a["within"]["clusters"]) == (4, False, 80)
    assert found["compared"] == []


def test_without_writers_premises_are_dealt():
    found = measured(arm("a", 0.6, named=False), arm("b", 0.0, named=False))
    (row, _) = found["compared"]
    assert row["clusters"] == (120, 120)
    assert row["p"] < 0.01


def test_the_larger_group_is_not_ahead_because_more_is_learnt_of_it():
    """Many rare words tell the label: more pairs teach more of them, which is no difference between the groups."""
    dice = random.Random(4)

    def rare(name: str, writers: int) -> Iterator[Labelled]:
        for n in range(writers * 30):
            label = n % 3
            yield Labelled(
                f"x{dice.randrange(300)}of{label}", LABELS[label], f"{name}{n}", "", name, f"{name}{n // 30}"
            )

    found = measured(rare("large", 60), rare("small", 12))
    large, small = (each["within"]["share"] for each in found["groups"][1:])
    assert large > small + 0.1
    (row,) = found["compared"]
    assert row["shares"][0] == pytest.approx(row["shares"][1], abs=0.08)
    assert abs(row["effect"]) < (large - small) / 2


def test_several_groups_are_corrected_together():
    found = measured(*(arm(name, 0.0, writers=6) for name in "abcd"))
    alone = [each for each in found["compared"] if each["measure"] == "alone"]
    assert len(alone) == 6
    assert all(row["corrected_p"] >= row["p"] for row in alone)


def test_the_writer_is_guessed_beside_the_commonest():
    (whole,) = measured(arm("a", 0.0))["groups"]
    assert whole["guess"]["commonest"] == pytest.approx(1 / 12)
    assert whole["guess"]["guessed"] > 0.9, "each has a word of their own"
    (unnamed,) = measured(arm("a", 0.0, named=False))["groups"]
    assert unnamed["guess"] is None
