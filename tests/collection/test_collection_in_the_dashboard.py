"""Corpora, premises, pairs and reports in the admin: lists need few queries, and nothing is edited by hand."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collection.models import Corpus, DroppedLine, Pair, Source
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing
from tests.cast import ana, rosa, signed_in
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

READ_ONLY = ["corpus", "genre", "prompt", "promptversion", "premise", "pair", "source", "droppedline"]
LISTS = [*READ_ONLY, "problemreport"]


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    source = Source.objects.create(corpus=corpus, name="stories.txt", sha256="0" * 64)
    premises = [make_premise(corpus, f"Premise {number}.", source=source) for number in range(3)]
    make_seats(premises=premises)
    DroppedLine.objects.create(
        source=source, genre=corpus.genres.get(), line=9, text="1. A list", filter="list_or_heading"
    )
    for premise in premises:
        make_pair(corpus, premise, "Hypothesis.", author=ana(), author_label="neutral")
        token = claim_writing(corpus=corpus, annotator=ana()).token
        skip_writing(annotator=ana(), token=token, problem="It is odd.")
    return corpus


@pytest.fixture
def client() -> Client:
    return signed_in(rosa())


@pytest.mark.parametrize("name", LISTS)
def test_each_list_opens_and_so_does_a_row(corpus, client, name):
    address = f"/admin/collection/{name}/"
    page = client.get(address)
    assert page.status_code == 200
    row = page.context["cl"].result_list[0]
    opened = client.get(f"{address}{row.pk}/change/")
    assert opened.status_code == 200
    assert ('name="_save"' in opened.content.decode()) == (name not in READ_ONLY)


@pytest.mark.parametrize("name", LISTS)
def test_annotators_see_no_list(corpus, name):
    client = signed_in(ana())
    assert client.get(f"/admin/collection/{name}/").status_code in (302, 403)


@pytest.mark.parametrize("name", ["premise", "pair", "problemreport"])
def test_a_longer_list_costs_no_more_queries(corpus, client, name):
    address = f"/admin/collection/{name}/"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for number in range(10, 20):
        premise = make_premise(corpus, f"Premise {number}.")
        make_seats(premises=[premise])
        make_pair(corpus, premise, "Hypothesis.", author=ana(), author_label="neutral")
        token = claim_writing(corpus=corpus, annotator=ana()).token
        skip_writing(annotator=ana(), token=token, problem="It is odd.")
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_premises_are_found_by_their_text(corpus, client):
    page = client.get("/admin/collection/premise/", {"q": "Premise 1"})
    assert [premise.text for premise in page.context["cl"].result_list] == ["Premise 1."]


def test_pairs_are_filtered_by_genre_and_label(corpus, client):
    genre = corpus.genres.get()
    chosen = {"premise__genre__id__exact": genre.pk, "author_label__exact": "neutral"}
    assert len(client.get("/admin/collection/pair/", chosen).context["cl"].result_list) == 3
    chosen["author_label__exact"] = "entailment"
    assert not client.get("/admin/collection/pair/", chosen).context["cl"].result_list


def test_nothing_is_deleted_by_hand(corpus, client):
    pair = Pair.objects.first()
    assert client.post(f"/admin/collection/pair/{pair.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Pair.objects.filter(pk=pair.pk).exists()
