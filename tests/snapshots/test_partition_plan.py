"""The plan of partitions, without a database."""

import random

from snapshots.freezing.partition import hold_out, plan
from snapshots.freezing.premise_groups import Row


def validated(group: str, pairs: int = 3, genre: str = "fiction") -> Row:
    return Row(group, genre, pairs, validated=True)


def planned(rows, *, seed=0, dev=3, test=3, outside=()):
    return plan(rows, seed=seed, dev_per_genre=dev, test_per_genre=test, outside_training=outside)


def test_the_same_seed_gives_the_same_plan_in_any_order():
    rows = [validated(f"g{number}") for number in range(50)]
    shuffled = random.Random(1).sample(rows, len(rows))
    assert planned(rows, seed=5).partition_of == planned(shuffled, seed=5).partition_of


def test_another_seed_gives_another_plan():
    rows = [validated(f"g{number}") for number in range(50)]
    assert planned(rows, seed=5).partition_of != planned(rows, seed=6).partition_of


def test_each_genre_gets_its_number_of_pairs_in_dev_and_test():
    rows = [validated(f"{genre}{n}", genre=genre) for genre in ("fiction", "letters") for n in range(10)]
    result = planned(rows, dev=6, test=3)
    assert result.pairs["dev"] == {"fiction": 6, "letters": 6}
    assert result.pairs["test"] == {"fiction": 3, "letters": 3}
    assert result.pairs["train"] == {"fiction": 21, "letters": 21}
    assert result.shortages == []


def test_groups_without_all_labels_go_to_train():
    rows = [validated("whole"), Row("half", "fiction", 2, validated=True), Row("half", "fiction", 1)]
    result = planned(rows, dev=30, test=30)
    assert result.place_of("half") == "train"
    assert result.place_of("whole") == "dev"


def test_a_shortage_is_shared_by_dev_and_test_and_stated():
    result = planned([validated(f"g{number}") for number in range(4)], dev=30, test=30)
    assert result.pairs["dev"] == result.pairs["test"] == {"fiction": 6}
    assert [str(each) for each in result.shortages] == [
        "dev, fiction: 6 of 30 pairs; no other whole group has all its labels and comes nearer",
        "test, fiction: 6 of 30 pairs; no other whole group has all its labels and comes nearer",
    ]


def test_whole_groups_round_to_the_nearest_number_and_the_difference_is_stated():
    result = planned([validated(f"g{number}") for number in range(10)], dev=5, test=0)
    assert result.pairs["dev"] == {"fiction": 6}
    assert [str(each) for each in result.shortages] == [
        "dev, fiction: 6 pairs instead of 5; groups stay whole"
    ]


def test_a_large_group_that_would_overshoot_by_far_is_left_in_train():
    result = planned([validated("novel", 400), validated("note", 3)], dev=6, test=0)
    assert result.partition_of == {"note": "dev"}


def test_genres_outside_training_never_enter_train():
    rows = [validated(f"g{number}", genre="letters") for number in range(5)]
    result = planned(rows, outside=["letters"])
    assert result.pairs["train"] == {}
    assert result.left_out == {"genre not in training": {"letters": 9}}


def test_a_group_that_spans_genres_stays_together():
    rows = [validated("shared"), validated("shared", 2, genre="letters"), validated("other")]
    result = planned(rows, dev=3, test=0)
    homes = {part for part in ("train", "dev", "test") if "letters" in result.pairs[part]}
    assert homes == {result.place_of("shared")}


def test_placed_groups_keep_their_place_and_take_new_premises_along():
    rows = [
        Row("old", "fiction", 3, placed="test", validated=True),
        validated("old"),
        *[validated(f"g{number}") for number in range(5)],
    ]
    result = planned(rows, dev=3, test=3)
    assert result.place_of("old") == "test"
    assert result.pairs["test"] == {"fiction": 6}


def test_pairs_of_a_dev_premise_wait_until_they_have_all_labels():
    rows = [Row("old", "fiction", 3, placed="dev", validated=True), Row("old", "fiction", 2, placed="dev")]
    result = planned(rows)
    assert result.pairs["dev"] == {"fiction": 3}
    assert result.left_out == {"awaiting labels": {"fiction": 2}}


def test_a_group_stays_tied_when_all_its_pairs_were_withdrawn():
    result = planned([Row("old", "fiction", 0, placed="dev"), validated("old")])
    assert result.partition_of == {"old": "dev"}
    assert result.left_out == {}


def test_published_pairs_are_kept_pair_by_pair():
    rows = [
        Row("cat", "fiction", 5, published="train"),
        Row("cat", "fiction", 2, published="test"),
        Row("cat", "letters", 1, published="train"),
    ]
    result = planned(rows, outside=["letters"])
    assert result.pairs["train"] == {"fiction": 5, "letters": 1}
    assert result.pairs["test"] == {"fiction": 2}


def test_new_pairs_of_a_group_published_in_two_partitions_go_to_train():
    rows = [Row("cat", "fiction", 5, published="train"), Row("cat", "fiction", 2, published="test")]
    assert planned([*rows, validated("cat")]).pairs["train"] == {"fiction": 8}


def test_holding_out_takes_whole_groups_up_to_the_number():
    premises = {f"g{number}": 2 for number in range(10)} | {"single": 1}
    chosen = hold_out(premises.items(), count=5, seed=0)
    assert sum(premises[group] for group in chosen) == 5
    assert hold_out(premises.items(), count=5, seed=0) == chosen
