"""axe finds nothing serious on the pages that everybody uses, in light and in dark, on desk and phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from collection.models import CheckQuestion, PilotWriter
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from collection.writing.submitting import skip_writing, submit_writing
from tests.browser.conftest import DESK, PHONE
from tests.browser.site import make_site
from tests.corpora import LABELS

SETTINGS = {
    "light": {**DESK, "color_scheme": "light"},
    "dark": {**DESK, "color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "light"},
}
LOOKS = ["light", *(pytest.param(look, marks=pytest.mark.thorough) for look in ("dark", "phone"))]


def complaints(page: Page, name: str) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{name}: {rule['id']} ({rule['impact']}): {node['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_serious_on_the_way_to_the_first_task(live_server, watched, vera, look):
    make_site()
    visitor = watched(None, **SETTINGS[look])
    visitor.goto("/")
    found = complaints(visitor, "home")
    visitor.goto("/sign-in/")
    found += complaints(visitor, "sign-in")

    page = watched(vera, **SETTINGS[look])
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


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_serious_on_the_pages_about_oneself(live_server, watched, ana, look):
    page = watched(ana, **SETTINGS[look])
    page.goto("/mine/")
    found = complaints(page, "/mine/")
    for address in ("/mine/password/", "/mine/erase/"):
        page.goto(address)
        found += complaints(page, address)
        page.locator("main form button").click()
        found += complaints(page, f"{address}, nothing filled in")
    assert found == []


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_serious_while_labelling_and_after(live_server, watched, vera, look):
    make_site(vera)
    page = watched(vera, **SETTINGS[look])
    page.goto("/work/validation/small/")
    found = complaints(page, "instructions")
    page.get_by_role("button", name="Start labelling").click()
    page.locator("#dots").wait_for()
    found += complaints(page, "labelling")
    for _ in range(5):
        page.wait_for_timeout(300)  # what comes sooner after a new pair is not taken for an answer
        page.keyboard.press("1")
    page.get_by_role("heading", name="Your answers").wait_for()
    found += complaints(page, "review")
    page.keyboard.press("Enter")
    page.get_by_text("Your answers are saved").wait_for()
    found += complaints(page, "saved")
    for address in ("/work/mine/", "/mine/"):
        page.goto(address)
        found += complaints(page, address)
    assert found == []


@pytest.mark.parametrize("look", LOOKS)
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
    page = watched(vera, **SETTINGS[look])
    page.goto("/work/writing/small/")
    page.get_by_role("button", name="Check my answers").click()
    found = complaints(page, "check, nothing chosen")
    page.get_by_role("radio").nth(0).check()
    page.get_by_role("button", name="Check my answers").click()
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
    page = watched(rosa, **SETTINGS[look])
    for name in ("reports", "advice", "pilots", "pilots/fiction"):
        page.goto(f"/corpora/small/{name}/")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        found += complaints(page, name)
    assert found == []
