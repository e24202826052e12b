"""Statistics over pairs: lengths, overlap, edits, parses, votes. Small examples, computed by hand."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from snapshots.files.trees import root
from snapshots.statistics.corpus import edits, measure, overlap
from snapshots.statistics.distributions import spread
from snapshots.statistics.pairs import Pair
from snapshots.statistics.words import tokens

LABELS = ("entailment", "neutral", "contradiction")


def pair(premise="A man sleeps.", hypothesis="A man rests.", label="entailment", **fields):
    sentences = (premise,) if isinstance(premise, str) else tuple(premise)
    return Pair(sentences, hypothesis, label, **{"genre": "fiction", "partition": "train", **fields})


def figures(pairs, *, seats=5, language="en", **where):
    data = measure(pairs, labels=LABELS, seats=seats, language=language)
    wanted = {"partition": None, "genre": None, "label": None, **where}
    (group,) = [group for group in data["groups"] if wanted.items() <= group.items()]
    return group


def test_lengths_are_treebank_tokens_and_sentences_of_a_premise_add_up():
    assert tokens("It doesn't, he said.") == ("It", "does", "n't", ",", "he", "said", ".")
    told = figures([pair(("Two dogs run.", "Dogs play."), "Dogs move.")])
    assert (told["premise_words"]["mean"], told["hypothesis_words"]["mean"]) == (7, 3)
    assert told["tokens"] == 10
    assert told["types"] == 6  # two dogs run . play move


WORDS = [
    "A",
    "dog",
    "well-known",
    "cannot",
    "gonna",
    "3",
    ",",
    "-",
    "--",
    ".",
    "n't",
    "'s",
    "U.S.",
    "x,y",
    "(",
    '"',
]


@given(st.lists(st.sampled_from([*WORDS, " ", " ", " "]), min_size=1, max_size=12))
def test_the_short_way_to_tokens_gives_what_the_tokenizer_gives(parts):
    sentence = "".join(parts)
    assert tokens(sentence) == tuple(TreebankWordTokenizer().tokenize(sentence))


def test_the_spread_is_that_of_the_population():
    told = spread({2: 1, 4: 2, 6: 1})
    assert told == {"number": 4, "mean": 4.0, "sd": pytest.approx(2**0.5), "least": 2, "most": 6}
    assert spread({})["mean"] is None


def test_overlap_leaves_stop_words_and_punctuation_out_and_ignores_case():
    # of "Dogs", "bark", "loudly" the premise's second sentence has "dogs"
    told = figures([pair(("A cat sits.", "The dogs run."), "Dogs bark loudly, as the cat.")])
    assert told["overlap"]["mean"] == 0.5


def test_a_hypothesis_of_stop_words_alone_has_no_overlap_to_count():
    told = figures([pair(hypothesis="It is there."), pair(hypothesis="A man.")])
    assert (told["overlap"]["number"], told["overlap"]["mean"]) == (1, 1.0)


def test_only_english_corpora_lose_stop_words():
    assert figures([pair("A b.", "A c.")], language="de")["overlap"]["mean"] == 0.5
    assert figures([pair("A b.", "A c.")], language="en-GB")["overlap"]["mean"] == 0.0


@pytest.mark.parametrize(
    ("hypothesis", "found"),
    [
        ("a man sleeps soundly", {"same"}),
        ("a man sleeps", {"deletion"}),
        ("sleeps soundly", {"deletion"}),
        ("a tall man sleeps soundly", {"insertion", "one_word"}),
        ("a tall old man sleeps soundly", {"insertion"}),
        ("a man sleeps badly", {"one_word"}),
        ("soundly a man sleeps", {"one_word"}),
        ("a sleeps man soundly", {"one_word"}),
        ("soundly sleeps a man", set()),
        ("sleeps man a soundly", set()),
        ("man a sleeps badly", set()),
        ("dogs", set()),
    ],
)
def test_an_edit_is_told_from_a_rewriting(hypothesis, found):
    assert set(edits(["a", "man", "sleeps", "soundly"], hypothesis.split())) == found


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=7), st.data())
def test_moving_one_word_is_always_found(words, data):
    taken = data.draw(st.integers(0, len(words) - 1))
    rest = words[:taken] + words[taken + 1 :]
    put = data.draw(st.integers(0, len(rest)))
    moved = [*rest[:put], words[taken], *rest[put:]]
    assert set(edits(words, moved)) == ({"same"} if moved == words else {"one_word"})


def test_deletion_and_much_overlap_are_shares_of_the_pairs():
    told = figures(
        [
            pair("A man sleeps here.", "A man sleeps."),  # shares "A man sleeps ." of five: 0.8
            pair("A man sleeps here.", "Someone dances wildly tonight!"),
        ]
    )
    assert (told["deletion"], told["substantial_overlap"]) == (0.5, 0.5)


def test_the_root_of_a_parse_is_what_stands_under_ROOT():
    assert root("(ROOT (S (NP (DT A)) (VP (VBZ sleeps))))") == "S"
    assert root("(ROOT\n  (NP (DT A)))") == "NP"
    told = figures(
        [
            pair(premise_parse="(ROOT (S (NP x)))", hypothesis_parse="(ROOT (FRAG x))"),
            pair(premise_parse="(ROOT (NP x))"),
            pair(),
        ]
    )
    assert told["s_rooted"] == {
        "premise": {"share": 0.5, "parses": 2},
        "hypothesis": {"share": 0.0, "parses": 1},
    }


def test_roots_of_derived_trees_are_counted_apart():
    told = figures(
        [
            pair(
                premise_parse="(ROOT (S x))", hypothesis_parse="(ROOT (S x))", derived_parses=("sentence2",)
            ),
            pair(premise_parse="(ROOT (NP x))", derived_parses=("sentence1", "sentence2")),
        ]
    )
    assert told["s_rooted"] == {
        "premise": {"share": 1.0, "parses": 1},
        "hypothesis": {"share": None, "parses": 0},
    }
    assert told["s_rooted_derived"] == {
        "premise": {"share": 0.0, "parses": 1},
        "hypothesis": {"share": 1.0, "parses": 1},
    }


def test_agreement_counts_labels_of_pairs_that_have_all_and_a_gold_label():
    five = ("entailment", "entailment", "entailment", "neutral", "neutral")
    none = ("entailment", "entailment", "neutral", "neutral", "contradiction")
    told = figures([pair(labels=five), pair(labels=none, label="-"), pair(labels=five[:1])])
    assert told["agreement"] == 0.6
    assert told["votes"] == {"3-2": 1, "2-2-1": 1}
    assert told["individual_labels"] == {"contradiction": 1, "entailment": 5, "neutral": 4}
    assert told["gold_labels"] == {"-": 1, "entailment": 2}


def test_groups_are_partitions_and_in_each_genres_and_labels():
    pairs = [
        pair(genre="fiction", partition="train", label="neutral"),
        pair(genre="letters", partition="test", label="-"),
        pair(genre="fiction", partition="test", hypothesis="He walks home now."),
    ]
    assert figures(pairs)["pairs"] == 3
    assert figures(pairs, genre="fiction")["pairs"] == 2
    assert figures(pairs, partition="test")["hypothesis_words"]["mean"] == 4.5
    assert figures(pairs, partition="test", label="-")["pairs"] == 1
    assert figures(pairs, partition="test", genre="letters")["gold_labels"] == {"-": 1}


def test_the_order_of_the_pairs_changes_nothing():
    pairs = [
        pair(f"Line {n} of {n % 7} stories.", f"Story {n % 3} ends.", LABELS[n % 3], name=f"p{n}")
        for n in range(60)
    ]
    shuffled = random.Random(1).sample(pairs, len(pairs))
    told, again = (json.dumps(measure(each, labels=LABELS, seats=5)) for each in (pairs, shuffled))
    assert told == again


def test_an_example_a_genre_is_drawn_by_seed_from_dev_where_dev_has_one():
    labels = ("neutral",) * 5
    pairs = [
        pair(name=f"{genre}{n}", genre=genre, partition=partition, labels=labels)
        for genre, partition in (("fiction", "dev"), ("fiction", "test"), ("letters", "test"))
        for n in range(8)
    ]
    drawn = {
        seed: [each["name"] for each in measure(pairs, labels=LABELS, seats=5, seed=seed)["examples"]]
        for seed in range(6)
    }
    assert all(len(names) == 2 for names in drawn.values())
    assert len({tuple(names) for names in drawn.values()}) > 1
    repeated = measure(pairs, labels=LABELS, seats=5, seed=3)["examples"]
    assert [each["name"] for each in repeated] == drawn[3]
    unlabelled = [pair(labels=labels[:1])]
    assert measure(unlabelled, labels=LABELS, seats=5)["examples"] == []


def test_progress_is_told_and_may_stop_the_count():
    class Stop(Exception):
        pass

    def stop(done):
        raise Stop(done)

    with pytest.raises(Stop, match="10000"):
        measure((pair() for _ in range(20_000)), labels=LABELS, seats=5, progress=stop)


def test_no_pairs_at_all_give_figures_without_values():
    told = figures([])
    assert (told["pairs"], told["deletion"], told["overlap"]["mean"]) == (0, None, None)


def test_overlap_is_none_without_content():
    assert overlap(["the", "."], {"the"}, frozenset({"the"})) is None


def test_words_of_a_language_without_spaces_are_its_characters():
    data = measure([pair("男人在公园睡觉。", "男人在睡觉。")], labels=LABELS, seats=5, language="zh")
    told = data["groups"][0]
    assert (told["premise_words"]["mean"], told["hypothesis_words"]["mean"]) == (8, 6)
    assert (told["overlap"]["mean"], told["deletion"], told["one_word"]) == (1.0, 1.0, 0.0)
