"""The fifteen tags of MultiNLI's Tables 6 and 7."""

from shared.figures import FIGURES
from snapshots.statistics.pairs import Pair
from snapshots.statistics.spacy_tagger import annotate, parse
from snapshots.statistics.tags import NAMES, Token, measure, substring_tags, tags_of, triples_of


def tagged(premise, hypothesis="Nothing."):
    """Returns the tags of sentences like "he/PRP runs/VBZ"."""
    return tags_of([sentence(premise)], sentence(hypothesis), len(hypothesis.split()))


def sentence(text):
    parts = (word.partition("/") for word in text.split())
    return [Token(word, tag, word) for word, _, tag in parts]


def by_hand(sentences):
    return (sentence(each) for each in sentences)


def test_penn_tags_make_tags():
    assert tagged("there/EX may/MD be/VB oh/UH") >= {"existentials", "modals", "interjections"}
    assert tagged("what/WP he/PRP likes/VBZ better/JJR") >= {
        "wh_words",
        "pronouns",
        "comparatives_superlatives",
    }
    assert tagged("dogs/NNS bark/VBP", "cats/NNS") == set()


def test_key_words_are_tokens_of_their_own_case_ignored():
    assert "conditionals" in tagged("If/IN so/RB")
    assert "conditionals" not in tagged("different/JJ gifts/NNS")
    assert "negation" in tagged("does/VBZ n't/RB")


def test_substrings_find_key_words_inside_other_words():
    assert substring_tags(["Different gifts."], "None.") == {"conditionals", "quantifiers"}


def test_tense_match_is_a_tense_in_both_sentences():
    assert "tense_match" in tagged("she/PRP ran/VBD", "he/PRP sat/VBD")
    assert "tense_match" in tagged("she/PRP runs/VBZ", "they/PRP sit/VBP")
    assert "tense_match" not in tagged("she/PRP runs/VBZ", "he/PRP sat/VBD")
    assert "tense_match" not in tagged("she/PRP running/VBG", "he/PRP sitting/VBG")


def test_long_sentences_are_hypotheses_of_more_than_twenty_words():
    assert "long_sentences" not in tagged("a/DT " * 30, "a/DT " * 20)
    assert "long_sentences" in tagged("a/DT", "a/DT " * 21)


def test_pairs_are_counted_by_partition_genre_and_label():
    pairs = [
        Pair(("he/PRP",), "dogs/NNS", "neutral", "letters", "dev"),
        Pair(("he/PRP",), "gifts/NNS", "-", "letters", "dev"),
        Pair(("dogs/NNS",), "dogs/NNS", "entailment", "fiction", "train"),
    ]
    data = measure(pairs, by_hand, labels=("entailment", "neutral", "contradiction"))
    everything, train, dev = data["groups"]
    assert (everything["pairs"], train["partition"], dev["genres"]) == (3, "train", {"letters": 2})
    assert dev["tags"]["pronouns"]["word"] == {
        "pairs": 2,
        "genres": {"letters": 2},
        "labels": {"-": 1, "neutral": 1},
    }
    assert everything["tags"]["conditionals"]["word"]["pairs"] == 0
    assert everything["tags"]["conditionals"]["substring"]["pairs"] == 1
    assert set(everything["tags"]) == set(NAMES)
    assert len(NAMES) == 15


def test_lemmas_overlap_where_forms_differ():
    def lemmatised(sentences):
        return ([Token(word, "NN", word.removesuffix("s")) for word in each.split()] for each in sentences)

    pairs = [Pair(("dogs run",), "dog runs away", "entailment", "g", "dev")]
    rows = measure(pairs, lemmatised, labels=("entailment",))["lemma_overlap"]
    assert {row["mean"] for row in rows} == {2 / 3}


def test_the_model_tags_sentences_with_penn_tags_and_lemmas():
    first, second = annotate(["There were two dogs.", "She doesn't know why."])
    assert [token.tag for token in first] == ["EX", "VBD", "CD", "NNS", "."]
    assert first[3].lemma == "dog"
    assert tags_of([second], first, 5) >= {"pronouns", "negation", "wh_words", "existentials", "belief_verbs"}


def test_triples_are_head_lemma_relation_and_dependent_lemma_without_punctuation():
    (sentence,) = parse(["Two dogs were sleeping, on a bed."])
    assert set(triples_of(sentence)) == {
        *("dog nummod two", "sleep nsubj dog", "sleep aux be", "sleep prep on"),
        *("on pobj bed", "bed det a"),
    }


def test_triples_go_with_gold_labels_and_tags_are_those_without_a_parse():
    texts = ["Two dogs are sleeping.", "A man holds a bike.", "Nobody holds a bike!"]
    some = [
        *([Pair(("Dogs run.",), texts[0], "contradiction")] * 6),
        *([Pair(("Dogs run.",), texts[1], "entailment")] * 2),
        *([Pair(("Dogs run.",), texts[2], "neutral", partition="dev")] * 4),
        Pair(("Dogs run.",), texts[0], "-"),
    ]
    labels = ("entailment", "neutral", "contradiction")
    data = measure(some, annotate, labels=labels, parse=parse)
    assert {**data, "triples": None} == {**measure(some, annotate, labels=labels), "triples": None}
    found = {
        (row["word"], row["label"]): (row["count"], row["p"])
        for row in FIGURES["giveaways"].table(data, units="triples").rows
        for row in [{**row, "p": row["p(label | word)"]}]
        if (row["of"], row["threshold"]) == ("all", 0.5)
    }
    assert found == {
        **dict.fromkeys(
            [(triple, "contradiction") for triple in ("dog nummod two", "sleep nsubj dog", "sleep aux be")],
            (6, 1),
        ),
        **dict.fromkeys([(triple, "neutral") for triple in ("hold dobj bike", "bike det a")], (6, 4 / 6)),
    }
    assert all(row["hrefs"] == {} for row in FIGURES["giveaways"].table(data, units="triples").rows)
