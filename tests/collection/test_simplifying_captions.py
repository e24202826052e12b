"""The rules that simplify captions: what each of them changes, and what it leaves unchanged."""

from itertools import combinations, product

import pytest

from collection.pairing.captions import Caption, read_captions, with_used_words
from collection.pairing.simplify import gives, simplifications
from collection.pairing.wordnet import load_nouns
from tests.collection.pairing_material import caption, example_scenes, made_of


def key_of(text: str) -> tuple[str, ...]:
    return tuple(forms[0] for forms in caption(text).forms if forms)


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("A small dog is sleeping.", "A dog is sleeping."),
        ("A dog is sleeping quietly.", "A dog is sleeping."),
        ("Three dogs sleep.", "Dogs sleep."),
        ("A garage door opens.", "A door opens."),
        ("A woman who wears a hat smiles.", "A woman smiles."),
        ("A woman smiles while she pours a drink.", "A woman smiles."),
        ("An old man smiles.", "A man smiles."),
        ("A young orange cat is sleeping.", "An orange cat is sleeping."),
    ],
)
def test_a_modifier_is_dropped(text, simpler):
    assert simpler in made_of(text, "modifier")


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("A man sits on a bench.", "A man sits."),
        ("A man in a hat sits.", "A man sits."),
        ("There is a man on a horse.", "There is a man."),
        ("A group of people is dancing.", "A group is dancing."),
        ("Group of people surfing in the sea.", "Group surfing in the sea."),
    ],
)
def test_a_prepositional_phrase_is_dropped(text, simpler):
    assert simpler in made_of(text, "prepositional_phrase")


def test_the_rest_of_an_enumeration_is_dropped():
    assert "A man eats bread." in made_of("A man eats bread and cheese.", "conjunct")
    assert "A man sits." in made_of("A man sits and reads a book.", "conjunct")


def test_a_noun_phrase_stands_for_the_caption():
    assert "A girl holding a kite." in made_of("A man watches a girl holding a kite.", "noun_phrase")


def test_a_broader_word_takes_the_place_of_a_noun_in_its_number():
    assert "An animal sleeps." in made_of("A dog sleeps.", "hypernym")
    assert "Animals sleep." in made_of("Dogs sleep.", "hypernym")
    assert "A man rides a vehicle." in made_of("A man rides a bicycle.", "hypernym")


def test_rules_work_together():
    text = "Two brown dogs and a cat are running behind a small boy in the snow."
    assert "Brown dogs and a cat are running." in made_of(text)
    made = {each.text: each.rules for each in simplifications(caption("A small dog is sleeping on a mat."))}
    assert made["An animal is sleeping."] == ("hypernym", "modifier", "prepositional_phrase")


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("A man is on a horse.", "A man is."),
        ("A dog is outside.", "A dog is."),
        ("A woman holds a pair of shoes.", "A woman holds a pair."),
        ("A man is not wearing a shirt.", "A man is wearing a shirt."),
        ("A boy holds a toy gun.", "A boy holds a gun."),
        ("A man eats a hot dog.", "A man eats a dog."),
        ("A man eats a hot dog.", "A man eats a hot animal."),
        ("A man and a woman are sitting.", "A man are sitting."),
        ("A dark-haired man sits.", "A haired man sits."),
        ("A soccer player runs.", "A soccer person runs."),
        ("A man in front of a train waits.", "A man in front waits."),
        ("A man holds his hat.", "His hat."),
        ("A path surrounded by trees leads to a house.", "A path surrounded leads to a house."),
    ],
)
def test_what_would_break_the_sentence_or_its_sense_is_left_alone(text, broken):
    assert broken not in made_of(text)


def test_the_caption_itself_is_no_simplification():
    assert made_of("A dog is sleeping.") == {"A dog.", "An animal.", "An animal is sleeping."}


def test_a_capital_at_the_beginning_makes_no_name():
    assert "Group surfing." in made_of("Group of people surfing in the sea.")


def test_sentences_with_the_same_lemmas_are_the_same():
    assert gives(caption("Two old men are sitting on a bench."), key_of("Men sit."))
    assert gives(caption("A man sits."), key_of("The man is sitting."))
    assert not gives(caption("A man sits."), key_of("The man is sleeping."))
    assert not gives(caption("A man sits."), key_of("A tall man sits."))


def test_broader_words_are_those_that_captions_of_the_file_use():
    texts = [
        "A puppy is sleeping.",
        "An animal is sleeping.",
        "A lion is eating an animal.",
        "A dog is eating.",
    ]
    puppy = with_used_words(list(read_captions(texts, load_nouns())), at_least=2)[0]
    assert {each.text for each in simplifications(puppy)} == {
        "A puppy.",
        "An animal.",
        "An animal is sleeping.",
    }


def test_every_simplification_can_be_given_by_its_caption():
    for scene in example_scenes():
        for text in scene.captions:
            assert all(gives(caption(text), each.key) for each in simplifications(caption(text)))


def all_keys(found: Caption) -> set[tuple[str, ...]]:
    """Returns all keys in a slow way: every choice of parts to drop, every choice of words."""
    keys = set()
    for phrase in found.phrases:
        parts = [part.tokens for part in found.parts if part.tokens & ~phrase == 0 and part.tokens != phrase]
        for count in range(len(parts) + 1):
            for dropped in combinations(parts, count):
                kept = [
                    forms
                    for at, forms in enumerate(found.forms)
                    if forms and phrase >> at & 1 and not any(tokens >> at & 1 for tokens in dropped)
                ]
                keys |= set(product(*kept))
    return keys


def test_whether_a_caption_gives_a_sentence_agrees_with_trying_every_choice():
    captions = [caption(text) for scene in example_scenes()[:5] for text in scene.captions]
    candidates = {each.key for found in captions for each in simplifications(found)}
    for found in captions:
        slow = all_keys(found)
        assert {key for key in candidates if gives(found, key)} == candidates & slow
        assert all(gives(found, key) for key in slow)
