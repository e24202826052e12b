"""The number of queries of the writer's pages, which does not grow with the corpus."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from accounts.people.consents import give_consent
from collection.models import Corpus, PromptVersion
from collection.premises.writing_seats import make_seats
from tests.corpora import make_corpus, make_premise
from tests.query_counts import query_count

PAGE = "/work/writing/small/"
TEXTS = {"text-entailment": "It is.", "text-neutral": "It may be.", "text-contradiction": "It is not."}


@pytest.fixture
def client(ana: User, browser_of: Callable[[User], Client]) -> Client:
    """Returns the browser of Ana, who consented, read the prompt, and wrote for two of five premises."""
    corpus = make_corpus(with_consent=True)
    make_seats(premises=[make_premise(corpus, f"This is text number {number}.") for number in range(5)])
    assert corpus.consent_form is not None
    give_consent(user=ana, form=corpus.consent_form)
    client = browser_of(ana)
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    for _ in range(2):
        client.post(PAGE, {**task(client), **TEXTS})
    client.get(PAGE)
    return client


def task(client: Client) -> dict[str, str]:
    form = client.get(PAGE).context["form"]
    return {"token": form["token"].value(), "key": form["key"].value()}


def test_the_page_with_the_premise_in_hand(client):
    with query_count("writing, the premise in hand"):
        assert client.get(PAGE).status_code == 200


def test_the_page_with_a_new_premise(client):
    client.post(f"{PAGE}skip/", task(client))
    with query_count("writing, a new premise"):
        assert client.get(PAGE).status_code == 200


def test_sending_three_sentences(client):
    sent = {**task(client), **TEXTS}
    with query_count("writing, three sentences sent"):
        assert client.post(PAGE, sent).status_code == 302


def test_sending_what_needs_a_change(client):
    sent = {**task(client), **TEXTS, "text-neutral": ""}
    with query_count("writing, something needs a change"):
        assert client.post(PAGE, sent).status_code == 422


def test_skipping(client):
    sent = task(client)
    with query_count("writing, skipped"):
        assert client.post(f"{PAGE}skip/", sent).status_code == 302


def test_nothing_to_write(client):
    Corpus.objects.get().premises.update(status="paused")
    client.post(f"{PAGE}skip/", task(client))
    with query_count("writing, nothing to write"):
        assert client.get(PAGE).status_code == 200


def test_the_prompt(client):
    with query_count("prompt"):
        assert client.get(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/").status_code == 200


def test_what_i_did_by_day(client):
    with query_count("my work"):
        assert client.get("/work/mine/").status_code == 200
