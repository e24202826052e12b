"""Drafts in a real browser: closed tabs, lost connections and sessions, two devices, a premise that another writer got."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import BrowserContext, expect

from accounts.models import User
from accounts.people.consents import give_consent
from collection.models import (
    Corpus,
    DraftText,
    Pair,
    PromptReading,
    WritingSeat,
)
from collection.writing.prompts import read_prompt
from tests.browser.looks import PHONE
from tests.browser.site import make_site
from tests.browser.waiting import wait_until
from tests.browser.writing import MINE, PAGE, begin, fields, saved, shows, write
from tests.cast import PASSWORD


@pytest.fixture
def corpus(live_server: Any, ana: User) -> Corpus:
    """Makes a corpus whose prompt Ana has read."""
    corpus = make_site(ana)
    read_prompt(annotator=ana, version=corpus.prompts.get().versions.get(), answers={})
    return corpus


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
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == []
    assert not DraftText.objects.exists()


def test_text_survives_a_lost_connection(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("It is sent by itself when the connection is back.")).to_be_visible()
    shows(page)
    page.context.set_offline(False)
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
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
    read_prompt(annotator=vera, version=corpus.prompts.get().versions.get(), answers={})
    page = begin(window.new_page())
    shows(page, ("", "", ""))
    expect(page.get_by_role("region", name="Unsent drafts")).to_be_hidden()


def test_an_answer_that_got_lost_does_no_harm(corpus, watched, ana):
    """The server saved the texts and its response was lost: sending again saves nothing twice."""
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
    expect(page.get_by_text("This was saved before")).to_be_visible()
    assert len(saved()) == 3
    assert page.evaluate("Object.keys(localStorage)") == []


@pytest.mark.thorough
def test_text_survives_the_end_of_the_session(corpus, window_of: Callable[..., BrowserContext], ana):
    window = window_of(ana)
    page = begin(window.new_page())
    write(page)
    Session.objects.all().delete()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("You are signed out")).to_be_visible()
    with window.expect_page() as opened:
        page.get_by_role("link", name="Sign in and go on").click()
    other = opened.value
    other.get_by_label("User name").fill("ana")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    shows(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


@pytest.mark.thorough
def test_who_took_the_consent_back_is_led_to_it_and_not_to_the_sign_in(
    corpus, window_of: Callable[..., BrowserContext], ana
):
    window = window_of(ana)
    page = begin(window.new_page())
    write(page)
    ana.consents.update(withdrawn_at=timezone.now())
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("the consent text has changed, or you took your consent back")).to_be_visible()
    with window.expect_page() as opened:
        page.get_by_role("link", name="Read it and agree").click()
    opened.value.get_by_role("button", name="I have read this").click()
    opened.value.wait_for_url(f"**{PAGE}*")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    assert sorted(saved()) == sorted(MINE)


@pytest.mark.thorough
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
    expect(desk.get_by_text("Saved. You earned")).to_be_visible()
    assert not DraftText.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "choice",
    [
        "Keep what is in the fields below",
        pytest.param("Use the draft from there", marks=pytest.mark.thorough),
    ],
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
    expect(desk.get_by_text("Saved. You earned")).to_be_visible()
    assert kept in saved()


def test_two_tabs_of_one_browser_are_not_called_two_devices(
    corpus, window_of: Callable[..., BrowserContext], ana
):
    window = window_of(ana)
    first, second = begin(window.new_page()), window.new_page()
    second.goto(PAGE)
    write(second)
    expect(second.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    fields(first)[1].fill("From the first tab.")
    alert = first.get_by_role("alert").filter(has_text="in another tab")
    expect(alert).to_contain_text(MINE[1])
    expect(alert.get_by_text("another device")).to_be_hidden()


@pytest.mark.thorough
def test_a_page_left_and_opened_again_knows_its_own_draft(corpus, watched, ana):
    """Its last draft has no response that counts: the page must not take it for that of another device."""
    page = begin(watched(ana))
    fields(page)[0].fill(MINE[0])
    hide = (
        "state => { Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});"
    )
    hide += " document.dispatchEvent(new Event('visibilitychange')); }"
    with page.expect_response("**/draft/") as kept:
        page.evaluate(hide, "hidden")
    assert (
        kept.value.status == 200
    )  # after a redirect the browser would load a page that nobody sees, with its message
    page.evaluate(hide, "visible")
    fields(page)[1].fill(MINE[1])
    expect(page.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    expect(page.locator("#other-draft")).to_be_hidden()
    assert DraftText.objects.count() == 2


@pytest.mark.thorough
def test_what_was_typed_without_a_connection_is_newer_than_the_servers_draft(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    expect(page.get_by_text("Draft saved on this device and on the server")).to_be_visible()
    page.route("**/draft/", lambda route: route.abort())
    fields(page)[0].fill("It is so, and that is all.")
    page.wait_for_timeout(1000)
    page.reload()
    shows(page, ("It is so, and that is all.", *MINE[1:]))


@pytest.mark.thorough
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
    expect(page.get_by_text("no longer open for you")).to_be_visible()
    assert ana.ledger.total_cents() == 30
    expect(earlier).to_be_hidden()
    assert not Pair.objects.filter(hypothesis__in=MINE, withdrawn_at=None).exists()


def test_a_report_alone_is_sent_and_leaves_no_draft(corpus, watched, ana):
    page = begin(watched(ana))
    page.get_by_text("Report or skip this text").click()
    page.get_by_label("Is something wrong with this text?").fill("Two words are missing.")
    expect(page.get_by_text("Draft saved on this device")).to_be_visible()
    field = page.locator("textarea[data-text]").first
    field.fill("Some words")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    field.fill("")
    page.locator("#bug").get_by_role("button", name="Report and skip").click()
    expect(page.get_by_text("a researcher will read what you reported")).to_be_visible()
    # The script of this page, which may begin after its text is seen, removes the draft.
    page.wait_for_function("Object.keys(localStorage).length === 0")


def test_who_skips_without_a_network_loses_nothing(corpus, watched, ana):
    page = begin(watched(ana))
    write(page)
    page.get_by_text("Report or skip this text").click()
    page.context.set_offline(True)
    page.get_by_role("button", name="Skip this text").click()
    expect(page.get_by_text("It is sent by itself when the connection is back.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("The text that you skipped is not paid.")).to_be_visible()
    expect(page.locator("#skipped-drafts").get_by_text(MINE[0])).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == []


def test_a_skipped_text_is_no_draft_when_the_next_one_needs_other_instructions(corpus, watched, ana):
    page = begin(watched(ana))
    page.get_by_text("Report or skip this text").click()
    page.get_by_label("Is something wrong with this text?").fill("Two words are missing.")
    expect(page.get_by_text("Draft saved on this device")).to_be_visible()
    PromptReading.objects.all().delete()
    page.locator("#bug").get_by_role("button", name="Report and skip").click()
    expect(page.get_by_text("a researcher will read what you reported")).to_be_visible()
    expect(page).to_have_url(re.compile("/prompt/"))
    assert page.evaluate("Object.keys(localStorage)") == []


@pytest.mark.thorough
def test_other_words_for_a_saved_text_stay_on_the_page(corpus, watched, ana):
    page = begin(watched(ana))
    other = page.context.new_page()
    other.goto(PAGE)
    write(page)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned")).to_be_visible()
    write(other, ("Second thoughts.", "Third ones.", "Fourth ones."))
    other.get_by_role("button", name="Send").click()
    expect(other.get_by_text("You sent your sentences for this text before")).to_be_visible()
    shows(other, ("Second thoughts.", "Third ones.", "Fourth ones."))
    assert sorted(saved()) == sorted(MINE)
    other.get_by_role("link", name="Go on to the next one").click()
    shows(other, ("", "", ""))


@pytest.mark.thorough
def test_the_cursor_stays_where_somebody_began_to_type_before_the_script_came(corpus, watched, ana):
    page = watched(ana)
    late: list[Any] = []
    page.route("**/js/writing.js", lambda route: late.append(route))
    page.goto(PAGE, wait_until="commit")
    fields(page)[1].click()
    page.keyboard.type("Nobody")
    wait_until(page, lambda: late)
    late[0].continue_()
    expect(page.get_by_text("Draft saved on this device")).to_be_visible()  # the script came
    page.keyboard.type(" swims.")
    shows(page, ("", "Nobody swims.", ""))
