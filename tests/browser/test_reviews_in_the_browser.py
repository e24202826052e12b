"""Reviews in a real browser: a researcher judges by keyboard, the writer reads on a phone; axe on each page."""

import pytest
from playwright.sync_api import expect

from accounts.models import User
from collection.models import Corpus, Level, Prompt, PromptVersion, Review
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from collection.writing.submitting import submit_writing
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.cast import rosa

TEXTS = {
    "entailment": "Somebody is there who does something.",
    "neutral": "The boats may stay in the harbour until Monday.",
    "contradiction": "Nobody is there.",
}


@pytest.fixture
def corpus(live_server, ana) -> Corpus:
    """Makes a site whose writer Ana has sent three sentences, all of which are drawn."""
    corpus = make_site(ana)
    Prompt.objects.update(review_percent=100)
    PromptVersion.objects.update(feedback=True)
    for order, (name, rises) in enumerate((("Learner", 80), ("Writer", 0))):
        Level.objects.create(
            corpus=corpus,
            order=order,
            slug=name.lower(),
            name=name,
            of=10,
            rises_from=rises,
            pay_cents=5 * order,
        )
    read_prompt(annotator=ana, version=PromptVersion.objects.get(), answers={})
    write(corpus, ana)
    return corpus


def write(corpus: Corpus, writer: User) -> None:
    task = claim_writing(corpus=corpus, annotator=writer)
    submit_writing(annotator=writer, token=task.token, texts=TEXTS, key=task.token)


@LOOKS
def test_sentences_are_judged_by_keyboard(corpus, watched, look):
    page = watched(rosa(), **look)
    page.goto("/c/small/reviews/")
    found = complaints(page, "reviews")
    page.get_by_role("link", name="Review sentences").click()
    found += complaints(page, "review")
    expect(page.get_by_text("3 wait.")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 wait.")).to_be_visible()
    page.keyboard.press("7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Say in a remark what is wrong with the sentence.")
    page.keyboard.press("3")
    page.keyboard.press("Tab")
    page.keyboard.type("“Nobody” alone tells the answer.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 waits.")).to_be_visible()
    assert no_sideways_scroll(page)
    said = Review.objects.judged().order_by("pk").values_list("verdict", "remark")
    assert list(said) == [("fine", ""), ("giveaway", "“Nobody” alone tells the answer.")]
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="What the reviews say").click()
    found += complaints(page, "what reviews say")
    assert found == []


@LOOKS
def test_the_writer_reads_it_before_the_next_text(corpus, watched, ana, look):
    Review.objects.filter(pair__author_label="neutral").update(
        verdict="giveaway",
        remark="“May” alone tells the answer.",
        judged_by=rosa(),
        judged_at="2026-11-28T00:00Z",
    )
    Review.objects.filter(pair__author_label="entailment").update(
        verdict="fine", judged_by=rosa(), judged_at="2026-11-28T00:00Z"
    )
    page = watched(ana, **look)
    page.goto("/work/writing/small/")
    expect(page.get_by_role("heading", name="What the researchers say")).to_be_visible()
    expect(page.get_by_text("“May” alone tells the answer.")).to_be_visible()
    expect(page.get_by_text("With 8 good sentences of 10 you rise.")).to_be_visible()
    assert no_sideways_scroll(page)
    found = complaints(page, "remarks")
    page.get_by_role("button", name="I have read this. Go on").dblclick()
    expect(page.get_by_role("heading", name="Write three sentences")).to_be_visible()
    assert not Review.objects.unread(ana).exists()
    assert found == []
