"""Bracketed trees: reading, checking against a sentence, and SNLI's binary form."""

import pytest

from snapshots.files.trees import BadTree, binary, fits, is_binary, leaves, penn, read, root, words

TREE = (
    "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ barks) (ADVP (RB loudly)) (PP (IN at) (NP (PRP us)))) (. .)))"
)
BINARY = "( ( The dog ) ( ( ( barks loudly ) ( at us ) ) . ) )"


def test_a_tree_is_read_and_written_as_it_was():
    assert penn(read(TREE)) == TREE
    assert [*leaves(read(TREE))] == words(TREE) == ["The", "dog", "barks", "loudly", "at", "us", "."]
    assert root(TREE) == "S"


def test_a_tree_over_several_lines_is_the_same():
    assert read(TREE.replace(" (", "\n  ( ")) == read(TREE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dog",
        "(NN dog",
        "(NN dog))",
        "()",
        "((NN dog))",
        "(NN)",
        "(NP (NN a) b)",
        "(NN a b)",
        "(NN a) (NN b)",
    ],
)
def test_brackets_that_are_no_tree_are_refused(text):
    with pytest.raises(BadTree):
        read(text)


def test_a_binary_parse_joins_what_follows_the_head_first_and_phrases_of_one_part_vanish():
    assert binary(read(TREE)) == BINARY
    assert binary(read("(ROOT (NP (NN Dogs)))")) == "Dogs"


def test_of_coordinated_words_one_before_the_conjunction_is_the_head():
    assert binary(read("(NP (DT a) (NN man) (CC and) (NN woman))")) == "( a ( ( man and ) woman ) )"


def test_a_binary_parse_has_two_parts_in_each_bracket():
    assert is_binary(BINARY)
    assert is_binary("dogs")
    for wrong in ("", "a b", "( a )", "( a b c )", "( a b", "a b )", "( a b ) ( c d )"):
        assert not is_binary(wrong), wrong


def test_trees_fit_a_sentence_when_they_have_its_tokens_and_no_others():
    sentence = 'Dogs  ("big" ones) bark.'
    parse = "(S (NP (NNS Dogs) (PRN (-LRB- -LRB-) (`` ``) (JJ big) ('' '') (NNS ones) (-RRB- -RRB-))) (VP (VBP bark)) (. .))"
    flat = "( Dogs ( -LRB- ( `` ( big ( '' ( ones ( -RRB- ( bark . ) ) ) ) ) ) ) )"
    assert fits(sentence, parse, flat)
    assert not fits(sentence.replace("big", "small"), parse, flat)
    assert not fits(sentence, parse.replace("(JJ big)", "(JJ small)"), flat)
    assert not fits(sentence, parse, flat.replace("big", "small"))
    assert fits(sentence, parse, "")
    assert not fits(sentence.replace("big", "small"), parse, "")
