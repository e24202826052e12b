"""Requests for a freeze over REST."""

import pytest

from snapshots.models import Snapshot
from tests.corpora import make_corpus
from tests.jobs.material import work
from tests.made_once import made_once
from tests.snapshots.material import corpus_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
corpus = made_once(corpus_of, 6)


@pytest.fixture
def api(api_of, rosa):
    return api_of(rosa)


def test_it_is_accepted_and_a_worker_does_it(api, corpus, rosa, sent):
    answer = api.post("/api/v1/snapshots/", {"corpus": "small", "seed": 5})
    assert answer.status_code == 202
    told = answer.json()
    assert (told["status"], told["seed"], told["name"]) == ("requested", 5, "small@1")
    assert answer["Location"] == told["url"]
    assert sent == [told["id"]]
    work(Snapshot.objects.get())
    assert api.get(told["url"]).json()["status"] == "frozen"
    assert Snapshot.objects.get().requested_by == rosa


def test_an_unknown_corpus_is_422_with_the_field(api):
    answer = api.post("/api/v1/snapshots/", {"corpus": "nowhere"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"corpus": ["There is no corpus nowhere."]}


def test_a_second_one_is_409(api, corpus, sent):
    api.post("/api/v1/snapshots/", {"corpus": "small"})
    answer = api.post("/api/v1/snapshots/", {"corpus": "small"})
    assert answer.status_code == 409
    assert "A freeze of small is under way" in answer.json()["detail"]
    assert len(sent) == 1


def test_an_empty_corpus_is_409(api):
    make_corpus(slug="empty")
    assert api.post("/api/v1/snapshots/", {"corpus": "empty"}).status_code == 409


def test_a_hold_out_that_cannot_be_is_422_with_the_field(api, corpus):
    answer = api.post("/api/v1/snapshots/", {"corpus": "small", "dev_from_train": 3})
    assert answer.status_code == 422
    assert "no published train partition" in answer.json()["errors"]["dev_from_train"][0]


@pytest.mark.parametrize("seed", ["x", 2**31, None])
def test_a_seed_that_is_none_is_422(api, corpus, seed):
    answer = api.post("/api/v1/snapshots/", {"corpus": "small", "seed": seed})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["seed"])


def test_annotators_may_not_freeze(api_of, ana, corpus):
    assert api_of(ana).post("/api/v1/snapshots/", {"corpus": "small"}).status_code == 403
    assert not Snapshot.objects.exists()
