"""Writing in a real browser: from the sign-in to the saved text, with advice and checks, on phones, without scripts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from accounts.models import User
from collection.corpora.corpus_file import read_corpus_file
from collection.models import (
    AdviceGiven,
    CheckQuestion,
    Corpus,
    Pair,
    Premise,
    PromptReading,
    PromptVersion,
    WritingSignals,
)
from collection.writing.prompts import read_prompt
from tests.browser.looks import PHONE, complaints, width_of
from tests.browser.site import TEXTS, make_site
from tests.browser.waiting import wait_until
from tests.browser.writing import MINE, PAGE, begin, fields, saved, shows, write
from tests.cast import PASSWORD
from tests.conftest import REPOSITORY
from tests.corpora import WORDINGS


@pytest.fixture
def corpus(live_server: Any, ana: User) -> Corpus:
    """Makes a corpus whose prompt Ana has read."""
    corpus = make_site(ana)
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    return corpus


def test_from_the_sign_in_to_the_saved_text(live_server, watched, ana):
    make_site()
    page = watched(None)
    page.goto(PAGE)
    page.get_by_label("User name").fill("ana")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="I have read this, and I agree").click()
    page.get_by_role("button", name="Start writing").click()
    premise = page.get_by_role("region", name="Text").inner_text()
    assert premise in TEXTS
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)
    assert set(Pair.objects.filter(hypothesis__in=MINE).values_list("premise__text", flat=True)) == {premise}
    assert page.get_by_role("region", name="Text").inner_text() != premise
    shows(page, ("", "", ""))


def test_three_sentences_are_sent_with_three_keys_besides_the_text(corpus, watched, ana):
    page = begin(watched(ana))
    for text, key in zip(MINE, ("Enter", "Enter", "Control+Enter"), strict=True):
        page.keyboard.type(text)
        page.keyboard.press(key)
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    written = dict(Pair.objects.filter(hypothesis__in=MINE).values_list("author_label", "hypothesis"))
    assert written == dict(zip(("entailment", "neutral", "contradiction"), MINE, strict=True))
    expect(fields(page)[0]).to_be_focused()  # the next one
    expect(fields(page)[0]).to_have_accessible_description(re.compile(page.locator("#premise").inner_text()))


def test_enter_leads_from_field_to_field_and_to_the_button_and_chooses_a_word_that_is_composed(
    corpus, watched, ana
):
    page = begin(watched(ana))
    page.evaluate(
        "document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    expect(fields(page)[0]).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Send")).to_be_focused()
    assert saved() == []


PREMISE = (
    "The ferry had been late for a week before anybody thought of asking the captain, who had his reasons."
)


@pytest.mark.thorough
def test_a_laptop_shows_the_whole_task_and_a_phone_needs_two_screens(corpus, watched, ana):
    Premise.objects.update(text=PREMISE)
    page = begin(watched(ana, viewport={"width": 1280, "height": 800}))
    for what in (
        "#premise",
        *(f"[data-text={label}]" for label in ("entailment", "neutral", "contradiction")),
        "#send",
    ):
        assert page.locator(what).evaluate("box => box.getBoundingClientRect().bottom <= innerHeight"), what
    phone = watched(ana, **PHONE)
    phone.goto(PAGE)
    assert phone.evaluate("document.documentElement.scrollHeight") <= 2 * 740
    for field in fields(phone):
        field.scroll_into_view_if_needed()
        box = phone.get_by_role("button", name="Send").bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= 740 - box["height"]  # always in sight


def test_a_word_of_care_leaves_the_whole_task_on_a_laptop(corpus, watched, ana):
    (prompt,) = [
        each
        for each in read_corpus_file(REPOSITORY / "examples" / "demo" / "corpus.toml").prompts
        if each.slug == "nineeleven"
    ]
    PromptVersion.objects.update(care=prompt.care)
    Premise.objects.update(text=f"{PREMISE} {PREMISE}"[:190])
    page = begin(watched(ana, viewport={"width": 1280, "height": 800}))
    last, send = page.locator("[data-text=neutral]"), page.locator(".send-bar")
    above = "(box, other) => box.getBoundingClientRect().bottom <= other.getBoundingClientRect().top"
    assert last.evaluate(above, send.element_handle())
    page.locator(".care summary").click()
    expect(page.locator(".care")).to_contain_text("It upsets me")


def test_each_field_has_the_short_name_of_its_answer_and_its_mark(corpus, watched, ana):
    page = begin(watched(ana))
    for label, name in WORDINGS.items():
        field = page.locator(f"[data-text={label}]")
        expect(field).to_have_accessible_name(name)
        assert len(name.split()) <= 5
        expect(page.locator(f"label[for={field.get_attribute('id')}] svg")).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("entailment")


@pytest.fixture
def checked(corpus: Corpus) -> Corpus:
    """Makes a site with a prompt that has a check: two questions about one text, and one about another."""
    PromptReading.objects.all().delete()  # Ana has the check before her
    for order, (premise, label) in enumerate(
        [("It rains.", "entailment"), ("It rains.", "neutral"), ("It snows.", "contradiction")]
    ):
        CheckQuestion.objects.create(
            version=corpus.prompts.get().versions.get(),
            order=order,
            premise=premise,
            hypothesis=f"Sentence {order}.",
            label=label,
            explanation=f"Because of {order}.",
        )
    return corpus


@pytest.mark.thorough
def test_the_check_asks_one_question_after_another_and_judges_each_at_once(checked, watched, ana):
    page = watched(ana)
    page.goto(PAGE)
    shown = page.locator(".check:visible")
    expect(shown).to_have_count(1)
    expect(page.get_by_role("button", name="Check my answers")).to_be_hidden()
    wrong = shown.get_by_role("button", name="Maybe correct")
    wrong.click()
    expect(page.get_by_text("Not right yet. Because of 0. Please choose again.")).to_be_visible()
    expect(wrong).to_be_focused()
    assert complaints(page, "check, wrong") == []
    for number, name in enumerate(("Definitely correct", "Maybe correct", "Definitely incorrect"), start=1):
        expect(shown.get_by_text(f"Question {number} of 3")).to_be_visible()
        expect(page.get_by_text("It rains.").locator("visible=true")).to_have_count(1 if number < 3 else 0)
        expect(page.get_by_text("It snows.").locator("visible=true")).to_have_count(0 if number < 3 else 1)
        page.get_by_role("link", name="Read the instructions again").wait_for()
        shown.get_by_role("button", name=name).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Write three sentences")
    reading = PromptReading.objects.get()
    assert reading.passed_at is not None
    assert reading.tries == 2  # the wrong one counts


def test_the_check_says_when_it_cannot_judge(checked, watched, ana):
    page = watched(ana)
    page.goto(PAGE)
    page.context.set_offline(True)
    page.locator(".check:visible").get_by_role("button").nth(0).click()
    expect(page.get_by_text("The answer could not be checked.")).to_be_visible()
    page.context.set_offline(False)
    page.locator(".check:visible").get_by_role("button").nth(0).click()
    expect(page.get_by_text("Question 2 of 3")).to_be_visible()


@pytest.mark.thorough
def test_without_scripts_the_check_shows_each_text_once_and_the_focus_is_on_the_first_wrong_answer(
    checked, window_of: Callable[..., BrowserContext], ana
):
    page = window_of(ana, java_script_enabled=False).new_page()
    page.goto(PAGE)
    expect(page.get_by_text("It rains.").locator("visible=true")).to_have_count(1)
    page.locator("#check-0 input").nth(0).check()
    page.get_by_role("button", name="Check my answers").click()
    expect(page.locator("#check-1 input").first).to_be_focused()


def test_a_double_click_saves_once(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.get_by_role("button", name="Send").dblclick()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert len(saved()) == 3
    assert ana.ledger.total_cents() == 30


@pytest.mark.thorough
def test_what_needs_a_change_is_said_beside_the_field(corpus, watched, ana):
    page = begin(watched(ana))
    write(page, ("It is so.", "x" * 81, "It may be so."))
    page.get_by_role("button", name="Send").click()
    wrong = fields(page)[1]
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_accessible_description(
        re.compile("This is 1 character too long. Please shorten it.")
    )
    shows(page, ("It is so.", "x" * 81, "It may be so."))
    wrong.fill("It is not so.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


@pytest.mark.thorough
def test_a_field_at_fault_is_in_sight_on_a_phone(corpus, watched, ana):
    page = begin(watched(ana, **PHONE))
    write(page, ("It is so.", "It is not so.", "x" * 81))
    page.get_by_role("button", name="Send").tap()
    expect(fields(page)[2]).to_be_focused()
    premise = page.get_by_role("region", name="Text").bounding_box()
    field = fields(page)[2].bounding_box()
    assert premise is not None
    assert field is not None
    assert premise["y"] + premise["height"] <= field["y"]
    assert field["y"] + field["height"] < 741


@pytest.mark.thorough
def test_advice_is_given_while_somebody_types_and_refused_ones_can_be_mended(corpus, watched, ana):
    page = begin(watched(ana))
    premise = page.get_by_role("region", name="Text").inner_text()
    write(page, (premise, "The same thing.", "the same thing"))
    expect(page.get_by_text("This is the text itself.")).to_be_visible()
    expect(page.get_by_text("You wrote the same in another field.")).to_have_count(2)
    fields(page)[2].fill("y" * 70)
    expect(page.get_by_text("10 characters left.")).to_be_visible()
    fields(page)[2].fill("y" * 82)
    expect(page.get_by_text("2 characters too long")).to_be_visible()
    fields(page)[2].fill("Short again.")
    expect(page.get_by_text("characters left")).to_be_hidden()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing is lost")).to_be_visible()
    expect(fields(page)[0]).to_be_focused()
    fields(page)[0].fill("Something is so.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert list(AdviceGiven.objects.values_list("advice", "refused")) == [("same_as_premise", True)]


LONG = "A sentence of more than twenty-five characters."


@pytest.mark.thorough
def test_how_a_task_was_typed_is_kept_as_evidence(corpus, watched, ana):
    page = begin(watched(ana))
    fields(page)[0].focus()
    page.keyboard.type(MINE[0])
    page.evaluate(
        "field => field.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, clipboardData:"
        " (() => { const data = new DataTransfer(); data.setData('text', 'pasted'); return data; })()}))",
        fields(page)[1].element_handle(),
    )
    fields(page)[1].fill(MINE[1])
    fields(page)[2].fill(LONG)
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    signals = WritingSignals.objects.get()
    assert (signals.keystrokes, signals.pastes, signals.pasted_chars) == (len(MINE[0]), 1, 6)
    assert 300 <= signals.active_ms < 60_000
    assert signals.inserted_chars == len(LONG)  # came at once and was not pasted
    assert 1 <= signals.bursts <= 4


def test_time_is_mentioned_when_it_is_short(corpus, watched, ana, settings):
    settings.WRITING_LEASE_SECONDS = 1800
    page = begin(watched(ana))
    expect(page.get_by_text("somebody else may get this text")).to_be_hidden()
    settings.WRITING_LEASE_SECONDS = 175
    page.reload()
    expect(page.get_by_text("In about 3 minutes somebody else may get this text, too.")).to_be_visible()


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.thorough), "ar"])
def test_a_phone_shows_premise_and_field_together(corpus, watched, ana, language):
    Corpus.objects.update(language=language)
    Premise.objects.update(
        text="A long premise, word after word. " * 12 + "Donaudampfschifffahrtsgesellschaft" * 3
    )
    page = begin(watched(ana, **PHONE))

    def premise_and(field: Locator) -> bool:
        """Returns whether both are on the screen, and the premise does not cover the field."""
        above, below = page.get_by_role("region", name="Text").bounding_box(), field.bounding_box()
        assert above is not None
        assert below is not None
        return (
            above["y"] >= 0
            and above["y"] + above["height"] <= below["y"]
            and below["y"] + below["height"] < 741
        )

    assert width_of(page) <= 360
    for field in fields(page):
        field.tap()
        wait_until(page, lambda field=field: premise_and(field))  # the page may scroll for a moment
    for button in page.locator("#task button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44


def test_twice_the_size_needs_no_scrolling_sideways(corpus, watched, ana):
    page = begin(watched(ana, viewport={"width": 600, "height": 450}, device_scale_factor=2, bypass_csp=True))
    page.add_style_tag(content="html { font-size: 200% }")
    assert width_of(page) <= 600


@pytest.mark.thorough
def test_the_page_works_without_scripts(corpus, window_of: Callable[..., BrowserContext], ana):
    page = begin(window_of(ana, java_script_enabled=False).new_page())
    write(page, ("It is so.", "", "It may be so."))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing is lost.")).to_be_visible()
    expect(fields(page)[1]).to_be_focused()
    shows(page, ("It is so.", "", "It may be so."))
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)
