"""Drawing hypotheses for scenes: by seed, after filters; the numbers of the report add up."""

from functools import cache

import pytest

from collection.pairing.captions import RULES
from collection.pairing.draw import Hypothesis, Pairing, Rules, content_words, word_overlap
from collection.pairing.report import NOT_DRAWN, ORIGINS, OTHER, OVERLAP, RARE, SAME, STEPS
from collection.pairing.simplify import gives, simplifications
from tests.collection.pairing_material import example_scenes


@cache
def paired(seed: int = 1, each: int = 2, overlap: float = 0.5, captions: int = 2):
    pairing = Pairing(example_scenes(), Rules(seed, each, overlap, captions))
    return pairing, [pairing.hypotheses(number) for number in range(len(example_scenes()))]


def drawn(*args, **options) -> list[tuple[int, Hypothesis]]:
    return [(number, each) for number, found in enumerate(paired(*args, **options)[1]) for each in found]


def test_the_same_seed_draws_the_same_in_any_order():
    pairing = Pairing(example_scenes(), Rules(1, 2))
    backwards = [pairing.hypotheses(number) for number in reversed(range(len(example_scenes())))]
    assert backwards[::-1] == paired()[1]


def test_another_seed_draws_other_hypotheses():
    assert drawn() != drawn(seed=2)


def test_hypotheses_come_from_the_fifth_caption_or_from_another_scene():
    origins = {SAME: 0, OTHER: 0}
    for number, each in drawn():
        origins[each.origin] += 1
        mine = each.scene == example_scenes()[number].id
        assert mine is (each.origin == SAME)
        assert each.caption == 5 or each.origin == OTHER
    assert all(origins.values())


def test_a_scene_has_no_hypothesis_twice():
    keys = keys_of(paired(captions=1)[0])
    for found in paired(captions=1)[1]:
        assert len({keys[each.text] for each in found}) == len(found)


def test_how_a_hypothesis_was_made_is_said_in_words():
    made = Hypothesis("A dog runs.", SAME, "s1", 5, ("hypernym", "modifier"))
    assert made.construction == "caption 5 of the same scene: hypernym, modifier"
    made = Hypothesis("A dog runs.", OTHER, "s2", 1, ("modifier",))
    assert made.construction == "caption 1 of scene s2: modifier"
    most = Hypothesis("A dog runs.", OTHER, "s" * 80, 2, RULES)
    assert len(most.construction) <= 200  # what the database keeps


def test_no_premise_simplifies_to_a_drawn_hypothesis_and_overlap_and_words_are_within_bounds():
    pairing, _ = paired(captions=1)
    keys = keys_of(pairing)
    assert len(drawn(captions=1)) > 50
    for number, each in drawn(captions=1):
        premise = pairing.captions[5 * number : 5 * number + 4]
        assert not any(gives(sentence, keys[each.text]) for sentence in premise)
        assert word_overlap(example_scenes()[number].premise, each.text) <= 0.5
        assert len(content_words(each.text)) >= 2


def keys_of(pairing):
    return {each.text: each.key for found in pairing.captions for each in simplifications(found)}


def test_at_least_two_captions_of_the_file_give_a_drawn_hypothesis():
    pairing, _ = paired()
    keys = keys_of(pairing)
    for _, each in drawn():
        assert sum(gives(found, keys[each.text]) for found in pairing.captions) >= 2


def test_the_count_of_captions_agrees_with_asking_every_caption():
    pairing, _ = paired()
    for key in list(keys_of(pairing).values())[::7]:
        count = sum(gives(found, key) for found in pairing.captions)
        for threshold in (1, 2, 3):
            assert pairing.index.is_given_by(key, threshold) is (count >= threshold)


@pytest.mark.parametrize("options", [{}, {"captions": 1}, {"overlap": 0.0}, {"each": 1}])
def test_what_was_made_is_what_the_steps_dropped_and_what_was_drawn(options):
    pairing, found = paired(**options)
    assert pairing.report.scenes == 25
    for name in ORIGINS:
        report = pairing.report.origins[name]
        here = [each for hypotheses in found for each in hypotheses if each.origin == name]
        assert report.made == report.drawn + sum(report.dropped.values())
        assert report.drawn == len(here)
        assert report.empty == sum(
            not any(each.origin == name for each in hypotheses) for hypotheses in found
        )
        assert set(report.dropped) <= set(STEPS)
        assert all(1 <= len(report.examples[step]) <= 3 for step in report.dropped)
        assert report.words.mean == pytest.approx(
            sum(len(each.text.split()) for each in here) / len(here), abs=0.2
        )


def test_a_stricter_overlap_drops_more_and_a_lower_rarity_less():
    def dropped(step, **options):
        return paired(**options)[0].report.origins[SAME].dropped[step]

    assert dropped(OVERLAP, overlap=0.0) > dropped(OVERLAP)
    assert dropped(RARE, captions=1) == 0 < dropped(RARE)
    assert dropped(NOT_DRAWN, each=1) >= dropped(NOT_DRAWN)


def test_a_lone_scene_has_no_other_to_draw_from():
    pairing = Pairing(example_scenes()[:1], Rules(1, captions=1))
    assert {each.origin for each in pairing.hypotheses(0)} == {SAME}
    assert pairing.report.origins[OTHER].empty == 1
