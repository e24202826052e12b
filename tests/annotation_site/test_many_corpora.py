"""The list of all corpora where they are more than a page: sorted over all of them, by what a worker counted."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_site.workspace.pipeline import counts_of, counts_to_sort_by
from collection.models import Corpus, Pair, WritingSeat
from collection.premises.writing_seats import make_seats
from tests import cast
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.validation.votes import vote
from validation.statistics import cached
from validation.statistics.cached import Kind

pytestmark = pytest.mark.django_db
NUMBER = 25
HOME = "/admin/"
# Slug -> votes of its pairs: the oldest corpora have the most, and are on the second page without an order.
WORK = {"c00": ["eeeee", "eeeee", "eeeen"], "c01": ["eeenn"], "c02": ["eeeee", "nneec"]}


@made_once
def corpora() -> list[Corpus]:
    found = [make_corpus(slug=f"c{number:02}") for number in range(NUMBER)]
    writer = cast.ana()
    for days, (slug, pairs) in enumerate(WORK.items()):
        corpus = Corpus.objects.get(slug=slug)
        premise = make_premise(corpus, f"About {slug}.")
        for number, letters in enumerate(pairs):
            pair = make_pair(corpus, premise, f"Text {number}.", author_label="entailment")
            vote(pair, corpus.questions.get(), letters)
        make_seats(premises=[premise])
        sent = timezone.now() - timedelta(days=days)
        WritingSeat.objects.filter(premise=premise, position=1).update(
            annotator=writer, leased_until=sent, submitted_at=sent
        )
    return found


def slugs(client, **chosen: str) -> list[str]:
    return [row["corpus"].slug for row in client.get(HOME, chosen).context["page"]]


def count_all() -> None:
    for question in cached.stale_overviews(timezone.now()):
        cached.store(question=question, kind=Kind.OVERVIEW)


@pytest.mark.parametrize("is_counted", [True, False])
def test_all_corpora_are_sorted_and_not_those_of_a_page(corpora, browser_of, rosa, is_counted):
    if is_counted:
        count_all()
    client = browser_of(rosa)
    for order, first in {
        "": ["c00", "c01", "c02"],  # the latest work
        "-last_work": ["c00", "c01", "c02"],
        "last_work": ["c02", "c01", "c00"],
        "-pairs": ["c00", "c02", "c01"],
        "-gold": ["c00", "c02", "c01"],
        "-agreement": ["c02", "c00", "c01"],
        "agreement": ["c01", "c00", "c02"],
        "corpus": ["c00", "c01", "c02"],
        "-corpus": ["c24", "c23", "c22"],
    }.items():
        assert slugs(client, sort=order)[:3] == first, order
    both = [*slugs(client, sort="corpus"), *slugs(client, sort="corpus", page="2")]
    assert both == [corpus.slug for corpus in corpora]
    page = client.get(HOME, {"sort": "corpus"}).content.decode()
    assert "sort=corpus&amp;page=2" in page
    assert "25 corpora." in page
    lines = b"".join(client.get(HOME, {"sort": "-corpus", "as": "csv"})).decode()
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert [row["corpus"] for row in rows][::24] == ["The c24 corpus", "The c00 corpus"]
    assert (rows[24]["pairs"], rows[24]["gold"], rows[24]["agreement"]) == (
        "3",
        "3",
        str(counts_of([corpora[0]])[corpora[0].pk].agreement),
    )


def test_a_corpus_shows_what_it_has_now_wherever_it_stands(corpora, browser_of, rosa):
    count_all()
    premise = make_premise(corpora[20], "New.")
    for number in range(9):
        make_pair(corpora[20], premise, f"Text {number}.", author_label="entailment")
    client = browser_of(rosa)
    assert slugs(client, sort="-pairs")[0] == "c00", "the order is the worker's"
    shown = client.get(HOME, {"sort": "-corpus"}).context["page"]
    assert next(row for row in shown if row["corpus"].slug == "c20")["counts"].pairs == 9
    Pair.objects.filter(corpus=corpora[20]).update(created_at=timezone.now() + timedelta(minutes=1))
    later = timezone.now() + timedelta(minutes=20)
    assert [each.corpus.slug for each in cached.stale_overviews(later)] == ["c20"]


def test_a_worker_counts_small_corpora_only_where_they_are_more_than_a_page(corpora, monkeypatch):
    now = timezone.now()
    assert len(cached.stale_overviews(now)) == NUMBER
    assert cached.stale_overviews(now, Kind.WAGES) == []
    monkeypatch.setattr(cached, "CORPORA_A_PAGE", NUMBER)
    assert cached.stale_overviews(now) == []


def test_what_is_stored_is_not_counted_again_to_sort(corpora, browser_of, rosa, django_assert_num_queries):
    count_all()
    client = browser_of(rosa)
    client.get(HOME)
    with django_assert_num_queries(2):
        assert len(counts_to_sort_by(corpora)) == NUMBER
