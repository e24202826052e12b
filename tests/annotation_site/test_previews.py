"""Researchers see the pages of writers and annotators: nothing is claimed, and the browser may send nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import WritingAssignment, WritingSeat
from tests.addresses import sample_site, writes
from tests.browser.site import make_site
from tests.corpora import make_corpus
from validation.models import Assignment

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/c/small/preview/writing/", "A street musician plays the accordion"),
        ("/c/small/preview/labelling/", "Hypothesis 0."),
    ],
)
def test_a_preview_shows_the_real_page_and_writes_nothing(browser_of, rosa, address, words):
    make_site()
    client = browser_of(rosa)
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(address)
    page = answer.content.decode()
    assert words in page
    assert "This is a preview" in page
    assert "form-action 'none'" in answer["Content-Security-Policy"]
    assert (answer.context.get("seconds_left") or 1) > 0, "the time of a task has just begun"
    assert "connect-src 'none'" in answer["Content-Security-Policy"]
    assert writes(asked) == []
    assert not WritingAssignment.objects.exists()
    assert not Assignment.objects.exists()
    assert not WritingSeat.objects.exclude(annotator=None).exists()


def test_a_corpus_without_premises_or_pairs_has_nothing_to_show(browser_of, rosa):
    make_corpus()
    client = browser_of(rosa)
    assert client.get("/c/small/preview/writing/").status_code == 404
    assert client.get("/c/small/preview/labelling/").status_code == 404


@pytest.mark.parametrize(
    ("place", "words"), [("instructions", "How to judge"), ("exam/writing", "Question 1 of 1")]
)
def test_instructions_and_exams_have_previews(browser_of, rosa, place, words):
    """Settings leads to each of them, and the labelling page to its instructions."""
    site = sample_site()
    browser = browser_of(rosa)
    address = f"/c/{site.corpus.slug}/preview/{place}/"
    answer = browser.get(address)
    page = answer.content.decode()
    assert words in page
    assert "This is a preview" in page
    assert "form-action 'none'" in answer["Content-Security-Policy"]
    assert address in browser.get(f"/c/{site.corpus.slug}/settings/").content.decode()


def test_no_link_of_a_preview_leads_to_a_page_for_annotators(browser_of, rosa):
    make_site()
    browser = browser_of(rosa)
    writing = browser.get("/c/small/preview/writing/").content.decode()
    assert "Other work" not in writing
    labelling = browser.get("/c/small/preview/labelling/").content.decode()
    assert "/c/small/preview/instructions/" in labelling
    assert "/work/validation/small/instructions/" not in labelling
