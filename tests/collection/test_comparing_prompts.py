"""Two versions of prompts side by side: the words that differ, and what writers did under each."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from collection.models import Pair, PromptVersion, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing, submit_writing
from collection.writing.versions import differences, statistics_of
from tests.charted import charts_in, figures_of
from tests.corpora import make_corpus, make_premise
from validation.models import Label
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

GOLD = "/api/v1/corpora/small/figures/prompts-gold"
PAGE = "/c/small/prompts/"
TEXTS = {"entailment": "A" * 10, "neutral": "B" * 20, "contradiction": "C" * 30}


def test_words_are_compared_and_none_is_lost():
    first, second = "Write one  sentence.", "Write two sentences,\nplease."
    found = list(differences(first, second))
    assert found[0] == ("same", "Write ")
    assert "".join(text for kind, text in found if kind != "second") == first
    assert "".join(text for kind, text in found if kind != "first") == second


def write_two_and_skip_one(corpus, writer) -> PromptVersion:
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(3)])
    for number in range(2):
        token = claim_writing(corpus=corpus, annotator=writer).token
        submit_writing(annotator=writer, token=token, texts=TEXTS, key=str(number))
    skip_writing(annotator=writer, token=claim_writing(corpus=corpus, annotator=writer).token)
    return PromptVersion.objects.get()


def next_version(old: PromptVersion) -> PromptVersion:
    return PromptVersion.objects.create(
        prompt=old.prompt, number=2, instructions="Read the text and write.", pay_cents=40, digest="2"
    )


def test_figures_are_those_of_the_version(browser_of, rosa, ana):
    corpus = make_corpus()
    old = write_two_and_skip_one(corpus, ana)
    WritingAssignment.objects.filter(outcome="submitted").update(
        closed_at=F("created_at") + timedelta(minutes=2)
    )
    new = next_version(old)
    figures = statistics_of(old)
    assert (figures.sent, figures.skipped, figures.took) == (2, 1, timedelta(minutes=2))
    assert figures.characters == pytest.approx(20, abs=1)
    assert statistics_of(new).took is None
    page = browser_of(rosa).get(PAGE).content.decode()
    assert "2 min 00 s" in page
    assert "Read the <del>line</del>" in page
    assert "Read the <ins>text</ins>" in page
    turned = browser_of(rosa).get(PAGE, {"first": new.pk, "second": old.pk}).content.decode()
    assert "Read the <del>text</del>" in turned


def test_one_version_says_that_there_is_nothing_to_compare(browser_of, rosa):
    make_corpus()
    assert "nothing to compare yet" in browser_of(rosa).get(PAGE).content.decode()


def test_versions_are_drawn_beside_each_other(browser_of, rosa, ana):
    corpus = make_corpus()
    question = corpus.questions.get()
    old = write_two_and_skip_one(corpus, ana)
    new = next_version(old)
    browser = browser_of(rosa)
    page = browser.get(PAGE)
    assert [each.table.key for each in page.context["charts"]] == ["skipped"]
    assert figures_of(browser, "prompts", "corpora/small") == list(charts_in(page.content).values())
    refused = browser.get("/api/v1/corpora/small/figures/prompts-skipped", {"first": "x"})
    assert refused.status_code == 422
    open_for_validation(question=question, pairs=Pair.objects.all())
    for number, pair in enumerate(Pair.objects.order_by("author_label")):
        seats = Label.objects.filter(pair=pair, label=None)
        seats.update(
            label=pair.author_label if number else "neutral", origin="imported", cast_at=timezone.now()
        )
    page = browser.get(PAGE)
    gold, skipped = (each.table for each in page.context["charts"])
    assert (gold.rows[0]["number"], len(gold.rows)) == (6, 1)
    assert gold.title == (
        f"The share of gold labels that are the author’s is 83.3% for {old}, over 6 pairs with all labels."
    )
    assert (
        skipped.title == f"The share of tasks that are skipped or reported is 33.3% for {old}, over 3 tasks."
    )
    csv = browser.get(GOLD, {"first": new.pk, "second": old.pk, "as": "csv"}).text
    assert csv.splitlines()[0] == "version,number,share,low,high"
