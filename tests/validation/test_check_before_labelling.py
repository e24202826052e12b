"""If a question has a check, annotators pass it once, on any device, before their first batch."""

import pytest
from django.test import Client

from collection.models import Corpus, Pair
from tests.cast import ana, signed_in, vera
from tests.corpora import make_corpus, make_pair, make_premise
from validation.errors import CheckFirst
from validation.labelling.claiming import claim_batch
from validation.labelling.instructions import read_instructions
from validation.models import Question, QuestionCheck, QuestionReading
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

PAGE, READ = "/work/validation/small/", "/work/validation/small/instructions/"
NEXT = "/api/v1/work/validation/next"
RIGHT = {"agree": "yes", "check-0": "entailment", "check-1": "contradiction"}


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
    return signed_in(vera())


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
    assert client.post(READ, RIGHT).url == PAGE
    assert client.get(PAGE).status_code == 200
    again = client.get(READ).content.decode()
    assert "short questions" not in again
    assert "Back to judging" in again
    assert client.post(READ, {"agree": "yes"}).url == PAGE


def test_it_is_asked_once_whatever_the_device(client):
    client.post(READ, {"agree": "yes", "check-0": "neutral", "check-1": "neutral"})
    client.post(READ, RIGHT)
    reading = QuestionReading.objects.get()
    assert (reading.tries, reading.annotator) == (2, vera())
    assert reading.passed_at is not None
    phone = signed_in(vera())
    assert phone.get(PAGE).status_code == 200
    assert "short questions" not in phone.get(READ).content.decode()


def test_it_is_asked_once_where_nothing_is_checked_too(client):
    QuestionCheck.objects.all().delete()
    assert client.get(PAGE).url.startswith(READ)
    client.post(READ, {"agree": "yes"})
    phone = signed_in(vera())
    assert phone.get(PAGE).status_code == 200


def test_rest_asks_the_same_and_says_where(client):
    answer = client.post(NEXT, {"corpus": "small"}, content_type="application/json")
    assert answer.status_code == 403
    assert answer.json()["detail"].endswith("http://testserver" + READ)
    client.post(READ, RIGHT)
    answer = client.post(NEXT, {"corpus": "small"}, content_type="application/json")
    assert len(answer.json()["pairs"]) == 1


def test_the_rule_holds_for_every_way_in(client):
    question = Question.objects.get()
    with pytest.raises(CheckFirst):
        claim_batch(question=question, annotator=vera())
    assert read_instructions(question=question, annotator=vera(), answers={0: "entailment"})
    with pytest.raises(CheckFirst):
        claim_batch(question=question, annotator=vera())
    right = {0: "entailment", 1: "contradiction"}
    assert read_instructions(question=question, annotator=vera(), answers=right) == []
    assert claim_batch(question=question, annotator=vera()).items


def test_who_began_before_there_was_a_check_goes_on(client):
    checks = list(QuestionCheck.objects.all())
    QuestionCheck.objects.all().delete()
    client.post(READ, {"agree": "yes"})
    client.get(PAGE)
    QuestionReading.objects.all().delete()
    QuestionCheck.objects.bulk_create(checks)
    other = signed_in(vera())
    assert other.get(PAGE).status_code == 200
    assert other.post(NEXT, {"corpus": "small"}, content_type="application/json").status_code == 200
