"""Trees by rule from dependency parses. Words are written as text/TAG/relation/head, heads counted from one; 0 is a root."""

import random

from hypothesis import given
from hypothesis import strategies as st

from snapshots.files.trees import binary, escaped, fits, is_binary, leaves, penn, read
from snapshots.parses.spacy_parser import parse
from snapshots.parses.tree_rules import (
    AUXILIARIES,
    LONGEST,
    PHRASES,
    SUBJECTS,
    VERB_TAGS,
    Word,
    derive,
    together,
)

TAGS = sorted({*PHRASES, *VERB_TAGS, ".", ",", "CC", "POS", "XX"})
RELATIONS = sorted(
    {"ROOT", "dobj", "prep", "pobj", "conj", "cc", "punct", "advmod", "mark", "relcl", "acl", "ccomp", "det"}
    | SUBJECTS
    | AUXILIARIES
)


def words(text):
    made = []
    for place, each in enumerate(text.split()):
        word, tag, relation, head = each.rsplit("/", 3)
        made.append(Word(word, tag, relation, int(head) - 1 if int(head) else place))
    return made


def tree(text):
    return penn(derive(words(text))).removeprefix("(ROOT ").removesuffix(")")


def test_a_verb_with_a_subject_is_s():
    assert tree("Dogs/NNS/nsubj/2 bark/VBP/ROOT/0 ././punct/2") == "(S (NP (NNS Dogs)) (VP (VBP bark)) (. .))"


def test_a_verb_without_a_subject_is_vp_and_a_noun_np_and_all_else_a_fragment():
    assert tree("Barking/VBG/ROOT/0 loudly/RB/advmod/1") == "(VP (VBG Barking) (ADVP (RB loudly)))"
    assert (
        tree("A/DT/det/2 dog/NN/ROOT/0 barking/VBG/acl/2") == "(NP (NP (DT A) (NN dog)) (VP (VBG barking)))"
    )
    assert tree("Very/RB/advmod/2 happy/JJ/ROOT/0") == "(FRAG (ADJP (RB Very) (JJ happy)))"


def test_auxiliaries_make_verb_phrases_within_verb_phrases():
    assert (
        tree("He/PRP/nsubj/5 may/MD/aux/5 not/RB/neg/5 be/VB/aux/5 sleeping/VBG/ROOT/0")
        == "(S (NP (PRP He)) (VP (MD may) (RB not) (VP (VB be) (VP (VBG sleeping)))))"
    )


def test_verbs_are_joined_where_their_auxiliaries_and_subjects_are_their_own():
    bare = tree("He/PRP/nsubj/3 is/VBZ/aux/3 sitting/VBG/ROOT/0 and/CC/cc/3 reading/VBG/conj/3")
    assert bare == "(S (NP (PRP He)) (VP (VBZ is) (VP (VP (VBG sitting)) (CC and) (VP (VBG reading)))))"
    finite = tree("He/PRP/nsubj/3 is/VBZ/aux/3 sitting/VBG/ROOT/0 and/CC/cc/3 reads/VBZ/conj/3")
    assert finite == "(S (NP (PRP He)) (VP (VP (VBZ is) (VP (VBG sitting))) (CC and) (VP (VBZ reads))))"
    clauses = tree("He/PRP/nsubj/2 sits/VBZ/ROOT/0 and/CC/cc/2 she/PRP/nsubj/5 reads/VBZ/conj/2")
    assert clauses == "(S (S (NP (PRP He)) (VP (VBZ sits))) (CC and) (S (NP (PRP she)) (VP (VBZ reads))))"


def test_relative_clauses_and_infinitives_are_clauses():
    assert (
        tree("dogs/NNS/ROOT/0 who/WP/nsubj/3 want/VBP/relcl/1 to/TO/aux/5 run/VB/xcomp/3")
        == "(NP (NP (NNS dogs)) (SBAR (WHNP (WP who)) (S (VP (VBP want) (S (VP (TO to) (VP (VB run))))))))"
    )


def test_questions_are_no_plain_s():
    assert (
        tree("Is/VBZ/aux/3 he/PRP/nsubj/3 sleeping/VBG/ROOT/0 ?/./punct/3")
        == "(SQ (VBZ Is) (NP (PRP he)) (VP (VBG sleeping)) (. ?))"
    )


def test_several_sentences_are_s_only_if_all_are():
    s, np = (derive(words(text)) for text in ("Dogs/NNS/nsubj/2 bark/VBP/ROOT/0", "Dogs/NNS/ROOT/0"))
    assert penn(together([s])) == penn(s)
    assert (
        penn(together([s, s]))
        == "(ROOT (S (S (NP (NNS Dogs)) (VP (VBP bark))) (S (NP (NNS Dogs)) (VP (VBP bark)))))"
    )
    assert penn(together([s, np])).startswith("(ROOT (FRAG (S ")


@given(st.integers(1, 30), st.integers(0, 10**9))
def test_every_dependency_parse_gives_a_tree_with_its_words_in_their_order(length, seed):
    dice = random.Random(seed)
    made = []
    for place in range(length):  # heads that cross and several roots, but no circles
        head = place if place == 0 or dice.random() < 0.05 else dice.randrange(place)
        made.append((place, head))
    order = dice.sample(range(length), length)
    at = {place: order.index(place) for place in range(length)}
    heads = {at[place]: at[head] for place, head in made}
    sentence = [
        Word(dice.choice(["dog", "(", "x"]), dice.choice(TAGS), dice.choice(RELATIONS), heads[place])
        for place in range(length)
    ]
    found = derive(sentence)
    assert [*leaves(found)] == [escaped(word.text) for word in sentence]
    assert read(penn(found)) == found
    assert is_binary(binary(found))


def test_a_list_without_end_gets_a_flat_tree():
    endless = [Word("of", "IN", "prep", max(0, place - 1)) for place in range(LONGEST + 1)]
    assert penn(derive(endless)).count("(") == LONGEST + 3
    deep = endless[:200]
    assert penn(derive(deep)).count("(") == 202


def test_blanks_brackets_and_odd_marks_are_parsed_with_their_own_tokens():
    sentences = [
        "A  man\u00a0(tall)\tsleeps . ",
        " :( [sic] {x} -LRB- ",
        "It is 5,000% \u201cgood\u201d\u2026 \u200b!",
        "Ja\u0308ger",
    ]
    for sentence, found in zip(sentences, parse(sentences), strict=True):
        assert found is not None
        assert fits(sentence, penn(found), binary(found)), sentence


def test_a_sentence_without_a_word_has_no_tree():
    assert [*parse(["", " \n"])] == [None, None]
