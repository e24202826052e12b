"""axe finds nothing serious on the pages that everybody uses, in light and in dark, on desk and phone."""

import pytest

from collection.models import CheckQuestion, PilotWriter
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from collection.writing.submitting import skip_writing, submit_writing
from tests.browser.labelling import press, with_standing_clock
from tests.browser.looks import LOOKS, complaints, width_of
from tests.browser.site import make_site
from tests.corpora import LABELS


@pytest.mark.thorough
@LOOKS
def test_nothing_serious_on_the_way_to_the_first_task(live_server, watched, vera, look):
    make_site()
    visitor = watched(None, **look)
    visitor.goto("/")
    found = complaints(visitor, "home")
    visitor.goto("/sign-in/")
    found += complaints(visitor, "sign-in")

    page = watched(vera, **look)
    page.goto("/start/")
    found += complaints(page, "start")
    page.goto("/work/writing/small/")
    found += complaints(page, "consent")
    page.get_by_role("button", name="I agree").click()
    found += complaints(page, "prompt")
    page.get_by_role("button", name="Start writing").click()
    found += complaints(page, "writing")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Nothing is lost").wait_for()
    found += complaints(page, "writing, wrong")
    assert found == []


@pytest.mark.thorough
@LOOKS
def test_nothing_serious_on_the_pages_about_oneself(live_server, watched, ana, look):
    page = watched(ana, **look)
    page.goto("/mine/")
    found = complaints(page, "/mine/")
    for address in ("/mine/password/", "/mine/erase/"):
        page.goto(address)
        found += complaints(page, address)
        page.locator("main form button").click()
        found += complaints(page, f"{address}, nothing filled in")
    assert found == []


@LOOKS
def test_nothing_serious_while_labelling_and_after(live_server, watched, vera, look):
    make_site(vera)
    page = with_standing_clock(watched(vera, **look))
    page.goto("/work/validation/small/")
    found = complaints(page, "instructions")
    page.get_by_role("button", name="Start judging").click()
    page.locator("#dots").wait_for()
    found += complaints(page, "labelling")
    page.get_by_text("Settings", exact=True).click()
    found += complaints(page, "labelling, settings")
    page.get_by_text("Settings", exact=True).click()
    press(page, "11111")
    page.get_by_role("heading", name="Your answers").wait_for()
    found += complaints(page, "before sending")
    page.keyboard.press("Enter")
    page.get_by_text("Your answers are saved").wait_for()
    found += complaints(page, "saved")
    for address in ("/work/mine/", "/mine/"):
        page.goto(address)
        found += complaints(page, address)
    assert found == []


@pytest.mark.thorough
@LOOKS
def test_nothing_serious_on_the_pages_about_writing(live_server, watched, vera, rosa, look):
    corpus = make_site(vera)
    version = corpus.prompts.get().versions.get()
    CheckQuestion.objects.create(
        version=version,
        order=0,
        premise="It rains.",
        hypothesis="It is wet.",
        label="neutral",
        explanation="No.",
    )
    type(version).objects.update(care="Some texts are sad.", skip_pay_cents=10)
    page = watched(vera, **look)
    page.goto("/work/writing/small/")
    found = complaints(page, "check")
    page.locator(".check button").nth(0).click()
    page.get_by_text("Not right yet.").wait_for()
    found += complaints(page, "check, wrong")
    read_prompt(annotator=vera, version=version, answers={0: "neutral"})
    for end in ("problem", "submit"):
        token = claim_writing(corpus=corpus, annotator=vera).token
        if end == "problem":
            skip_writing(annotator=vera, token=token, problem="A word is missing.")
        else:
            submit_writing(
                annotator=vera,
                token=token,
                texts={label: f"It is {label} here." for label in LABELS},
                key=token,
            )
    page.goto("/work/writing/small/")
    found += complaints(page, "writing with care")
    corpus.prompts.update(status="pilot")
    PilotWriter.objects.create(prompt=corpus.prompts.get(), annotator=vera)
    for address in ("/work/mine/writing/", "/work/reports/"):
        page.goto(address)
        found += complaints(page, address)
    page = watched(rosa, **look)
    for name in ("reports", "advice", "pilots", "pilots/fiction"):
        page.goto(f"/corpora/small/{name}/")
        assert width_of(page) <= page.evaluate("innerWidth"), name
        found += complaints(page, name)
    assert found == []
