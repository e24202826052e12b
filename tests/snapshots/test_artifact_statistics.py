"""Words and lengths that give a label away, on hypotheses short enough to count by hand."""

import math
import re
from collections import Counter
from itertools import pairwise

import pytest
from scipy.stats import norm

from shared.figures import FIGURES
from snapshots.statistics.artifacts import giveaways, measure
from snapshots.statistics.pairs import Pair

LABELS = ("entailment", "neutral", "contradiction")


def pairs(*groups, **fields):
    return [Pair(("P.",), text, label, **fields) for number, text, label in groups for _ in range(number)]


def measured(found, labels=LABELS):
    return measure(lambda: iter(found), labels=labels)


def entry(data, word, label):
    (found,) = [each for each in data["words"] if (each["word"], each["label"]) == (word, label)]
    return found


def test_p_is_the_share_of_occurrences_and_z_counts_a_word_once_a_pair():
    data = measured(
        pairs(
            (8, "Nobody sleeps nobody.", "contradiction"),
            (2, "Nobody ran.", "neutral"),
            (10, "So.", "neutral"),
        )
    )
    found = entry(data, "Nobody", "contradiction")
    assert (found["count"], found["p"]) == (10, 0.8)
    # 10 pairs hold it, 8 of them contradictions; of all 20 pairs 8 are.
    assert found["z"] == pytest.approx((8 - 10 * 0.4) / math.sqrt(10 * 0.4 * 0.6))
    tests = data["listed_words"] * len(LABELS)
    assert data["listed_words"] == 4  # Nobody, sleeps, nobody, So
    assert found["corrected_p"] == pytest.approx(min(1, 2 * norm.sf(found["z"]) * tests))


def test_case_is_kept_and_punctuation_is_no_word():
    data = measured(pairs((6, "No ! no .", "neutral")), labels=("neutral",))
    assert {each["word"] for each in data["words"]} == {"No", "no"}


def test_words_of_fewer_than_five_occurrences_are_not_listed():
    data = measured(pairs((4, "Rare.", "neutral"), (5, "Common.", "neutral"), (5, "Other.", "entailment")))
    assert {each["word"] for each in data["words"]} == {"Common", "Other"}
    assert data["different_words"] == 3


def test_smoothed_pmi_is_zero_for_a_word_like_all_others_and_grows_with_evidence():
    few = measured(pairs((5, "x a", "neutral"), (5, "x", "entailment")), labels=LABELS[:2])
    many = measured(pairs((500, "x a", "neutral"), (500, "x", "entailment")), labels=LABELS[:2])
    assert entry(few, "x", "neutral")["pmi"] == pytest.approx(0, abs=0.05)
    assert 0 < entry(few, "a", "neutral")["pmi"] < entry(many, "a", "neutral")["pmi"] < 1


def test_giveaways_are_the_frequent_words_above_the_threshold():
    data = measured(
        pairs(
            (9, "cat", "contradiction"),
            (1, "cat", "neutral"),
            (6, "dog", "contradiction"),
            (5, "owl", "neutral"),
        )
    )
    assert [each["word"] for each in giveaways(data["words"], "contradiction", 0.8)] == ["cat", "dog"]
    assert [each["word"] for each in giveaways(data["words"], "contradiction", 0.95)] == ["dog"]


def test_answerable_pairs_have_a_word_that_reaches_the_threshold_for_any_label():
    found = pairs((3, "a", "neutral"), (3, "a", "entailment"), (1, "a b", "entailment"))
    data = measured(found, labels=LABELS[:2])
    at = {row["threshold"]: row for row in data["answerable"]}
    assert at[0.5]["all_words"] == {"entailment": 4, "neutral": 3}
    # a: 4 of 7 entailment; b occurs once, so p = 1, but not among the frequent words
    assert at[0.57]["all_words"] == {"entailment": 4, "neutral": 3}
    assert at[0.58]["all_words"] == {"entailment": 1, "neutral": 0}
    assert at[1.0]["all_words"] == {"entailment": 1, "neutral": 0}
    assert at[0.58]["frequent_words"] == {"entailment": 0, "neutral": 0}


def test_the_words_of_dev_are_counted_by_themselves_where_it_is_a_part():
    train = pairs(
        (8, "Nobody sleeps.", "contradiction"), (4, "Somebody sleeps.", "neutral"), partition="train"
    )
    dev = pairs((3, "Nobody sleeps.", "neutral"), (3, "Nobody sleeps.", "contradiction"), partition="dev")
    data = measured([*train, *dev])
    assert entry(data, "Nobody", "contradiction")["p"] == pytest.approx(11 / 14)
    found = entry(data["dev"], "Nobody", "contradiction")
    assert (found["count"], found["p"], found["z"]) == (6, 0.5, 0)
    assert data["dev"]["pairs"] == {"entailment": 0, "neutral": 3, "contradiction": 3}
    assert {row[0] for row in FIGURES["words"].table(data).cells()} == {"all", "dev"}
    for alone in (train, dev):
        assert measured(alone)["dev"] is None
        assert {row[0] for row in FIGURES["words"].table(measured(alone)).cells()} == {"all"}


def test_pairs_without_gold_are_left_out():
    data = measured(pairs((5, "x", "-"), (5, "y", "neutral")))
    assert data["pairs"] == {"entailment": 0, "neutral": 5, "contradiction": 0}
    assert {each["word"] for each in data["words"]} == {"y"}


def test_lengths_by_label_are_told_by_genre_prompt_version_and_author():
    found = [
        Pair(("P.",), "One two.", "neutral", genre="letters", author="w1", prompt_version="letters/1"),
        Pair(("P.",), "One two three four.", "neutral", genre="letters", author="w2"),
    ]
    rows = {(row["by"], row["value"], row["label"]): row for row in measured(found)["lengths"]}
    assert rows["all", "", "neutral"]["mean"] == rows["genre", "letters", "neutral"]["mean"] == 4
    assert rows["author", "w1", "neutral"]["mean"] == 3
    assert rows["prompt_version", "letters/1", "neutral"]["number"] == 1
    assert ("prompt_version", "", "neutral") not in rows


def test_two_classes_are_measured_like_three():
    data = measured(
        pairs((6, "sentient", "entailed"), (2, "sentient", "not-entailed"), (8, "thing", "not-entailed")),
        labels=("entailed", "not-entailed"),
    )
    assert entry(data, "sentient", "entailed")["p"] == 0.75
    assert data["answerable"][100]["all_words"] == {"entailed": 0, "not-entailed": 8}


def test_a_corpus_of_one_label_has_no_z():
    data = measured(pairs((6, "x", "neutral")))
    assert entry(data, "x", "neutral")["z"] is None


def test_a_corpus_without_gold_labels_has_no_words():
    data = measured(pairs((6, "x", "-")))
    assert (data["words"], data["lengths"]) == ([], [])


def test_give_away_words_of_a_language_without_spaces_are_its_characters():
    """不 stands in every contradiction; read as one word, no sentence would occur twice."""
    texts = [("entailment", "猫在睡觉"), ("contradiction", "猫不在睡觉")] * 6
    pairs = [
        Pair(("一只猫",), f"{number}{text}", label, genre="g", partition="train")
        for number, (label, text) in enumerate(texts)
    ]
    figures = measure(lambda: iter(pairs), labels=("entailment", "contradiction"), language="ja")
    assert [row["word"] for row in giveaways(figures["words"], "contradiction", 0.8)] == ["不"]
    assert measure(lambda: iter(pairs), labels=("entailment", "contradiction"))["words"] == []


def counted_slowly(units, label):
    """Returns {unit: (occurrences, p)} of those that occur five times: (label, units of a hypothesis) are given."""
    everything = Counter(unit for _, found in units for unit in found)
    mine = Counter(unit for its, found in units if its == label for unit in found)
    return {unit: (number, mine[unit] / number) for unit, number in everything.items() if number >= 5}


SMALL = (
    (7, "A tall man sleeps, at home.", "contradiction"),
    (3, "A tall man ran.", "neutral"),
    (5, "The man sleeps at work.", "entailment"),
    (1, "!", "neutral"),
)


def test_pairs_of_neighbouring_words_are_counted_over_punctuation():
    data = measured(pairs(*SMALL))
    units = [
        (label, [f"{a} {b}" for a, b in pairwise(words)])
        for number, text, label in SMALL
        for words in [re.findall(r"\w+", text)]
        for _ in range(number)
    ]
    for label in LABELS:
        expected = counted_slowly(units, label)
        rows = [each for each in data["word_pairs"]["words"] if each["label"] == label]
        assert {each["word"]: (each["count"], each["p"]) for each in rows} == expected
    assert "sleeps at" in counted_slowly(units, "neutral")
    rows = list(FIGURES["giveaways"].table(data, units="word-pairs").rows)
    assert {"all"} == {row["of"] for row in rows}
    assert "tall man" in {row["word"] for row in rows}
    assert {row["word"] for row in FIGURES["giveaways"].table(data).rows}.isdisjoint({"tall man"})
