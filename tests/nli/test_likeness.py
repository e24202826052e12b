"""Likeness of sentences, and bits a word, beside sums by hand."""

import math

import pytest

from nli.likeness import Bigrams, nearest


def cut(*sentences: str) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def test_the_nearest_sentence_shares_the_most_words_and_neighbours():
    among = cut("a dog runs", "a cat sleeps", "b c d")
    (found,) = nearest(cut("a dog sleeps"), among)
    assert found == (
        3 / 7,
        0,
    )  # a, dog, "a dog" of a dog sleeps, dog sleeps, runs, "a dog", "dog runs", "dog sleeps"
    assert nearest(cut("x y"), among) == [(0.0, -1)]
    assert nearest(cut("a cat sleeps"), among) == [(1.0, 1)]


def test_no_sentence_is_compared_with_itself_but_with_its_copy():
    texts = cut("a b", "c d", "a b")
    assert nearest(texts, texts, itself=True) == [(1.0, 2), (0.0, -1), (1.0, 0)]


def test_bits_are_those_of_witten_and_bell():
    model = Bigrams(cut("a b", "a c"))
    alone = {
        "a": 3 / 8,
        "b": 2 / 8,
        "z": 1 / 8,
    }  # one more of each of three words and of the unknown, of 4 + 4
    first = (2 + 1 * alone["a"]) / (2 + 1)  # "a" begins twice, and nothing else does
    then = (1 + 2 * alone["b"]) / (2 + 2)
    assert model.bits(["a", "b"]) == pytest.approx(-(math.log2(first) + math.log2(then)) / 2)
    assert model.bits(["z"]) == pytest.approx(-math.log2(1 * alone["z"] / 3))
    assert model.bits([]) == 0
    shares = [2 ** -model.bits([word]) for word in ("a", "b", "c")]
    assert sum(shares) + 2 ** -model.bits(["unknown"]) == pytest.approx(1)
