"""Where a question has a check, the first batch comes after its answers are right."""

import pytest
from django.test import Client

from collection.models import Corpus, Pair
from tests.cast import ana, vera
from tests.corpora import make_corpus, make_pair, make_premise
from validation.actions import open_for_validation
from validation.models import QuestionCheck

pytestmark = pytest.mark.django_db

PAGE, READ = "/work/validation/small/", "/work/validation/small/instructions/"


@pytest.fixture
def client() -> Client:
    corpus: Corpus = make_corpus()
    premise = make_premise(corpus, "A dog barks.")
    make_pair(corpus, premise, "It is loud.", author=ana(), author_label="neutral")
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    for order, label in enumerate(("entailment", "contradiction")):
        QuestionCheck.objects.create(
            question=question,
            order=order,
            premise="A cat sleeps.\nIt is night.",
            hypothesis=f"Sentence {order}.",
            label=label,
            explanation=f"Because it is so, {order}.",
        )
    client = Client()
    client.force_login(vera())
    return client


def test_the_page_asks_in_the_words_of_the_corpus(client):
    page = client.get(READ).content.decode()
    assert "A few short questions" in page
    assert "A cat sleeps.<br>It is night." in page
    assert page.count("Definitely incorrect") == 3  # among the answers, and once for each question
    assert "Because it is so" not in page


def test_wrong_and_missing_answers_are_explained_and_the_way_stays_closed(client):
    answer = client.post(READ, {"agree": "yes", "check-0": "entailment", "check-1": "neutral"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Because it is so, 1." in page
    assert "Because it is so, 0." not in page
    assert page.count("data-wrong") == 1
    assert client.post(READ, {"agree": "yes"}).content.decode().count("Please choose one.") == 2
    assert client.get(PAGE).status_code == 302


def test_right_answers_open_the_first_batch_and_are_asked_for_once(client):
    right = {"agree": "yes", "check-0": "entailment", "check-1": "contradiction"}
    assert client.post(READ, right).url == PAGE
    assert client.get(PAGE).status_code == 200
    again = client.get(READ).content.decode()
    assert "short questions" not in again
    assert "Back to labelling" in again
    assert client.post(READ, {"agree": "yes"}).url == PAGE
