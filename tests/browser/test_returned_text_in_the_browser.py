"""A sentence that came back, in a real browser: it is mended or declined, on a phone and on a desk; axe on each state."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from collection.models import Corpus, Pair, ReturnedText
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.browser.waiting import wait_until
from tests.cast import PASSWORD, rosa
from validation.pairs.returning import return_text

TEXTS = {"entailment": "It is so.", "neutral": "It may be so.", "contradiction": "It is not so."}


@pytest.fixture
def corpus(live_server, ana) -> Corpus:
    """Makes a site to whose writer Ana a sentence came back."""
    corpus = make_site(ana)
    task = claim_writing(corpus=corpus, annotator=ana)
    submit_writing(annotator=ana, token=task.token, texts=TEXTS, key="k")
    pair = Pair.objects.get(assignment=task, author_label="neutral")
    return_text(pair=pair, remark="It fits every text.\nSay something of this one.", by=rosa())
    return corpus


def in_view(place) -> bool:
    return place.evaluate(
        "element => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    )


@pytest.mark.thorough
@LOOKS
def test_a_sentence_that_came_back_is_mended(corpus, watched, ana, look):
    page = watched(ana, **look)
    page.goto("/start/")
    page.get_by_role("link", name="Please improve this sentence").click()
    expect(page.get_by_text("It fits every text.")).to_be_visible()
    found = complaints(page, "returned")
    field = page.get_by_role("textbox", name="Your sentence: Maybe correct")
    expect(field).to_have_value("It may be so.")
    page.get_by_role("button", name="Send").click()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description("This is the sentence as it was. Please change it.")
    error = page.get_by_role("alert").filter(has_text="Please change it.")
    assert in_view(field)
    assert in_view(error)
    assert no_sideways_scroll(page)
    found += complaints(page, "the same sentence again")
    field.fill("The band may play tomorrow.")
    page.get_by_role("button", name="Send").dblclick()
    expect(page.get_by_text("Your new sentence is saved.").first).to_be_visible()
    assert ReturnedText.objects.get().mended.hypothesis == "The band may play tomorrow."
    assert found == []


def test_declining_takes_two_presses(corpus, watched, ana):
    page = watched(ana)
    page.goto(f"/work/mine/returned/{ReturnedText.objects.get().pk}/")
    decline = page.get_by_role("button", name="Do not use this sentence")
    expect(decline).to_be_hidden()
    page.get_by_text("I do not want to change it").click()
    expect(page.get_by_text("You cannot change this later.")).to_be_visible()
    decline.click()
    wait_until(page, lambda: ReturnedText.objects.get().outcome == "declined")


@pytest.mark.thorough
def test_what_was_typed_outlives_the_sign_in_and_a_closed_tab(corpus, watched, ana):
    page = watched(ana)
    address = f"/work/mine/returned/{ReturnedText.objects.get().pk}/"
    page.goto(address)
    page.get_by_role("textbox").fill("The band may play")
    page.goto("/start/")
    page.goto(address)
    field = page.get_by_role("textbox")
    expect(field).to_have_value("The band may play")
    field.fill("The band may play tomorrow.")
    Session.objects.all().delete()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("textbox", name="Text 1")).to_have_value("The band may play tomorrow.")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Sign in and go on").click()
    again = opened.value
    again.get_by_label("User name").fill("ana")
    again.get_by_label("Password").fill(PASSWORD)
    again.get_by_role("button", name="Sign in").click()
    expect(again.get_by_role("textbox", name="Your sentence")).to_have_value("The band may play tomorrow.")
    again.get_by_role("button", name="Send").click()
    expect(again.get_by_text("Your new sentence is saved.").first).to_be_visible()
    again.wait_for_function("Object.keys(localStorage).length === 0")
