"""The pages of a visit on a phone in each language, and the way from the link and back by keyboard on a laptop."""

import pytest
from playwright.sync_api import expect

from collection.models import Visit
from collection.premises.writing_seats import make_seats
from tests.browser.looks import DESK, PHONE, complaints, no_sideways_scroll
from tests.browser.waiting import wait_until
from tests.corpora import LABELS, make_corpus, make_link, make_pair, make_premise
from validation.models import Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db(transaction=True)
IDS = "?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x"


@pytest.fixture
def link(live_server):
    corpus = make_corpus(with_consent=True)
    make_seats(premises=[make_premise(corpus, "A dog runs along the beach.")])
    make_pair(corpus, make_premise(corpus, "A cat sleeps on a warm stone."), "An animal rests.")
    open_for_validation(question=Question.objects.get(), pairs=corpus.pairs.all())
    return make_link(corpus, work="writing", completion_code="C0DE-77")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "direction", "begin"),
    [
        pytest.param("ar", "rtl", "قرأت هذا وأوافق: ابدأ", id="Arabic"),
        pytest.param("ja", "ltr", "読みました。同意して始めます", id="Japanese", marks=pytest.mark.thorough),
        pytest.param(
            "de",
            "ltr",
            "Ich habe das gelesen und stimme zu: beginnen",
            id="German",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_the_pages_of_a_visit_fit_a_phone_in_each_language(link, watched, language, direction, begin):
    page = watched(None, **PHONE, locale=language)
    found = []

    def look_at(name):
        assert no_sideways_scroll(page), name
        box = page.locator(".site-bar").bounding_box()
        assert box["height"] < 60, f"{name}: the menu has more than one row"
        assert page.evaluate("document.documentElement.dir") == direction
        assert page.evaluate("document.documentElement.lang") == language
        found.extend(complaints(page, name))

    page.goto(f"/enter/{link.token}/{IDS}")
    look_at("welcome")
    page.get_by_role("button", name=begin).tap()
    page.locator("#check").wait_for()
    look_at("instructions")
    page.locator("#check button").tap()
    page.locator("#task").wait_for()
    look_at("task")
    for address in ("/start/", "/mine/", "/work/mine/", "/work/visit/"):
        page.goto(address)
        look_at(address)
    page.goto("/work/validation/small/")
    page.locator("form[method=post] button.button-primary").tap()
    page.locator("#batch button.choice").first.wait_for()
    look_at("labelling")
    assert found == []


def test_from_the_link_back_to_the_platform_by_keyboard_alone(link, watched):
    page = watched(None, **DESK)

    def press(role, name):
        """Goes to a control by Tab, as somebody without a mouse does, and presses it."""
        wanted = page.get_by_role(role, name=name)
        wanted.wait_for()
        for _ in range(60):
            if wanted.evaluate("element => element === document.activeElement"):
                break
            page.keyboard.press("Tab")
        expect(wanted).to_be_focused()
        page.keyboard.press("Enter")

    page.goto(f"/enter/{link.token}/{IDS}")
    # What a screen reader is told: a heading, money and minutes, the consent, one button.
    tree = page.get_by_role("main").aria_snapshot()
    assert 'heading "The small corpus" [level=1]' in tree
    assert 'heading "Before you begin" [level=2]' in tree
    assert "$0.30" in tree
    assert tree.count('button "') == 1
    press("button", "I have read this, I agree: begin")
    press("button", "Start writing")
    expect(page.locator("textarea[data-text=entailment]")).to_be_focused()
    for number, _ in enumerate(LABELS):
        page.keyboard.type(f"Sentence number {number} about a dog on a beach.")
        page.keyboard.press("Enter" if number < len(LABELS) - 1 else "Control+Enter")
    page.get_by_role("heading", name="You are done").wait_for()
    tree = page.get_by_role("main").aria_snapshot()
    assert "C0DE-77" in tree
    assert 'link "Go back to Prolific"' in tree
    press("button", "Copy the code")
    page.get_by_role("button", name="Copied").or_(page.get_by_role("button", name="Marked")).wait_for()
    # The script reports it while the person goes on.
    wait_until(page, lambda: Visit.objects.filter(returned_at__isnull=False).exists())
    assert Visit.objects.get().ended_as == "finished"
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="Thank you."))
    press("link", "Go back to Prolific")
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=C0DE-77")
