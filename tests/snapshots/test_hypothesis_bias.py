"""What hypotheses give away before a corpus is opened: shares, repetitions, words, and the hypothesis-only classifier."""

import random
import tracemalloc

import pytest

from collection.models import Corpus, Pair
from snapshots.statistics import hypothesis_bias
from snapshots.statistics.hypothesis_bias import Labelled, measure_bias
from tests.cast import rosa
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.statistics.cached import carry_out

LABELS = ("entailed", "not-entailed")


def pairs(number: int, *, gives_away: bool, **more: str) -> list[Labelled]:
    chance = random.Random(0)
    found = []
    for n in range(number):
        label = LABELS[n % 2]
        word = ("surely" if n % 2 else "perhaps") if gives_away else chance.choice(("surely", "perhaps"))
        found.append(Labelled(f"It {word} did happen in {n}.", label, group=str(n), **more))
    return found


def test_hypotheses_that_give_their_label_away_are_found_and_others_are_not():
    told = measure_bias(
        [*pairs(200, gives_away=True, kind="a"), *pairs(200, gives_away=False, kind="b")], labels=LABELS
    )
    whole, one, other = told["groups"]
    assert (whole["group"], whole["pairs"], whole["labels"], whole["commonest"]) == (
        None,
        400,
        dict.fromkeys(LABELS, 200),
        0.5,
    )
    assert {row["group"]: row["gives_away"] for row in (one, other)} == {"a": True, "b": False}
    assert told["tried_on"] == "5 parts in turn"
    assert whole["tried"] == 400


def test_words_and_neighbouring_words_are_listed_with_their_share():
    told = measure_bias(pairs(40, gives_away=True), labels=LABELS)
    assert told["groups"][0]["hypothesis_only"] == 1
    assert told["giveaways"]["not-entailed"] == [{"word": "surely", "count": 20, "p": 1}]
    words = {each["word"] for each in told["giveaway_pairs"]["not-entailed"]}
    assert words == {"It surely", "surely did"}
    assert not told["repeated"]["pairs"]


def test_repeated_hypotheses_are_counted_with_their_labels():
    rows = [Labelled("Name heard a pun.", LABELS[n % 2]) for n in range(4)] + [Labelled("Once.", LABELS[0])]
    found = measure_bias(rows, labels=LABELS)["repeated"]
    assert (found["pairs"], found["hypotheses"], found["with_one_label"]) == (4, 1, 0)
    assert found["commonest"] == [{"hypothesis": "Name heard a pun.", "labels": dict.fromkeys(LABELS, 2)}]


def test_partitions_are_learnt_from_and_tried_on_where_they_are_there():
    rows = pairs(20, gives_away=True, partition="train") + pairs(6, gives_away=True, partition="test")
    told = measure_bias(rows, labels=LABELS)
    assert (told["tried_on"], told["groups"][0]["tried"]) == ("dev and test", 6)


@pytest.mark.thorough
def test_memory_grows_by_some_bytes_a_pair(monkeypatch):
    monkeypatch.setattr(hypothesis_bias, "CHUNK", 5_000)
    words = [f"word{n}" for n in range(40)]

    def peak(number: int) -> int:
        chance = random.Random(1)
        rows = (
            Labelled(" ".join(chance.choices(words, k=12)), LABELS[n % 2], group=str(n))
            for n in range(number)
        )
        tracemalloc.start()
        assert measure_bias(rows, labels=LABELS)["pairs"] == number
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(100)  # what is loaded once
    assert peak(10_000) - peak(5_000) < 5_000 * 200


@pytest.mark.thorough
def test_many_occurrences_are_counted_as_few_are(monkeypatch):
    rows = [*pairs(200, gives_away=True, kind="a"), *pairs(200, gives_away=False, kind="b")] * 2
    told = measure_bias(rows, labels=LABELS)
    monkeypatch.setattr(hypothesis_bias, "CHUNK", 7)
    assert measure_bias(rows, labels=LABELS) == told
    assert told["repeated"]["hypotheses"] == 288


@pytest.mark.parametrize("rows", [[], [Labelled("", "entailed")], [Labelled("One.", "other")]])
def test_next_to_nothing_is_no_error(rows):
    told = measure_bias(rows, labels=LABELS)
    assert told["pairs"] == sum(row.label in LABELS for row in rows)


@made_once
def corpus() -> Corpus:
    corpus = make_corpus(scheme="entailed2", protocol="recast")
    for n, row in enumerate(pairs(60, gives_away=True)):
        premise = make_premise(corpus, f"Premise {n}.")
        make_pair(
            corpus,
            premise,
            row.hypothesis,
            published_label=row.label,
            metadata={"misc": "tense" if n < 30 else "aspect"},
        )
    return corpus


def test_the_command_looks_at_a_corpus_before_it_is_opened(corpus):
    told = run("bias", "small", by="misc", json=True).json
    assert [row["group"] for row in told["groups"]] == [None, "tense", "aspect"]
    assert told["groups"][0]["hypothesis_only"] == 1
    text = run("bias", "small").out
    assert "the hypothesis alone finds the label of 100.0%" in text
    assert "surely (20" not in text
    assert "surely (30, 1.00)" in text
    assert "No pair has" in run("bias", "small", by="heuristic").failure


def test_pairs_are_grouped_by_a_property_within_misc(corpus, browser_of, sent):
    """What recipes keep in `misc` is an object: the property of VerbCorner, the relation, whose the template is."""
    for n, pair in enumerate(corpus.pairs.order_by("pk")):
        misc = {"property": "force" if n < 20 else "contact", "descriptionNumber": str(n)}
        corpus.pairs.filter(pk=pair.pk).update(metadata={"misc": misc})
    told = run("bias", "small", by="misc.property", json=True).json
    assert [(row["group"], row["pairs"]) for row in told["groups"]] == [
        (None, 60),
        ("contact", 40),
        ("force", 20),
    ]
    assert "misc, misc.descriptionNumber, misc.property." in run("bias", "small", by="misc.x").failure
    browser, address = browser_of(rosa()), "/corpora/small/bias/?by=misc.property"
    browser.post(address, {"what": "bias"})
    carry_out(statistics_id=sent.pop())
    page = browser.get(address).text
    assert "<option selected>misc.property</option>" in page
    assert "misc.descriptionNumber" not in page, "a worker stores no name as long as that"


def test_the_page_shows_it_beside_the_way_to_open_pairs(corpus, browser_of, sent):
    browser, address = browser_of(rosa()), "/corpora/small/bias/?by=misc"
    assert "not counted yet" in browser.get(address).text
    assert browser.post(address, {"what": "bias"}).status_code == 302
    assert "waiting for a worker" in browser.get(address).text
    assert "Stop the count" in browser.get(f"{address}&part=bias").text
    carry_out(statistics_id=sent.pop())
    assert browser.get(f"{address}&part=bias").headers["HX-Refresh"] == "true"
    page = browser.get(address).text
    assert "100.0%" in page
    assert 'text=surely">surely</a> (30, 1.00)' in page
    assert "tense" in page
    Pair.objects.all().update(published_label=None)
    browser.post(address, {"what": "bias"})
    carry_out(statistics_id=sent.pop())
    assert "no pair with a label" in browser.get(address).text
    browser.post("/corpora/small/bias/?by=heuristic", {"what": "bias"})
    carry_out(statistics_id=sent.pop())
    assert browser_of(rosa()).get("/corpora/small/open/").text.count("/corpora/small/bias/") == 1
