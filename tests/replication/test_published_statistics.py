"""Statistics over the published files equal those of the papers: MPE's and SNLI's tables, the words of Poliak et al."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from nltk.tokenize import TreebankWordTokenizer

from modeling.baselines.vocabulary import tokenise
from shared.figures import FIGURES
from snapshots.statistics import artifacts, corpus
from snapshots.statistics.pairs import Pair
from snapshots.statistics.words import tokens

pytestmark = pytest.mark.thorough

LABELS = ("entailment", "neutral", "contradiction")


def opened(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def mpe(path: Path, partition: str) -> Iterator[Pair]:
    with opened(path) as lines:
        next(lines)
        for line in lines:
            cells = line.rstrip("\n").replace("   ", "\t").split("\t")
            captions = tuple(cell.partition("/")[2] for cell in cells[1:5])
            yield Pair(captions, cells[5], cells[9], "captions", partition, cells[0])


def snli(folder: Path) -> Iterator[Pair]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield Pair(
                (line["sentence1"],),
                line["sentence2"],
                line["gold_label"],
                genre="captions",
                partition="dev",
                name=line["pairID"],
                labels=tuple(filter(None, line["annotator_labels"])),
                premise_parse=line["sentence1_parse"],
                hypothesis_parse=line["sentence2_parse"],
            )


@pytest.fixture(scope="module")
def mpe_train(shared_data):
    pairs = mpe(shared_data / "mpe" / "mpe_train.txt.gz", "train")
    return corpus.measure(pairs, labels=LABELS, seats=5)


def test_the_short_way_to_tokens_gives_what_the_tokenizer_gives(shared_data):
    tokenizer = TreebankWordTokenizer()
    with opened(shared_data / "mpe" / "mpe_dev.txt") as lines:
        captions = [cell.partition("/")[2] or cell for line in lines for cell in line.split("\t")[1:6]]
    telephone = (shared_data / "xnli_en" / "xnli_en_genre_dev.tsv").read_text(encoding="utf-8").splitlines()
    found = [*captions, *(cell for line in telephone[:1000] for cell in line.split("\t")[2:])]
    assert len(found) > 6000
    assert all(tokens(sentence) == tuple(tokenizer.tokenize(sentence)) for sentence in found)


def test_the_tokenizer_of_the_baselines_hardly_differs(shared_data):
    with opened(shared_data / "snli_gold" / "dev.jsonl.gz") as lines:
        pairs = [json.loads(line) for line in lines]
    sentences = [text for pair in pairs for text in (pair["premise"], pair["hypothesis"])]
    differ = [sentence for sentence in sentences if list(tokens(sentence)) != tokenise(sentence)]
    assert len(sentences) == 17_284
    assert differ == ["A cop is standing on a train on his way to work..", "the child was happy`"]
    assert tokens("“Hello,” she said.")[0] == "“Hello"
    assert tokenise("“Hello,” she said.")[:2] == ["“", "Hello"]


def test_word_overlap_of_mpe_is_that_of_table_1(mpe_train):
    made = FIGURES["overlap"].table(mpe_train)
    rows = {row["gold label"]: [round(row["mean"], 2), round(row["sd"], 2)] for row in made.rows}
    assert rows == {
        "all": [0.28, 0.22],
        "entailment": [0.34, 0.21],
        "neutral": [0.28, 0.21],
        "contradiction": [0.23, 0.22],
    }


def test_agreement_by_gold_label_of_mpe_is_near_that_of_section_5_1(mpe_train):
    """The paper's shares are over its 10,000 pairs; these are the 8,000 training pairs."""
    for row in FIGURES["agreement-by-label"].table(mpe_train).rows:
        assert row["agreement"] == pytest.approx(row["MPE"], abs=0.02), row


def test_lengths_tokens_and_labels_of_mpe_are_those_of_table_3_but_for_rounding(mpe_train):
    (named,) = FIGURES["lengths"].table(mpe_train).rows
    assert round(named["premise mean"], 2) == 53.22
    assert round(named["premise sd"], 2) == 12.76
    assert round(named["hypothesis mean"], 2) == 5.34
    assert round(named["hypothesis sd"], 2) == 1.78
    assert named["tokens"] == 468_518  # published: 468,524
    assert named["types"] == 9_255  # published: 9,254
    (labels,) = FIGURES["labels"].table(mpe_train).cells()
    assert [round(100 * share, 2) for share in labels[-4:]] == [32.30, 26.15, 41.55, 0]


def test_give_away_words_of_mpe_are_those_of_the_paper(shared_data):
    dev = list(mpe(shared_data / "mpe" / "mpe_dev.txt", "dev"))
    words = artifacts.measure(lambda: iter(dev), labels=LABELS)["words"]
    published = {
        "entailment": "an 21 gathered 12 girl 12 trick 11 Dogs 11 watches 10 field 10 singing 10 outside 9 something 8",
        "neutral": "smiling 16 An 10 for 9 front 8 camera 8 waiting 8 posing 8 Kids 7 smile 6 wall 6",
        "contradiction": "sitting 88 woman 80 men 34 Some 26 doing 22 Children 22 boy 21 having 20 sit 15 children 15",
    }
    for label, listed in published.items():
        paper = dict(zip(listed.split()[::2], map(int, listed.split()[1::2]), strict=True))
        found = {each["word"]: each["count"] for each in artifacts.giveaways(words, label, 0.5)}
        ours = list(found)[:10]
        # The tenth neutral word is one of several that occur six times; the paper shows another one.
        assert len(set(ours) & paper.keys()) >= (9 if label == "neutral" else 10)
        assert {word: found[word] for word in paper} == paper


def test_give_away_words_of_snli_are_mostly_those_of_the_paper(shared_data):
    """With 8,642 of the 9,842 dev pairs, words are a little rarer, and the last ones of a list may differ."""
    with opened(shared_data / "snli_gold" / "dev.jsonl.gz") as lines:
        dev = [
            Pair((each["premise"],), each["hypothesis"], each["label"], "captions", "dev")
            for each in map(json.loads, lines)
        ]
    words = artifacts.measure(lambda: iter(dev), labels=LABELS)["words"]
    published = {
        "entailment": "instrument 20 touching 12 least 10 Humans 8 transportation 7 speaking 7 screen 7 arts 7"
        " activity 7 opposing 5",
        "neutral": "tall 44 competition 24 because 23 birthday 20 mom 17 win 16 got 16 trip 15 tries 15 owner 15",
        "contradiction": "sleeping 108 driving 53 Nobody 52 alone 50 cat 49 asleep 43 no 31 empty 28 eats 24 sleeps 20",
    }
    for label, listed in published.items():
        paper = dict(zip(listed.split()[::2], map(int, listed.split()[1::2]), strict=True))
        found = {each["word"]: each for each in artifacts.giveaways(words, label, 0.8)}
        ours = list(found)[:10]
        assert len(set(ours) & paper.keys()) >= 7
        every = {each["word"]: each for each in words if each["label"] == label}
        for word, count in paper.items():
            if word in every:  # words that occur fewer than five times here are not listed
                assert 0.7 * count <= every[word]["count"] <= count, word
                assert every[word]["p"] > 0.75, word
        assert len(paper.keys() - every.keys()) <= 2


def test_snli_has_the_roots_the_edits_and_the_overlap_that_the_papers_tell(shared_data):
    data = corpus.measure(snli(shared_data / "snli_5label"), labels=LABELS, seats=5)
    whole = data["groups"][0]
    assert round(100 * whole["s_rooted"]["premise"]["share"], 1) == 76.3  # all of SNLI: 74.0
    assert round(100 * whole["s_rooted"]["hypothesis"]["share"], 1) == 89.5  # all of SNLI: 88.9
    assert round(100 * whole["deletion"]) == 2  # MultiNLI 2.2 about SNLI: 2, 1 and about 29
    assert round(100 * whole["insertion"]) == 1
    assert 0.26 < whole["substantial_overlap"] < 0.30
    assert [round(whole["overlap"][key], 2) for key in ("mean", "sd")] == [0.44, 0.29]  # MPE, Table 1
