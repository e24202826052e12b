"""The filters for new premises: what each drops, what it must let through, and their order."""

import pytest

from collection.premises.filters.candidates import PremiseFilter, candidate
from collection.premises.filters.language import detected_language
from collection.premises.filters.registry import DUPLICATE, NAMES, filters_for, sift
from collection.premises.filters.shape import LONGEST

ENGLISH = filters_for("en")


def dropped_by(*sentences, filters=ENGLISH):
    sifted = sift([candidate(1, sentences)], set(), filters)
    return sifted.dropped[0][1].name if sifted.dropped else None


def test_under_eight_characters_is_too_short():
    assert dropped_by("1234567") == "too_short"
    assert dropped_by("So I ran") is None


def test_white_space_does_not_make_a_premise_longer():
    assert dropped_by("a     \t   b") == "too_short"


def test_a_sentence_over_the_limit_is_too_long_and_the_limit_can_be_set():
    text = "They went on and on " * 40
    assert dropped_by(text[:LONGEST]) is None
    assert dropped_by(text[: LONGEST + 1]) == "too_long"
    assert dropped_by(text[:100], filters=filters_for("en", longest=99)) == "too_long"


@pytest.mark.parametrize(
    "text",
    [
        "E = mc^2",
        r"\frac{a}{b} holds for all a",
        "x + y = z, so x = z - y",
        "1947 12 33 8.5 17 2 490",
        "Open 08:00 - 20:00, 08:00 - 14:00.",
    ],
)
def test_formulae_and_rows_of_numbers(text):
    assert dropped_by(text) == "formula"


@pytest.mark.parametrize(
    "text",
    [
        "Like F = MA, the definition is circular, which does not mean that it is empty.",
        "The effect was larger in older men (p < 0.05) than in older women.",
        "In 2013, she played in 26 games and scored 11 goals.",
        "Yeah, I, I, +",  # transcripts mark an unfinished turn so
    ],
)
def test_a_sentence_with_a_number_or_a_formula_in_it_stays(text):
    assert dropped_by(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Marlow, P. (1975). Rivers and their names. New York: Free Press.",
        "Arden, Lucy. The Music of Small Towns. Durham: Duke University Press, 1992.",
        "Holm, D., & Reed, J. How ants decide. Animal Behaviour 71, 815 - 822 (2006).",
        "References Cohen 1985; Grimes 1976; Weigle and White 1988",
        "See Wilson, 168 - 170.",
        "12 Parcel Service v. Postal Service, 455 F. Supp. 857 (1978).",
    ],
)
def test_bibliographic_references(text):
    assert dropped_by(text) == "reference"


@pytest.mark.parametrize(
    "text",
    [
        "Rivers can change their course within a year (Marlow, 1975).",
        "Marlow et al. (1975) proposed another measure, which few people use.",
        "See what my wife found in its crop at 7 o'clock!",
        "In Boston, Mary met the man who would sell her the house in 1992.",
        "The judge asked us to turn to page 68 of the transcript.",
        "The section authorizes the Commission, under 39 U.S.C. 404, to provide special services.",
    ],
)
def test_a_sentence_that_cites_stays(text):
    assert dropped_by(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "• Bottled water for every guest",
        "3. Positive report of the housing office",
        "2.1 Property Rights",
        "b) the second of the two boxes",
        "The Coming of the Ottoman Turks",
        "Aesthetic Appreciation and Spanish Art:",
        "JOHN T. NEIGHBOURS, VICE CHAIRMAN",
    ],
)
def test_items_of_lists_and_headings(text):
    assert dropped_by(text) == "list_or_heading"


@pytest.mark.parametrize(
    "text",
    [
        "Two dogs running on the grass near a lake",  # a caption
        "uh how do you feel about gun control",  # speech without punctuation
        "“ Drink up, kid. ”",
        "- I do not think that we have met.",
        "2. The office and its tenants would then agree on a rent that both can pay.",
        "Sarah Told Mark That She Was Leaving Boston",
        "Jefferson was in the Captain's Lounge,",
    ],
)
def test_captions_speech_dialogue_and_numbered_sentences_are_no_headings(text):
    assert dropped_by(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Ja, freilich, das ist natürlich ebenso wahrscheinlich!",
        "Le chat dort sur la table de la cuisine.",
        "Кошка спит на кухонном столе.",
    ],
)
def test_lines_in_another_language(text):
    assert dropped_by(text) == "foreign_language"
    assert dropped_by(text, filters=filters_for("en", without=["foreign_language"])) is None


@pytest.mark.parametrize(
    "text",
    [
        "Oh, c’mon Cassie!",
        "Yes, yes.",
        "“It is quite en règle,” continued the detective.",
        "Otto Jespersen was born in Randers in Jutland.",
        "Um, Paris, Madrid, Vienna, Warszawa.",
    ],
)
def test_names_exclamations_and_single_foreign_words_stay(text):
    assert dropped_by(text) is None


def test_the_corpus_says_which_language_is_its_own():
    german, english = "Der Hund läuft durch den großen Park.", "The dog is running through the large park."
    assert dropped_by(german, filters=filters_for("de-AT")) is None
    assert dropped_by(english, filters=filters_for("de-AT")) == "foreign_language"


def test_a_language_that_the_detector_does_not_know_is_not_asked_for():
    assert detected_language("tlh") is None
    assert detected_language("nb-NO") == "no"
    assert "foreign_language" not in [rule.name for rule in filters_for("tlh")]


@pytest.mark.parametrize(
    "text",
    [
        "Claire Marsh claire.marsh@example.org from the office",
        "To enroll, call 1 800 555 - 0100.",
        "Read more about it at http://example.org/more today.",
        "Copyright 2004 by the authors, all rights reserved.",
        "Dear Friends of the Library,",
        "Sincerely, the chair of the committee and all of its members.",
        "Image: somebody who was there.",
        "He waited 2008-11-10 T 22:22:58 Z ID: 45827 and left.",
        "send it to 12 East 92nd Street, New York, NY 10128",
    ],
)
def test_boilerplate(text):
    assert dropped_by(text) == "boilerplate"


@pytest.mark.parametrize(
    "text",
    [
        "My dear friend, you have done it.",
        "The Copyright Clause is meant to encourage creative work.",
        "He sincerely hoped that they would come.",
        "Images of the boy were quickly posted and reposted.",
    ],
)
def test_words_of_boilerplate_in_a_sentence_do_no_harm(text):
    assert dropped_by(text) is None


def test_a_text_that_the_genre_has_is_a_duplicate_whatever_its_white_space():
    there = candidate(1, ["A dog runs."]).digest
    same, other = candidate(1, ["A  dog runs. "]), candidate(2, ["A dog ran."])
    sifted = sift([same, other], {there}, ENGLISH)
    assert [(each.line, rule.name) for each, rule in sifted.dropped] == [(1, "duplicate")]
    assert sifted.kept == [other]


def test_repetitions_among_the_candidates_are_found_and_what_is_known_is_not_changed():
    known: set[str] = set()
    texts = ["A dog runs.", "short", *["A dog runs."] * 2, "A cat sleeps."]
    sifted = sift([candidate(line, [text]) for line, text in enumerate(texts, start=1)], known, ENGLISH)
    assert [each.line for each in sifted.kept] == [1, 5]
    assert [rule.name for _, rule in sifted.dropped] == ["too_short", "duplicate", "duplicate"]
    assert known == set()


def test_four_captions_of_a_scene_go_together():
    scene = ["Two dogs run.", "A dog chases another.", "Dogs on a lawn.", "Two animals play."]
    assert dropped_by(*scene) is None
    assert dropped_by(*scene[:3], "Image: somebody") == "boilerplate"
    assert dropped_by("A dog.", "A cat.") is None  # together they are long enough


def test_the_names_are_in_the_order_of_asking():
    assert tuple(rule.name for rule in (DUPLICATE, *ENGLISH)) == NAMES
    assert all(rule.reason for rule in ENGLISH)


def test_the_first_filter_that_drops_gets_the_credit():
    shouting = PremiseFilter("shouting", "capitals only", lambda each: each.sentences[0].isupper())
    assert dropped_by("HI", filters=[*ENGLISH, shouting]) == "too_short"
    assert dropped_by("HI", filters=[shouting, *ENGLISH]) == "shouting"
