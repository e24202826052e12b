"""How alike hypotheses are: against NLTK's BLEU, and counted by hand."""

import random

import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from snapshots.statistics.diversity import MOST, Texts, distinct, self_bleu, size_of_samples

WORDS = ["a", "dog", "cat", "runs", "sleeps", "in", "the", "park", "not", "red"]


def sentences(number: int, seed: int) -> list[list[str]]:
    dice = random.Random(seed)
    return [dice.choices(WORDS, k=dice.randint(1, 9)) for _ in range(number)]


@pytest.mark.parametrize("seed", range(5))
def test_self_bleu_is_the_mean_of_nltks(seed):
    drawn = [*sentences(30, seed), ["zebra"], ["two", "two"], *([["a", "red", "dog", "runs"]] * 2)]
    smooth = SmoothingFunction().method1
    each = [
        sentence_bleu(drawn[:place] + drawn[place + 1 :], sentence, smoothing_function=smooth)
        for place, sentence in enumerate(drawn)
    ]
    assert self_bleu(drawn) == pytest.approx(sum(each) / len(each))


def test_self_bleu_of_copies_is_one_and_of_one_sentence_none():
    assert self_bleu([["a", "red", "dog", "runs"]] * 3) == pytest.approx(1)
    assert self_bleu([["a"]]) is None


def test_distinct_counts_different_ngrams_among_all():
    drawn = [["a", "dog", "runs"], ["a", "dog", "sleeps"]]
    assert [distinct(drawn, order) for order in (1, 2, 3, 4)] == [4 / 6, 3 / 4, 1, None]


def test_a_group_is_counted_whole_and_drawn_from():
    texts = Texts("en")
    for n in range(3 * MOST):
        texts.add(["It", "does", "n’t" if n % 3 else "often", "rain", str(n), "."], {"rain"})
    found = texts.figures(size_of_samples([texts]))
    assert (found["length"], found["negation"], found["sample"]) == (6, pytest.approx(2 / 3), MOST)
    assert len({sentence[-1] for sentence in texts.sample}) == MOST, "nobody is drawn twice"
    assert 0.3 < sum(int(sentence[-1]) < MOST for sentence in texts.sample) / MOST < 0.37, (
        "each has the same chance"
    )
    assert 0 < found["overlap"] < 1
    assert found["distinct"][0] < found["distinct"][1] <= 1


def test_of_few_hypotheses_nothing_is_said_that_depends_on_their_number():
    texts = Texts("ja")
    texts.add(["雨"], set())
    found = texts.figures(size_of_samples([texts]))
    assert (found["sample"], found["self_bleu"], found["distinct"]) == (None, None, [None] * 3)
    assert found["negation"] is None, "of English alone the words are known"
