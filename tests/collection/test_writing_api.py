"""Corpora and writing over REST."""

import pytest
from rest_framework.test import APIClient

from accounts.people.consents import give_consent
from collection.models import Corpus, Pair
from collection.premises.writing_seats import make_seats
from tests.cast import ana, rosa, stan, vera, with_token
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

NEXT, SUBMIT = "/api/v1/work/writing/next", "/api/v1/work/writing/submit"
TEXTS = {"entailment": "A dog barks.", "neutral": "It is late.", "contradiction": "All is silent."}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus(max_hypothesis_chars=60)
    make_seats(premises=[make_premise(corpus, "A dog barks at night."), make_premise(corpus, "Rain falls.")])
    return corpus


def submission(client: APIClient, key: str = "one", **texts: str) -> dict:
    given = client.post(NEXT, {"corpus": "small"}).json()
    return {"assignment": given["assignment"], "texts": {**TEXTS, **texts}, "idempotency_key": key}


def test_next_gives_a_premise_with_its_fields(corpus):
    given = with_token(ana()).post(NEXT, {"corpus": "small"}).json()
    assert given["premise"] in (["A dog barks at night."], ["Rain falls."])
    assert [field["label"] for field in given["fields"]] == ["entailment", "contradiction", "neutral"]
    assert (given["genre"], given["max_chars"], given["pay_cents"]) == ("fiction", 60, 30)
    assert given["prompt_version"] == 1


def test_next_again_is_the_same_premise(corpus):
    client = with_token(ana())
    assert submission(client)["assignment"] == submission(client)["assignment"]


def test_submit_saves_and_the_same_again_changes_nothing(corpus):
    client = with_token(ana())
    sent = submission(client)
    first, again = client.post(SUBMIT, sent).json(), client.post(SUBMIT, sent).json()
    assert first == {"pairs": first["pairs"], "surplus": False, "cents": 30, "repeated": False}
    assert set(first["pairs"]) == set(Pair.objects.values_list("public_id", flat=True))
    assert (again["pairs"], again["repeated"]) == (first["pairs"], True)


def test_the_same_key_with_other_texts_is_a_conflict(corpus):
    client = with_token(ana())
    sent = submission(client)
    client.post(SUBMIT, sent)
    answer = client.post(SUBMIT, {**sent, "texts": {**TEXTS, "neutral": "Something else."}})
    assert answer.status_code == 409
    assert answer["Content-Type"].startswith("application/problem+json")


@pytest.mark.parametrize("text", ["", "x" * 61])
def test_a_text_that_will_not_do_names_its_field(corpus, text):
    client = with_token(ana())
    answer = client.post(SUBMIT, submission(client, neutral=text))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["texts.neutral"]
    assert not Pair.objects.exists()


def test_a_missing_and_an_unknown_label_are_named(corpus):
    client = with_token(ana())
    sent = submission(client, perhaps="Perhaps.")
    del sent["texts"]["neutral"]
    answer = client.post(SUBMIT, sent)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"texts.neutral", "texts.perhaps"}


def test_addresses_may_end_in_a_slash(corpus):
    client = with_token(ana())
    sent = submission(client)
    assert client.post(f"{NEXT}/", {"corpus": "small"}).json()["assignment"] == sent["assignment"]
    assert client.post(f"{SUBMIT}/", sent).json()["cents"] == 30


def test_a_missing_key_is_named(corpus):
    client = with_token(ana())
    sent = submission(client)
    del sent["idempotency_key"]
    answer = client.post(SUBMIT, sent)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["idempotency_key"]


def test_somebody_elses_assignment_is_not_found(corpus):
    sent = submission(with_token(ana()))
    assert with_token(vera()).post(SUBMIT, sent).status_code == 404
    assert not Pair.objects.exists()


def test_without_work_there_is_a_reason_and_a_time(corpus):
    client = with_token(ana())
    for key in ("one", "two"):
        client.post(SUBMIT, submission(client, key))
    answer = client.post(NEXT, {"corpus": "small"})
    assert answer.status_code == 200
    assert answer.json() | {"why": "", "retry_after": 1} == {
        "assignment": None,
        "premise": [],
        "fields": [],
        "why": "",
        "retry_after": 1,
    }
    assert answer.json()["why"]
    assert answer.json()["retry_after"] > 0


def test_consent_comes_first():
    corpus = make_corpus(with_consent=True)
    client = with_token(stan())
    refused = client.post(NEXT, {"corpus": "small"})
    assert refused.status_code == 403
    assert f"/consent/{corpus.consent_form_id}/" in refused.json()["detail"]
    give_consent(user=stan(), form=corpus.consent_form)
    assert client.post(NEXT, {"corpus": "small"}).status_code == 200


def test_strangers_and_researchers_do_not_write(corpus):
    assert APIClient().post(NEXT, {"corpus": "small"}).status_code == 401
    assert with_token(rosa()).post(NEXT, {"corpus": "small"}).status_code == 403
    assert with_token(ana()).post(NEXT, {"corpus": "nowhere"}).status_code == 404


def test_corpora_are_listed_by_name_page_by_page(corpus):
    for number in range(100):
        Corpus.objects.create(slug=f"corpus-{number:03}", name="Another", scheme="entailed2")
    client = with_token(ana())
    page = client.get("/api/v1/corpora/").json()
    assert (len(page["results"]), page["results"][0]["slug"]) == (100, "corpus-000")
    rest = client.get(page["next"]).json()
    assert [row["slug"] for row in rest["results"]] == ["small"]
    assert rest["results"][0]["labels"] == ["entailment", "neutral", "contradiction"]


def test_one_corpus_is_described(corpus):
    assert with_token(ana()).get("/api/v1/corpora/small/").json()["name"] == "The small corpus"
    assert with_token(ana()).get("/api/v1/corpora/nowhere/").status_code == 404
    assert APIClient().get("/api/v1/corpora/small/").status_code == 401
