"""Word overlap: the share of a hypothesis's content words that occur in a premise sentence."""

import gzip
import re
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.pairing.draw import content_words, word_overlap, words
from collection.pairing.lists import STOP_WORDS


@pytest.mark.parametrize(
    ("premise", "hypothesis", "overlap"),
    [
        (["A dog runs."], "The dog sleeps.", 0.5),
        (["A dog runs.", "It sleeps."], "The Dog sleeps!", 1.0),
        (["A dog runs."], "Children play.", 0.0),
        (["A well-dressed man."], "A well dressed man.", 1 / 3),
        (["A dog."], "dog dog cat", 2 / 3),
    ],
)
def test_the_overlap_is_a_share_of_content_words(premise, hypothesis, overlap):
    assert word_overlap(premise, hypothesis) == pytest.approx(overlap)


def test_a_hypothesis_of_stop_words_has_no_overlap_to_speak_of():
    with pytest.raises(ValueError, match="no content words"):
        word_overlap(["A dog."], "It is there.")


def slow_overlap(premise, hypothesis):
    """Counts one word after the other; a word is letters and digits, with hyphens and apostrophes between them."""
    found = total = 0
    for word in re.split(r"[^a-z0-9'’-]+", hypothesis.lower()):
        word = word.strip("'’-")
        if word and word not in STOP_WORDS:
            total += 1
            found += any(
                word == other.strip("'’-")
                for sentence in premise
                for other in re.split(r"[^a-z0-9'’-]+", sentence.lower())
            )
    return found / total if total else None


sentence = st.lists(
    st.sampled_from(["a", "Dog", "dogs", "well-fed", "man's", "THE", "runs,", "two", "2", "on", "mat."]),
    max_size=8,
).map(" ".join)


@given(st.lists(sentence, min_size=1, max_size=4), sentence)
def test_the_overlap_agrees_with_counting_by_hand(premise, hypothesis):
    expected = slow_overlap(premise, hypothesis)
    if expected is None:
        assert not content_words(hypothesis)
    else:
        assert word_overlap(premise, hypothesis) == pytest.approx(expected)


@pytest.mark.thorough
def test_published_items_have_the_published_overlap_and_length(shared_data):
    overlaps, lengths = [], []
    with gzip.open(shared_data / "mpe" / "mpe_train.txt.gz", "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            _, *premises, hypothesis = line.rstrip("\n").split("\t")[:6]
            overlaps.append(word_overlap((each.split("/", 1)[1] for each in premises), hypothesis))
            lengths.append(len(words(hypothesis)) + 1)  # the paper counts the full stop
    assert len(overlaps) == 8000
    # MPE, Tables 1 and 3
    assert (round(statistics.mean(overlaps), 2), round(statistics.pstdev(overlaps), 2)) == (0.28, 0.22)
    assert (round(statistics.mean(lengths), 1), round(statistics.pstdev(lengths), 1)) == (5.3, 1.8)
