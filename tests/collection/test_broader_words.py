"""Broader words from WordNet: only for visible things, and only in the sense in which readers understand them."""

import pytest

from collection.pairing.wordnet import Nouns, load_nouns
from nli import wordnet_files
from nli.wordnet_files import NoWordNet


@pytest.mark.parametrize(
    ("noun", "broader"),
    [
        ("puppy", ("dog", "animal")),
        ("swimmer", ("athlete",)),
        ("bicycle", ("vehicle",)),
        (
            "table",
            (),
        ),  # in its first sense an array of data; as a piece of furniture it has no plain broader word
        ("snow", ()),  # not the writer
        ("woman", ()),
        ("zzxq", ()),
    ],
)
def test_the_nearest_plain_words_come_first(noun, broader):
    assert load_nouns().broader(noun) == broader


def test_a_word_is_not_taken_where_readers_would_take_it_in_another_sense():
    assert "canine" not in load_nouns().broader("dog")  # a tooth


@pytest.mark.parametrize(
    ("phrase", "head", "another"),
    [
        ("hot dog", "dog", True),
        ("soccer ball", "ball", False),
        ("four wheeler", "wheeler", True),
        ("red ball", "ball", False),
    ],
)
def test_a_compound_that_is_no_kind_of_its_head_is_known(phrase, head, another):
    assert load_nouns().means_another_thing(phrase, head) is another


def test_without_the_files_the_reason_says_what_to_do(monkeypatch):
    monkeypatch.setattr(wordnet_files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoWordNet, match="make env"):
        Nouns()
