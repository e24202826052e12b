"""Writing in a real browser: from the sign-in to the saved text, drafts, lost connections, phones, no scripts."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from accounts.models import User
from accounts.people.consents import give_consent
from collection.models import AdviceGiven, Corpus, DraftText, Pair, Premise, WritingSeat, WritingSignals
from tests.browser.conftest import PHONE
from tests.browser.site import TEXTS, make_site
from tests.cast import PASSWORD

PAGE = "/work/writing/small/"
MINE = ("It is so.", "It is not so.", "It may be so.")  # in the order of the fields


@pytest.fixture
def corpus(live_server: Any, ana: User) -> Corpus:
    return make_site(ana)


def begin(page: Page) -> Page:
    """To the first premise, past the prompt."""
    page.goto(PAGE)
    page.get_by_role("button", name="Start writing").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Write three sentences")
    return page


def fields(page: Page) -> list[Locator]:
    return [
        page.get_by_label(f"Write one sentence that is {word}.", exact=True)
        for word in ("definitely correct", "definitely incorrect", "maybe correct")
    ]


def write(page: Page, texts: tuple[str, ...] = MINE) -> None:
    for field, text in zip(fields(page), texts, strict=True):
        field.fill(text)


def shows(page: Page, texts: tuple[str, ...] = MINE) -> None:
    for field, text in zip(fields(page), texts, strict=True):
        expect(field).to_have_value(text)


def saved() -> list[str]:
    return list(
        Pair.objects.filter(assignment__isnull=False).order_by("pk").values_list("hypothesis", flat=True)
    )


def test_from_the_sign_in_to_the_saved_text(live_server, watched, ana):
    make_site()
    page = watched(None)
    page.goto(PAGE)
    page.get_by_label("User name").fill("ana")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="I have read this, and I agree").click()
    page.get_by_role("button", name="Start writing").click()
    premise = page.get_by_role("region", name="The text").inner_text()
    assert premise in TEXTS
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)
    assert set(Pair.objects.filter(hypothesis__in=MINE).values_list("premise__text", flat=True)) == {premise}
    assert page.get_by_role("region", name="The text").inner_text() != premise
    shows(page, ("", "", ""))


def test_three_sentences_are_sent_by_keyboard_alone(corpus, watched, ana):
    page = begin(watched(ana))
    fields(page)[0].focus()
    for text in MINE:
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(fields(page)[2]).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


def test_a_double_click_saves_once(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.get_by_role("button", name="Send").dblclick()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert len(saved()) == 3
    assert ana.ledger.total_cents() == 30


def test_a_draft_survives_a_closed_tab(corpus, window_of: Callable[..., BrowserContext], ana):
    window = window_of(ana)
    page = begin(window.new_page())
    write(page)
    expect(page.get_by_text("Draft saved on this device")).to_be_visible()
    page.close()
    page = window.new_page()
    page.goto(PAGE)
    shows(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == []
    assert not DraftText.objects.exists()


def test_text_survives_a_lost_connection(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("The server could not be reached. Your text is still here")).to_be_visible()
    shows(page)
    page.context.set_offline(False)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


def test_text_survives_an_error_of_the_server(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.route(f"**{PAGE}", lambda route: route.fulfill(status=500, body="broken"))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="(500)")).to_be_visible()
    shows(page)
    page.unroute_all()
    page.reload()
    shows(page)


def test_a_draft_is_not_shown_to_the_next_person_at_this_computer(
    corpus, window_of: Callable[..., BrowserContext], ana, vera
):
    window = window_of(ana)
    write(begin(window.new_page()))
    cookies = window_of(vera).cookies()
    window.clear_cookies()
    window.add_cookies([cookie for cookie in cookies if cookie["name"] == "sessionid"])
    give_consent(user=vera, form=corpus.consent_form)
    page = begin(window.new_page())
    shows(page, ("", "", ""))
    expect(page.get_by_role("region", name="Unsent drafts")).to_be_hidden()


def test_an_answer_that_got_lost_does_no_harm(corpus, watched, ana):
    """The server saved it, the answer never came: sending again saves nothing twice."""
    page = begin(watched(ana))
    write(page)

    def lose_the_answer(route: Any) -> None:
        if route.request.method == "POST":
            route.fetch(max_redirects=0)
            route.abort()
        else:
            route.continue_()

    page.route(f"**{PAGE}", lose_the_answer)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your text is still here")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours was saved before")).to_be_visible()
    assert len(saved()) == 3
    assert page.evaluate("Object.keys(localStorage)") == []


def test_text_survives_the_end_of_the_session(corpus, window_of: Callable[..., BrowserContext], ana):
    window = window_of(ana)
    page = begin(window.new_page())
    write(page)
    Session.objects.all().delete()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("You are signed out, or")).to_be_visible()
    other = window.new_page()
    other.goto("/sign-in/")
    other.get_by_label("User name").fill("ana")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    shows(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


def test_what_needs_a_change_is_said_beside_the_field(corpus, watched, ana):
    page = begin(watched(ana))
    write(page, ("It is so.", "x" * 81, "It may be so."))
    page.get_by_role("button", name="Send").click()
    wrong = fields(page)[1]
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_accessible_description("This is 81 characters long; please shorten it to 80.")
    shows(page, ("It is so.", "x" * 81, "It may be so."))
    wrong.fill("It is not so.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


def test_a_field_at_fault_is_in_sight_on_a_phone(corpus, watched, ana):
    page = begin(watched(ana, **PHONE))
    write(page, ("It is so.", "It is not so.", "x" * 81))
    page.get_by_role("button", name="Send").tap()
    expect(fields(page)[2]).to_be_focused()
    premise = page.get_by_role("region", name="The text").bounding_box()
    field = fields(page)[2].bounding_box()
    assert premise is not None
    assert field is not None
    assert premise["y"] + premise["height"] <= field["y"]
    assert field["y"] + field["height"] < 741


def test_advice_is_given_while_somebody_types_and_refused_ones_can_be_mended(corpus, watched, ana):
    page = begin(watched(ana))
    premise = page.get_by_role("region", name="The text").inner_text()
    write(page, (premise, "The same thing.", "the same thing"))
    expect(page.get_by_text("This is the text itself.")).to_be_visible()
    expect(page.get_by_text("You wrote the same in another field.")).to_have_count(2)
    fields(page)[2].fill("y" * 70)
    expect(page.get_by_text("10 characters left.")).to_be_visible()
    fields(page)[2].fill("y" * 82)
    expect(page.get_by_text("2 characters too many")).to_be_visible()
    fields(page)[2].fill("Short again.")
    expect(page.get_by_text("characters left")).to_be_hidden()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing is lost")).to_be_visible()
    expect(fields(page)[0]).to_be_focused()
    fields(page)[0].fill("Something is so.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert list(AdviceGiven.objects.values_list("advice", "refused")) == [("same_as_premise", True)]


def test_a_draft_is_continued_on_another_device(corpus, window_of: Callable[..., BrowserContext], ana):
    desk = begin(window_of(ana).new_page())
    write(desk)
    expect(desk.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    phone = window_of(ana, **PHONE).new_page()
    phone.goto(PAGE)
    shows(phone)
    fields(phone)[1].fill("It is not so at all.")
    expect(phone.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    desk.reload()
    shows(desk, ("It is so.", "It is not so at all.", "It may be so."))
    desk.get_by_role("button", name="Send").click()
    expect(desk.get_by_text("Yours is saved.")).to_be_visible()
    assert not DraftText.objects.exists()


@pytest.mark.parametrize(
    "choice", ["Keep what is in the fields below", "Use the draft from the other device"]
)
def test_two_devices_with_different_drafts_show_both_and_the_writer_chooses(
    corpus, window_of: Callable[..., BrowserContext], ana, choice
):
    desk = begin(window_of(ana).new_page())
    write(desk)
    expect(desk.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    phone = window_of(ana, **PHONE).new_page()
    phone.goto(PAGE)
    fields(phone)[1].fill("From the phone.")
    expect(phone.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    fields(desk)[1].fill("From the desk.")
    both = desk.get_by_role("alert").filter(has_text="another device")
    expect(both).to_contain_text("From the phone.")
    assert DraftText.objects.get(label="contradiction").text == "From the phone."
    both.get_by_role("button", name=choice).or_(both.get_by_role("link", name=choice)).click()
    expect(both).to_be_hidden()
    kept = "From the desk." if choice.startswith("Keep") else "From the phone."
    shows(desk, (MINE[0], kept, MINE[2]))
    expect(desk.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    assert DraftText.objects.get(label="contradiction").text == kept
    desk.get_by_role("button", name="Send").click()
    expect(desk.get_by_text("Yours is saved.")).to_be_visible()
    assert kept in saved()


def test_a_page_left_and_opened_again_knows_its_own_draft(corpus, watched, ana):
    """A beacon has no answer: the page must not take its own draft for another device's."""
    page = begin(watched(ana))
    fields(page)[0].fill(MINE[0])
    hide = (
        "state => { Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});"
    )
    hide += " document.dispatchEvent(new Event('visibilitychange')); }"
    with page.expect_request("**/draft/"):
        page.evaluate(hide, "hidden")
    page.evaluate(hide, "visible")
    fields(page)[1].fill(MINE[1])
    expect(page.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    expect(page.locator("#other-draft")).to_be_hidden()
    assert DraftText.objects.count() == 2


def test_what_was_typed_without_a_connection_is_newer_than_the_servers_draft(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    expect(page.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    page.route("**/draft/", lambda route: route.abort())
    fields(page)[0].fill("It is so, and that is all.")
    page.wait_for_timeout(1000)
    page.reload()
    shows(page, ("It is so, and that is all.", *MINE[1:]))


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
    fields(page)[2].fill(MINE[2])
    page.wait_for_timeout(300)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    signals = WritingSignals.objects.get()
    assert (signals.keystrokes, signals.pastes, signals.pasted_chars) == (len(MINE[0]), 1, 6)
    assert 300 <= signals.active_ms < 60_000


def test_text_for_a_premise_that_went_to_somebody_else_can_still_be_sent(corpus, watched, ana, vera):
    page = begin(watched(ana))
    write(page)
    later = timezone.now() + timedelta(hours=1)
    WritingSeat.objects.filter(annotator=ana).update(annotator=vera, leased_until=later)
    page.goto(PAGE)
    shows(page, ("", "", ""))
    earlier = page.get_by_role("region", name="Unsent drafts")
    for text in MINE:
        expect(earlier.get_by_text(text, exact=True)).to_be_visible()
    earlier.get_by_role("button", name="Send draft").click()
    expect(page.get_by_text("Somebody else finished this one first.")).to_be_visible()
    expect(earlier).to_be_hidden()
    assert ana.ledger.total_cents() == 30
    assert not Pair.objects.filter(hypothesis__in=MINE, withdrawn_at=None).exists()


def test_a_report_alone_is_sent_and_leaves_no_draft(corpus, watched, ana):
    page = begin(watched(ana))
    page.get_by_text("Report a problem").click()
    page.get_by_label("Is something wrong with this text?").fill("Two words are missing.")
    expect(page.get_by_text("Draft saved on this device")).to_be_visible()
    field = page.locator("textarea[data-text]").first
    field.fill("Some words")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    field.fill("")
    page.get_by_role("button", name="Report and skip").click()
    expect(page.get_by_text("a researcher will read what you reported")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == []


def test_time_is_mentioned_when_it_is_short(corpus, watched, ana, settings):
    settings.WRITING_LEASE_SECONDS = 1800
    page = begin(watched(ana))
    expect(page.get_by_text("left for this text")).to_be_hidden()
    settings.WRITING_LEASE_SECONDS = 130
    page.reload()
    expect(page.get_by_text("About 3 minutes left for this text.")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_phone_shows_premise_and_field_together(corpus, watched, ana, language):
    Corpus.objects.update(language=language)
    Premise.objects.update(
        text="A long premise, word after word. " * 12 + "Donaudampfschifffahrtsgesellschaft" * 3
    )
    page = begin(watched(ana, **PHONE))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for field in fields(page):
        field.tap()
        page.wait_for_timeout(300)
        field_box = field.bounding_box()
        premise_box = page.get_by_role("region", name="The text").bounding_box()
        assert field_box is not None
        assert premise_box is not None
        assert premise_box["y"] >= 0
        assert premise_box["y"] + premise_box["height"] <= field_box["y"]
        assert field_box["y"] + field_box["height"] < 741
    for button in page.locator("#task button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44


def test_twice_the_size_needs_no_scrolling_sideways(corpus, watched, ana):
    page = begin(watched(ana, viewport={"width": 600, "height": 450}, device_scale_factor=2, bypass_csp=True))
    page.add_style_tag(content="html { font-size: 200% }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 600


def test_the_page_works_without_scripts(corpus, window_of: Callable[..., BrowserContext], ana):
    page = begin(window_of(ana, java_script_enabled=False).new_page())
    write(page, ("It is so.", "", "It may be so."))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Nothing is lost.")).to_be_visible()
    expect(fields(page)[1]).to_be_focused()
    shows(page, ("It is so.", "", "It may be so."))
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


def test_other_words_for_a_saved_text_stay_on_the_page(corpus, watched, ana):
    page = begin(watched(ana))
    other = page.context.new_page()
    other.goto(PAGE)
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Yours is saved.")).to_be_visible()
    write(other, ("Second thoughts.", "Third ones.", "Fourth ones."))
    other.get_by_role("button", name="Send").click()
    expect(other.get_by_text("You sent this text before")).to_be_visible()
    shows(other, ("Second thoughts.", "Third ones.", "Fourth ones."))
    assert sorted(saved()) == sorted(MINE)
