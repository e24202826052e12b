"""One annotator against the gold label of the others."""

import pytest

from nli.gold import ADJUDICATED, MAJORITY, UNANIMOUS, Rule, left_out

E, N, C = "entailment", "neutral", "contradiction"


def rule(name: str = MAJORITY) -> Rule:
    return Rule("nli3", 5, 3, name)


@pytest.mark.parametrize(
    ("labels", "golds", "agree"),
    [
        ((E, E, E, E, E), (E,) * 5, (True,) * 5),
        # Without one of three equal labels, two of four are no majority.
        ((E, E, E, N, N), (None, None, None, E, E), (False, False, False, False, False)),
        ((N, E, E, E, E), (E,) * 5, (False, True, True, True, True)),
        ((E, N, C), (None,) * 3, (False,) * 3),
        ((E, E, N), (None, None, E), (False, False, False)),
        ((E, E, E), (E, E, E), (True, True, True)),
        ((E, N), (), ()),
        ((), (), ()),
    ],
)
def test_each_label_is_set_against_more_than_half_of_the_others(labels, golds, agree):
    found = list(left_out(rule(), labels))
    assert tuple(gold for _, gold, _ in found) == golds
    assert tuple(same for _, _, same in found) == agree
    assert [place for place, _, _ in found] == list(range(len(golds)))


def test_the_rule_of_the_question_decides_among_the_others():
    labels = (C, E, E, E, E)
    assert [gold for _, gold, _ in left_out(rule(UNANIMOUS), labels)] == [E, None, None, None, None]
    split = (E, E, E, C, C, C, C)
    assert {gold for _, gold, _ in left_out(rule(ADJUDICATED), split)} == {None}


def test_labels_of_a_scale_are_read_as_the_gold_labels_are():
    scale = Rule("ordinal5", 3, 2, gold_scheme="entailed2")
    found = list(left_out(scale, ("5", "5", "5")))
    assert {(gold, same) for _, gold, same in found} == {("entailed", True)}
