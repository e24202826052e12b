"""WordNet's relations between the words of two sentences."""

import pytest

from modeling.baselines.features.lexicon import load_wordnet, wordnet_shares
from modeling.baselines.features.tagged import Word


def word(lemma: str, tag: str = "NN") -> Word:
    return Word(lemma, lemma, tag, False)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "shares"),
    [
        # entailed, synonym, narrower, opposite, sister
        (word("dog"), word("dog"), [1, 0, 0, 0, 0]),
        (word("dog"), word("animal"), [1, 0, 0, 0, 0]),
        (word("animal"), word("dog"), [0, 0, 1, 0, 0]),
        (word("car"), word("automobile"), [1, 1, 0, 0, 0]),
        (word("happy", "JJ"), word("unhappy", "JJ"), [0, 0, 0, 1, 0]),
        (word("snore", "VBZ"), word("sleep", "VBZ"), [1, 0, 0, 0, 0]),
        (word("dog"), word("wolf"), [0, 0, 0, 0, 1]),
        (word("dog"), word("qwertyuiop"), [0, 0, 0, 0, 0]),
    ],
)
def test_the_relation_of_two_words(premise: Word, hypothesis: Word, shares: list[float]):
    assert wordnet_shares([premise], [hypothesis]) == shares


def test_shares_are_of_the_content_words_of_the_hypothesis():
    hypothesis = [word("the", "DT"), word("animal"), word("sleep", "VB"), word("idea"), word("dog")]
    assert wordnet_shares([word("dog"), word("snore", "VB")], hypothesis)[0] == pytest.approx(3 / 4)


def test_a_sentence_without_content_words_has_no_shares():
    assert wordnet_shares([word("dog")], [word("the", "DT")]) == [0] * 5
    assert wordnet_shares([], []) == [0] * 5


def test_a_word_of_another_part_of_speech_has_senses_of_its_own():
    wordnet = load_wordnet()
    assert wordnet.senses(word("run", "VB")) != wordnet.senses(word("run", "NN")) != ()
