"""If a corpus allows declared help of language models, the page asks for it and stores the answer."""

import pytest

from collection.models import WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from tests.corpora import LABELS, make_corpus, make_premise

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("policy", "asked"), [("forbidden", False), ("declared", True), ("allowed", False)])
def test_where_help_is_to_be_declared_the_page_asks_and_keeps_it(browser_of, ana, policy, asked):
    corpus = make_corpus(language_models=policy)
    make_seats(premises=[make_premise(corpus, "A dog runs along the beach.")])
    token = claim_writing(corpus=corpus, annotator=ana).token
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    client = browser_of(ana)
    assert ("A language model helped me" in client.get("/work/writing/small/").content.decode()) is asked
    texts = {f"text-{label}": f"It is {label} that a dog is there." for label in LABELS}
    client.post("/work/writing/small/", {"token": token, "key": token, "model_helped": "on", **texts})
    sent = WritingAssignment.objects.get(token=token)
    assert (sent.outcome, sent.model_helped) == ("submitted", asked)


def test_a_program_says_it_too(api_of, ana):
    corpus = make_corpus(language_models="declared")
    make_seats(premises=[make_premise(corpus, "A dog runs along the beach.")])
    token = claim_writing(corpus=corpus, annotator=ana).token
    texts = {label: f"It is {label} that a dog is there." for label in LABELS}
    sent = {"assignment": token, "texts": texts, "idempotency_key": "1", "model_helped": True}
    assert api_of(ana).post("/api/v1/work/writing/submit/", sent).status_code == 200
    assert WritingAssignment.objects.get(token=token).model_helped
