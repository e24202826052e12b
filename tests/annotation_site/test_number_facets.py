"""Histograms beside the list of pairs: a bar chooses a class of lengths or of agreement, and says how many are behind it."""

import csv
import io

import pytest

from collection.models import Corpus
from shared.facets import LENGTHS, classes_between, length_chart
from tests.charted import figures_of
from tests.corpora import make_corpus, make_pair, make_premise
from tests.listed import bars_in, listed
from tests.made_once import made_once
from tests.validation.votes import vote
from validation.statistics import cached
from validation.statistics.cached import Kind

pytestmark = pytest.mark.django_db
LIST = "/corpora/small/pairs/"
# Letters of the votes, and characters of the hypothesis. Three labels are 60%, which the third class holds.
VOTES = {"one": ("eeeee", 5), "two": ("eeenc", 19), "three": ("eenn.", 20), "four": ("eennc", 300)}
PLACES = {"one": 5, "two": 3, "four": 2}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    for name, (letters, characters) in VOTES.items():
        pair = make_pair(
            corpus,
            make_premise(corpus, f"About {name}."),
            ("word " * 60)[: characters - 1] + ".",
            public_id=name,
            author_label="entailment",
        )
        vote(pair, corpus.questions.get(), letters)
    return corpus


def browsed(client, address: str) -> set[str]:
    page = client.get(address)
    return {pair.public_id for pair in page.context["pairs"]}


@pytest.mark.parametrize(
    "chosen", ["", "?votes=complete", "?agreement=60", "?shortest=10&longest=19", "?text=word"]
)
def test_each_bar_is_the_list_behind_it_under_the_other_filters(corpus, browser_of, rosa, chosen):
    client = browser_of(rosa)
    charts = bars_in(client.get(LIST + chosen))
    assert charts
    for chart in charts.values():
        # The link of a chosen bar lets it go.
        is_chosen = any(row["is_out"] for row in chart["rows"])
        rows = [row for row in chart["rows"] if row["pairs"] and (row["is_out"] or not is_chosen)]
        assert rows
        for row in rows:
            page = client.get(row["href"])
            assert page.context["numbers"].total == (row["pairs"], False), row
            assert len(page.context["pairs"]) == row["pairs"]


def test_a_bar_chooses_a_class_and_lets_it_go(corpus, browser_of, rosa):
    client = browser_of(rosa)
    charts = bars_in(client.get(LIST))
    rows = {row["class"]: row for row in charts["length"]["rows"]}
    assert {name: row["pairs"] for name, row in rows.items() if row["pairs"]} == {
        "0 to 9": 1,
        "10 to 19": 1,
        "20 to 29": 1,
        "120 or more": 1,
    }
    assert charts["length"]["title"] == "At least half of the hypotheses have up to 19 characters."
    assert browsed(client, rows["10 to 19"]["href"]) == {"two"}
    assert browsed(client, rows["120 or more"]["href"]) == {"four"}
    again = bars_in(client.get(rows["10 to 19"]["href"]))["length"]["rows"]
    assert {row["class"] for row in again if not row["is_out"]} == {"10 to 19"}
    assert browsed(client, next(row for row in again if not row["is_out"])["href"]) == set(VOTES)
    parts = charts["agreement"]["rows"]
    assert [row["pairs"] for row in parts] == [0, 1, 1, 0, 1]
    for name, place in PLACES.items():
        assert browsed(client, parts[place - 1]["href"]) == {name}
        assert browsed(client, f"{LIST}?agreement={20 * place}&as_is=") == {name}
    file = client.get(f"{LIST}?agreement=60&as=csv").getvalue().decode()
    assert [row["id"] for row in csv.DictReader(io.StringIO(file))] == ["two"]
    table = client.get(f"{LIST}?chart=agreement").content.decode().splitlines()
    assert table[0] == "class,pairs,low,high"
    assert client.get(f"{LIST}?chart=none").status_code == 404


def test_rest_returns_what_is_drawn(corpus, browser_of, rosa):
    client = browser_of(rosa)
    drawn = bars_in(client.get(LIST))
    told = figures_of(client, "pairs", "corpora/small")
    assert told == list(drawn.values())


def test_a_worker_counts_the_classes_of_a_large_corpus(corpus, browser_of, rosa, monkeypatch):
    client = browser_of(rosa)
    now = bars_in(client.get(LIST))
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 3)
    assert bars_in(client.get(LIST)) == {}
    cached.store(question=corpus.questions.get(), kind=Kind.PAIRS)
    assert bars_in(client.get(LIST)) == now
    # Limits between classes are counted for few pairs alone.
    monkeypatch.setattr("validation.pairs.listing.MOST_IN_FACETS", 1)
    page = client.get(f"{LIST}?shortest=10&longest=29")
    assert page.context["numbers"].total == (2, False)
    page = client.get(f"{LIST}?shortest=11&longest=29")
    assert (page.context["numbers"].total, listed(page).histograms) == ((2, False), [])
    page = client.get(f"{LIST}?shortest=11&longest=29&agreement=60")
    assert page.context["numbers"].total is None
    assert "How many pairs pass is not counted." in page.content.decode()


@pytest.mark.parametrize(
    ("limits", "classes"),
    [
        ((0, 0), frozenset()),
        ((10, 29), {1, 2}),
        ((0, 9), {0}),
        ((120, 0), {LENGTHS - 1}),
        ((110, 0), {LENGTHS - 2, LENGTHS - 1}),
        ((110, 119), {LENGTHS - 2}),
        ((5, 0), None),
        ((0, 10), None),
        ((120, 129), None),  # a part of the last class
        ((130, 0), None),
        ((20, 9), None),
    ],
)
def test_limits_of_lengths_are_classes_or_cut_through_one(limits, classes):
    assert classes_between(*limits) == classes


def test_pairs_of_one_class_need_no_histogram():
    assert length_chart([(3, 10)], 0, 0, str) is None
    assert length_chart([(3, 10), (LENGTHS - 1, 11)], 0, 0, str).title.endswith(
        "have 120 or more characters."
    )
