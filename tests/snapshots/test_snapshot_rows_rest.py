"""The pairs of a snapshot over REST: as in its files, filtered, paged by key, independent of the living corpus."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import Premise
from snapshots.freezing.job import request_freeze
from tests.made_once import made_once
from tests.snapshots.material import add_genre, add_pair, add_premise, corpus_of, freeze, label_pair, lines

pytestmark = pytest.mark.django_db


@made_once
def snapshot():
    """Makes a snapshot with two genres, and a pair without a gold label."""
    corpus = corpus_of(6)
    add_genre(corpus, "letters")
    for number in range(4):
        add_premise(corpus, f"Dear friend number {number},", genre="letters")
    label_pair(add_pair(Premise.objects.earliest("pk"), "e", "Undecided."), "eennc")
    return freeze(corpus)


@pytest.fixture
def rows(api_of, rosa, snapshot):
    def ask(query: str = ""):
        return api_of(rosa).get(f"/api/v1/snapshots/{snapshot.pk}/rows/{query}")

    return ask


def in_files(snapshot):
    return [
        {"partition": part, **line} for part in ("dev", "test", "train") for line in lines(snapshot, part)
    ]


def all_pages(rows, query):
    found, answer = [], rows(query).json()
    while True:
        found += answer["results"]
        if not answer["next"]:
            return found
        answer = rows("?" + answer["next"].partition("?")[2]).json()


def test_the_rows_are_the_lines_of_the_files_and_pages_repeat_and_skip_none(rows, snapshot):
    assert all_pages(rows, "?page_size=7") == in_files(snapshot)


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("partition=dev", lambda line: line["partition"] == "dev"),
        ("genre=letters", lambda line: line["genre"] == "letters"),
        ("label=neutral", lambda line: line["gold_label"] == "neutral"),
        ("label=-", lambda line: line["gold_label"] == "-"),
        (
            "partition=train&genre=fiction&label=entailment",
            lambda line: (
                (line["partition"], line["genre"], line["gold_label"]) == ("train", "fiction", "entailment")
            ),
        ),
    ],
)
def test_rows_are_filtered_by_partition_genre_and_gold_label(rows, snapshot, query, fits):
    wanted = [line for line in in_files(snapshot) if fits(line)]
    assert wanted
    assert all_pages(rows, f"?{query}&page_size=2") == wanted


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("partition", "validation", "train, dev, test"),
        ("genre", "poems", "fiction, letters"),
        ("label", "maybe", "entailment, neutral, contradiction, -"),
    ],
)
def test_an_unknown_filter_is_422_and_names_what_there_is(rows, name, value, known):
    answer = rows(f"?{name}={value}")
    assert answer.status_code == 422
    assert answer.json()["errors"][name] == [f"There is no {name} {value!r} here. Known: {known}."]


def test_a_longer_page_asks_no_more_of_the_database(rows, snapshot):
    with CaptureQueriesContext(connection) as short:
        rows("?page_size=1")
    with CaptureQueriesContext(connection) as long:
        assert len(rows("?page_size=30").json()["results"]) == 30
    assert len(short) == len(long)


def test_a_page_asks_once_for_snapshot_corpus_and_question(rows):
    with CaptureQueriesContext(connection) as asked:
        assert rows().status_code == 200
    tables = [query["sql"].partition(" FROM ")[2].split(" ")[0].strip('"') for query in asked]
    assert "snapshots_snapshot" not in tables
    assert [name for name in tables if name.startswith(("collection_", "validation_"))] == [
        "collection_corpusmember",
        "validation_question",
    ]


def test_labels_that_came_later_are_not_in_the_rows(rows, snapshot):
    before = rows().json()
    label_pair(add_pair(Premise.objects.earliest("pk"), "n", "Later."), "nnnnn")
    assert rows().json() == before


def test_rows_are_there_once_it_is_frozen_and_for_researchers(rows, snapshot, api_of, rosa, ana):
    add_premise(snapshot.corpus, "New.")
    waiting = request_freeze(corpus=snapshot.corpus)
    assert api_of(rosa).get(f"/api/v1/snapshots/{waiting.pk}/rows/").status_code == 404
    assert api_of(ana).get(f"/api/v1/snapshots/{snapshot.pk}/rows/").status_code == 403
