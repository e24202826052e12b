"""When two premises are the same: Unicode composition and white space do not count, letters do."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from collection.premise_ids import digest_of, normalise, public_id_of, spare_public_id, text_of

words = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=8)
spaces = st.text(" \t\n\r\u00a0\u2003", min_size=1, max_size=3)


@given(st.lists(words, min_size=1, max_size=6), st.data())
def test_white_space_and_composition_do_not_change_the_digest(parts, data):
    plain = " ".join(parts)
    spread = data.draw(spaces).join(["", *parts, ""])
    assert digest_of([spread]) == digest_of([plain])
    for form in ("NFC", "NFD"):
        assert digest_of([unicodedata.normalize(form, plain)]) == digest_of([plain])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_normal_form_is_stable(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), max_size=4))
def test_equal_digests_mean_equal_normal_forms(sentences):
    again = [normalise(sentence) for sentence in sentences]
    assert digest_of(again) == digest_of(sentences)
    assert digest_of([*again, "one more"]) != digest_of(sentences)


def test_upper_case_is_another_premise():
    assert digest_of(["Polish sausage"]) != digest_of(["polish sausage"])


def test_one_sentence_is_not_the_same_as_two_with_its_words():
    assert digest_of(["A dog runs.\nA dog barks."]) != digest_of(["A dog runs.", "A dog barks."])


def test_the_stored_text_is_the_original():
    assert text_of(["  Two  spaces\nand a break "]) == "  Two  spaces\nand a break "


def test_several_sentences_are_stored_one_a_line():
    assert text_of(["A dog\nruns.", "It barks."]) == "A dog runs.\nIt barks."


def test_public_ids_tell_genres_apart_and_never_repeat_a_taken_one():
    digest = digest_of(["A dog runs."])
    assert public_id_of("fiction", digest) != public_id_of("letters", digest)
    assert spare_public_id("12", "fiction", digest) != spare_public_id("12", "letters", digest)
    assert len(spare_public_id("x" * 200, "fiction", digest)) <= 200
