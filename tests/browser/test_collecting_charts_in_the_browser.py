"""Charts of collecting in Chromium: premises, texts by day, versions of prompts, and the funnel of a link."""

import pytest

from collection.models import PromptVersion, Visit
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.browser.looks import LOOKS
from tests.browser.test_charts_in_the_browser import look_at
from tests.corpora import make_corpus, make_link, make_premise

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.mark.thorough
@LOOKS
def test_the_pages_of_collecting(live_server, watched, rosa, ana, look):
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(4)])
    token = claim_writing(corpus=corpus, annotator=ana).token
    submit_writing(annotator=ana, token=token, texts=TEXTS, key="one")
    old = PromptVersion.objects.get()
    PromptVersion.objects.create(
        prompt=old.prompt, number=2, instructions="Read and write.", pay_cents=40, digest="2"
    )
    link = make_link(corpus, tasks_wanted=2)
    Visit.objects.create(link=link, user=ana, session="x")
    page = watched(rosa, **look)
    for address in ("premises", "texts", "prompts", f"links/{link.pk}"):
        look_at(page, f"/c/small/{address}/")
