"""Start page, labelling and REST make as many queries with eight pairs as with thirty."""

import itertools

import pytest
from django.test import Client
from rest_framework.test import APIClient

from collection.models import Corpus, Pair, PromptVersion
from collection.premises.writing_seats import make_seats
from tests.cast import ana, signed_in, vera
from tests.corpora import make_corpus, make_pair, make_premise
from tests.query_counts import query_count
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

TEXTS = {"entailment": "A dog barks.", "neutral": "It is late.", "contradiction": "All is silent."}


@pytest.fixture(params=[8, 30])
def corpus(request) -> Corpus:
    """Makes this number of premises to write for, and as many pairs by Ana to label."""
    corpus = make_corpus()
    premises = [make_premise(corpus, f"Premise {number}.") for number in range(request.param)]
    make_seats(premises=premises)
    for premise in premises:
        make_pair(corpus, premise, f"About {premise.text}", author=ana(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


@pytest.fixture
def client(corpus) -> Client:
    """Returns the browser of Vera, who has read all instructions."""
    client = signed_in(vera())
    client.post(f"/work/writing/small/prompt/{PromptVersion.objects.get().pk}/")
    client.post("/work/validation/small/instructions/")
    return client


def writing(client: Client) -> dict[str, str]:
    form = client.get("/work/writing/small/").context["form"]
    texts = {f"text-{label}": text for label, text in TEXTS.items()}
    return {"token": form["token"].value(), "key": form["key"].value(), **texts}


def labelling(client: Client) -> dict[str, str]:
    page = client.get("/work/validation/small/")
    batch = page.context["batch"]
    labels = {f"label-{item.seat.token}": "neutral" for item in batch.items}
    return {"assignment": batch.assignment.token, "key": page.context["key"], **labels}


def test_queries_of_the_start_page(client):
    with query_count("start"):
        client.get("/start/")


def test_queries_of_labelling(client):
    with query_count("labelling, the first batch"):
        client.get("/work/validation/small/")
    with query_count("labelling, the same batch again"):
        client.get("/work/validation/small/")
    sent = labelling(client)
    with query_count("labelling, send"):
        client.post("/work/validation/small/", sent)


def test_queries_of_labelling_on_one_page(client):
    sent = labelling(client)
    # With eight pairs, too few seats are beyond the cursor for a batch: the claim searches from the first turn, twice.
    few = ", which are the last" if Pair.objects.count() == 8 else ""
    with query_count(f"labelling, send and get the next{few}"):
        client.post("/work/validation/small/", sent, headers={"HX-Request": "true"})


def test_the_pairs_of_a_batch_are_filled_into_one_rendered_template(client):
    """Rendering each of them took a third of the function calls of a request."""
    sent = labelling(client)
    page = client.post("/work/validation/small/", sent, headers={"HX-Request": "true"})
    assert len(page.context["batch"].items) > 2
    assert [template.name.rpartition("/")[2] for template in page.templates] == [
        "_next_batch.html",
        "_batch.html",
    ]


def test_queries_of_my_work(client):
    client.post("/work/writing/small/", writing(client))
    client.post("/work/validation/small/", labelling(client))
    with query_count("my work, after writing and labelling"):
        client.get("/work/mine/")


def test_queries_of_rest(corpus):
    client = APIClient()
    client.force_authenticate(vera())
    keys = (str(number) for number in itertools.count())
    with query_count("REST, writing/next"):
        task = client.post("/api/v1/work/writing/next", {"corpus": "small"}).json()
    with query_count("REST, writing/submit"):
        sent = {"assignment": task["assignment"], "texts": TEXTS, "idempotency_key": next(keys)}
        assert client.post("/api/v1/work/writing/submit", sent).status_code == 200
    with query_count("REST, validation/next"):
        batch = client.post("/api/v1/work/validation/next", {"corpus": "small"}).json()
    with query_count("REST, validation/submit"):
        labels = {pair["slot"]: "neutral" for pair in batch["pairs"]}
        sent = {"assignment": batch["assignment"], "labels": labels, "idempotency_key": next(keys)}
        assert client.post("/api/v1/work/validation/submit", sent).status_code == 200
