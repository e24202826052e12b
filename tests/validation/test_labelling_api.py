"""Labelling over REST: the same actions as the pages', with errors that name the field."""

import json
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.people.consents import give_consent
from tests.cast import ana, rosa, stan, vera, with_token
from tests.corpora import make_corpus
from tests.made_once import made_once
from tests.open_pairs import open_pairs
from validation.models import Label
from validation.pairs.api import PairLabelSerializer, PairSerializer

pytestmark = pytest.mark.django_db

NEXT, SUBMIT = "/api/v1/work/validation/next", "/api/v1/work/validation/submit"


corpus = made_once(partial(open_pairs, 7))


def batch(client: APIClient) -> dict:
    answer = client.post(NEXT, {"corpus": "small"})
    assert answer.status_code == 200, answer.data
    return answer.json()


def submission(given: dict, label: str = "neutral", key: str = "one") -> dict:
    labels = {pair["slot"]: label for pair in given["pairs"]}
    return {"assignment": given["assignment"], "labels": labels, "idempotency_key": key}


def test_next_gives_five_pairs_and_nothing_that_tells(corpus):
    given = batch(with_token(vera()))
    assert set(given) == {"assignment", "leased_until", "pairs", "labels"}
    assert given["labels"] == ["entailment", "neutral", "contradiction"]
    assert len(given["pairs"]) == 5
    assert set(given["pairs"][0]) == {"slot", "premise", "hypothesis"}
    assert isinstance(given["pairs"][0]["premise"], list)


def test_next_again_is_the_same_batch(corpus):
    client = with_token(vera())
    assert batch(client)["assignment"] == batch(client)["assignment"]


def test_submit_saves_and_the_same_again_changes_nothing(corpus):
    client = with_token(vera())
    sent = submission(batch(client))
    first, again = client.post(SUBMIT, sent).json(), client.post(SUBMIT, sent).json()
    assert (first["saved"], first["closed"], first["cents"]) == (5, True, 25)
    assert again["repeated"]
    assert Label.objects.filter(annotator=vera(), label="neutral").count() == 5


def test_the_same_key_with_other_content_is_a_conflict(corpus):
    client = with_token(vera())
    given = batch(client)
    client.post(SUBMIT, submission(given))
    answer = client.post(SUBMIT, submission(given, label="entailment"))
    assert answer.status_code == 409
    assert answer["Content-Type"].startswith("application/problem+json")
    assert not Label.objects.filter(label="entailment").exists()


def test_a_part_of_the_batch_will_do(corpus):
    client = with_token(vera())
    sent = submission(batch(client))
    slot, label = sent["labels"].popitem()
    assert client.post(SUBMIT, sent).json()["left"] == 1
    rest = {**sent, "labels": {slot: label}, "idempotency_key": "two"}
    assert client.post(SUBMIT, rest).json() | {"cents": 5} == {
        **{"saved": 1, "surplus": 0, "left": 0, "cents": 5},
        **{"repeated": False, "closed": True},
    }


def test_a_label_outside_the_scheme_names_its_slot(corpus):
    client = with_token(vera())
    sent = submission(batch(client))
    slot = next(iter(sent["labels"]))
    answer = client.post(SUBMIT, {**sent, "labels": {**sent["labels"], slot: "maybe"}})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [f"labels.{slot}"]
    assert not Label.objects.filter(annotator=vera(), label__isnull=False).exists()


def test_a_slot_that_was_not_handed_out_is_named(corpus):
    client = with_token(vera())
    sent = submission(batch(client))
    foreign = Label.objects.open().filter(annotator=None).first().token
    answer = client.post(SUBMIT, {**sent, "labels": {foreign: "neutral"}})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [f"labels.{foreign}"]


def test_somebody_elses_assignment_is_not_found(corpus):
    sent = submission(batch(with_token(vera())))
    assert with_token(stan()).post(SUBMIT, sent).status_code == 404


def test_a_missing_field_is_named(corpus):
    answer = with_token(vera()).post(SUBMIT, {"assignment": "x"})
    assert answer.status_code == 422
    assert "idempotency_key" in answer.json()["errors"]


def test_an_unknown_corpus_is_not_found(corpus):
    assert with_token(vera()).post(NEXT, {"corpus": "nowhere"}).status_code == 404


def test_without_work_there_are_no_pairs_but_a_reason(corpus):
    answer = with_token(ana()).post(NEXT, {"corpus": "small"}).json()
    assert (answer["pairs"], answer["assignment"]) == ([], None)
    assert answer["why"]
    assert answer["retry_after"] > 0


def test_consent_comes_first():
    corpus = make_corpus(with_consent=True)
    client = with_token(vera())
    assert client.post(NEXT, {"corpus": "small"}).status_code == 403
    give_consent(user=vera(), form=corpus.consent_form)
    assert client.post(NEXT, {"corpus": "small"}).status_code == 200


def test_strangers_and_researchers_do_not_label(corpus):
    assert APIClient().post(NEXT, {"corpus": "small"}).status_code == 401
    assert with_token(rosa()).post(NEXT, {"corpus": "small"}).status_code == 403


def test_pairs_come_page_by_page_with_their_gold_labels(corpus):
    client = with_token(rosa())
    page = client.get("/api/v1/corpora/small/pairs/?page_size=4").json()
    assert len(page["results"]) == 4
    rest = client.get(page["next"]).json()
    assert (len(rest["results"]), rest["next"]) == (3, None)
    row = page["results"][0]
    assert (row["gold_label"], row["gold_source"], row["author"]) == ("neutral", "author", ana().code)
    assert [label["position"] for label in row["labels"]] == [1]


def test_all_pairs_come_as_lines_in_one_answer(corpus, monkeypatch):
    """The rows of all pages, in portions: each takes the same number of queries, and no row comes twice."""
    monkeypatch.setattr("validation.pairs.listing.LINES_AT_ONCE", 3)
    client = with_token(rosa())
    with CaptureQueriesContext(connection) as captured:
        answer = client.get("/api/v1/corpora/small/pairs/?as=jsonl")
        lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    counting = [query["sql"] for query in captured if "validation_gold" in query["sql"]]
    assert len(counting) == 3  # of three pairs, three, and one
    assert answer["Content-Type"] == "application/x-ndjson"
    assert lines == client.get("/api/v1/corpora/small/pairs/").json()["results"]
    assert len(lines) == 7
    assert set(lines[0]) == set(PairSerializer().fields)
    assert set(lines[0]["labels"][0]) == set(PairLabelSerializer().fields)
    of_genre = client.get("/api/v1/corpora/small/pairs/?as=jsonl&genre=fiction")
    assert len(b"".join(of_genre.streaming_content).splitlines()) == 7
    assert client.get("/api/v1/corpora/small/pairs/?as=jsonl&genre=poetry").status_code == 422


def test_pairs_are_for_researchers_alone(corpus):
    assert with_token(vera()).get("/api/v1/corpora/small/pairs/").status_code == 403
    assert with_token(vera()).get("/api/v1/corpora/small/agreement/").status_code == 403


def test_an_unknown_genre_lists_the_known_ones(corpus):
    answer = with_token(rosa()).get("/api/v1/corpora/small/pairs/?genre=poetry")
    assert answer.status_code == 422
    assert "fiction" in answer.json()["detail"]


def test_agreement_says_what_the_command_says(corpus):
    answer = with_token(rosa()).get("/api/v1/corpora/small/agreement/?by=genre").json()
    assert (answer["corpus"], answer["pairs"], answer["pairs_with_all_labels"]) == ("small", 7, 0)
    assert answer["by_genre"]["fiction"]["pairs"] == 7


def test_a_submission_can_bring_the_next_batch_along(corpus):
    client = with_token(vera())
    first = batch(client)
    answer = client.post(SUBMIT, submission(first) | {"next": True}).json()
    assert (answer["saved"], answer["closed"]) == (5, True)
    assert {pair["slot"] for pair in answer["next"]["pairs"]}.isdisjoint(
        pair["slot"] for pair in first["pairs"]
    )
    assert len(answer["next"]["pairs"]) == 2
    again = client.post(SUBMIT, submission(first) | {"next": True}).json()
    assert (again["repeated"], again["next"]["assignment"]) == (True, answer["next"]["assignment"])
    last = client.post(SUBMIT, submission(answer["next"], key="two") | {"next": True}).json()
    assert (last["saved"], last["next"]["pairs"]) == (2, [])
    assert last["next"]["why"]
