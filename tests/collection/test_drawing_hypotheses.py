"""Drawing hypotheses for scenes: by seed, after filters; the numbers of the report add up."""

from collections import Counter
from dataclasses import replace
from functools import cache
from hashlib import sha256

import pytest

from collection.formats.field_errors import FieldError
from collection.pairing.captions import RULES
from collection.pairing.draw import ALL, Hypothesis, Pairing, Rules, content_words, word_overlap
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


PARTS = ("train", "train", "train", "dev", "test")


@cache
def divided(**draw: int) -> tuple[Pairing, dict[int, list[Hypothesis]]]:
    """The example scenes in three partitions, with all that passes, or a draw of it."""
    scenes = [replace(each, partition=PARTS[at % 5]) for at, each in enumerate(example_scenes())]
    pairing = Pairing(scenes, Rules(1, ALL, draw={name.strip("_"): number for name, number in draw.items()}))
    return pairing, pairing.drawn()


EVERY = {"train": 10**6, "dev": 10**6, "test": 10**6}


def test_rarity_is_counted_in_train_and_for_dev_and_test_also_in_their_own_captions():
    pairing, found = divided(**EVERY)
    keys = keys_of(pairing)
    places = [scene.partition for scene in pairing.scenes for _ in scene.captions]
    seen: Counter[tuple[str, bool]] = Counter()
    for number, scene in enumerate(pairing.scenes):
        for caption in pairing.captions[5 * number : 5 * number + 5]:
            for made in simplifications(caption):
                giving = Counter(
                    place
                    for place, each in zip(places, pairing.captions, strict=True)
                    if gives(each, made.key)
                )
                own = giving[scene.partition]
                union = own + (giving["train"] if scene.partition != "train" else 0)
                expected = own >= 2 if scene.partition == "train" else union >= 2 and own >= 1
                assert pairing.index.is_given_by(made.key, 2, scene.partition) is expected
                seen[scene.partition, expected] += 1
    assert len(seen) == 6
    assert all(keys[each.text] for hypotheses in found.values() for each in hypotheses)


def test_the_other_scene_is_of_the_same_partition():
    pairing, found = divided(**EVERY)
    where = {scene.id: scene.partition for scene in pairing.scenes}
    others = [
        (where[each.scene], pairing.scenes[number].partition)
        for number, hypotheses in found.items()
        for each in hypotheses
        if each.origin == OTHER
    ]
    assert others
    assert all(its == mine for its, mine in others)


@pytest.mark.parametrize("draw", [{"train": 4, "dev": 1}, {"_": 6}, EVERY])
def test_a_draw_takes_the_first_by_a_shuffle_of_the_seed_and_the_report_adds_up(draw):
    everything = divided(**EVERY)
    pairing, found = divided(**draw)
    turns: dict[str, list[tuple[bytes, int, str]]] = {}
    for number, hypotheses in everything[1].items():
        scene = pairing.scenes[number]
        for each in hypotheses:
            turn = sha256(f"1\n{scene.id}\n{each.text}".encode()).digest()
            turns.setdefault("_" if "_" in draw else scene.partition, []).append((turn, number, each.text))
    expected = sorted(
        (number, text) for name, most in draw.items() for _, number, text in sorted(turns[name])[-most:]
    )
    assert sorted((number, each.text) for number, some in found.items() for each in some) == expected
    passing = {name.strip("_"): len(each) for name, each in turns.items()}
    assert +pairing.report.passing == passing
    for name, report in pairing.report.origins.items():
        mine = [sum(each.origin == name for each in some) for some in found.values()]
        assert report.made == report.drawn + sum(report.dropped.values())
        assert (report.drawn, report.empty) == (sum(mine), mine.count(0))


def test_a_draw_from_a_partition_that_no_scene_has_is_an_error():
    with pytest.raises(FieldError, match='no scene has the partition "dev"'):
        Pairing(example_scenes()[:2], Rules(1, draw={"dev": 3})).drawn()
