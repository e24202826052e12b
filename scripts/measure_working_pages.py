"""Measures what the working pages ask of people: python -m scripts.measure_working_pages ADDRESS NAME PASSWORD [CORPUS].

It signs in as an annotator who has not worked for the corpus yet, in Chromium (CHROMIUM names it), reads and writes as
somebody who uses the keyboard alone, labels a batch on a phone, too, and prints Markdown. With `--link ADDRESS` it first
comes in by an entry link without proof, as somebody whom Prolific sends to a phone. It writes sentences and labels: use
an installation made for it.
"""

import argparse
import contextlib
import secrets
from collections.abc import Iterator
from itertools import chain
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, TimeoutError, ViewportSize, sync_playwright

from scripts import services

TEXTS = 12
PHONE, LAPTOP = ViewportSize(width=360, height=740), ViewportSize(width=1280, height=800)
WORDS = "document.querySelector('main').innerText.split(/\\s+/).filter(Boolean).length"
ALL_QUESTIONS = """for (const one of document.querySelectorAll('.check')) {
    one.hidden = false;
    one.classList.remove('one-by-one');
}"""
HEIGHT = "document.documentElement.scrollHeight"
FIELD = "textarea[data-text]"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.measure_working_pages", description=__doc__)
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("password")
    parser.add_argument("corpus", nargs="?", default="demo")
    parser.add_argument(
        "--link", help="address of an entry link whose work is writing, without its parameters"
    )
    given = parser.parse_args()
    with sync_playwright() as playwright:
        path = services.chromium().address
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(base_url=given.address, viewport=LAPTOP)
        page.set_default_timeout(20_000)
        page.goto("/sign-in/")
        page.get_by_label("User name").fill(given.name)
        page.get_by_label("Password").fill(given.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/start/")
        signed_in = page.context.storage_state()
        phone = browser.new_context(
            base_url=given.address, storage_state=signed_in, viewport=PHONE, has_touch=True, is_mobile=True
        )
        print("| what | measured |\n|---|---|")
        for what, value in chain(
            _arriving(browser, given.link) if given.link else [],
            _writing(page, given.corpus),
            _labelling(page, given.corpus),
            _labelling_on_a_phone(phone.new_page(), given.corpus),
        ):
            print(f"| {what} | {value} |", flush=True)
        browser.close()


def _arriving(browser: Browser, link: str) -> Iterator[tuple[str, object]]:
    """Comes in by the link as a new participant, up to the fields of the first text."""
    page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    ids = {"PROLIFIC_PID": secrets.token_hex(12), "STUDY_ID": "measured", "SESSION_ID": secrets.token_hex(12)}
    page.goto(f"{link}?{urlencode(ids)}")
    words, height = page.evaluate(WORDS), 0
    page.locator("main button.button-primary").click()
    screens = clicks = 1
    page.wait_for_url("**/work/writing/**")
    if "/prompt/" in page.url:
        page.evaluate(ALL_QUESTIONS)
        words, height = words + page.evaluate(WORDS), page.evaluate(HEIGHT)
        page.reload()
        clicks += _pass_check(page)
        screens += 1
    page.locator(FIELD).first.wait_for()
    yield "from the link to the first text: screens, clicks", f"{screens + 1}, {clicks}"
    yield "words to read on the way, pixels of instructions on a phone", f"{words}, {height}"


def _writing(page: Page, corpus: str) -> Iterator[tuple[str, object]]:
    address = f"/work/writing/{corpus}/"
    page.goto(address)
    if "/consent/" in page.url:
        page.get_by_role("button", name="agree").click()
        page.wait_for_url("**/work/**")
    read, questions = 0, 0
    prompts: set[str] = set()
    keys: list[int] = []
    for number in range(TEXTS):
        page.goto(address)
        if "/prompt/" in page.url:
            asked = page.locator(".check").count()
            page.evaluate(ALL_QUESTIONS)
            words = page.evaluate(WORDS)
            if not prompts:
                page.set_viewport_size(PHONE)
                yield "instructions and check of the first prompt: words, questions", f"{words}, {asked}"
                yield "the same on a phone: pixels", page.evaluate(HEIGHT)
                page.set_viewport_size(LAPTOP)
                page.reload()
            read, questions = read + words, questions + asked
            clicks = _pass_check(page)
            if not prompts:
                yield "clicks in the check, all answers right", clicks
            prompts.add(page.locator(".work-head p").inner_text())
        if not number:
            yield "writing page of the first text, laptop: pixels of 800", page.evaluate(HEIGHT)
            yield (
                "Send is in sight on the laptop",
                page.locator("#send").evaluate(
                    "button => button.getBoundingClientRect().bottom <= innerHeight"
                ),
            )
            page.set_viewport_size(PHONE)
            yield "the same page on a phone: pixels of 740", page.evaluate(HEIGHT)
            yield (
                "Send is in sight on the phone",
                page.locator("#send").evaluate(
                    "button => button.getBoundingClientRect().bottom <= innerHeight"
                ),
            )
            page.set_viewport_size(LAPTOP)
            page.reload()
        keys.append(_write(page, number))
    yield f"prompts read within {TEXTS} texts", len(prompts)
    yield "words and check questions read for them", f"{read}, {questions}"
    yield "keys for a task besides its text", max(keys)


def _pass_check(page: Page) -> int:
    """Answers until all answers are right. Returns how many clicks that takes whoever knows them."""
    asked = page.locator(".check").count()
    if page.locator(".check button").count():
        tried = 0
        while "/prompt/" in page.url:
            with contextlib.suppress(TimeoutError):  # the page has gone on meanwhile
                page.locator(".check:visible button").nth(tried % 3).click(timeout=2000)
            tried += 1
            page.wait_for_timeout(1000)
        return asked
    choice = [0] * asked
    while "/prompt/" in page.url:
        for number in range(asked):
            page.locator(".check").nth(number).locator("input").nth(choice[number]).check()
        page.locator("#check button").click()
        page.wait_for_load_state()
        wrong = page.locator(".check").evaluate_all("all => all.map(one => 'wrong' in one.dataset)")
        choice = [place + (number < len(wrong) and wrong[number]) for number, place in enumerate(choice)]
    return asked + 1


def _write(page: Page, number: int) -> int:
    """Writes and sends a task by keyboard. Returns the keys besides the text."""
    keys = 0
    goes_by_enter = page.get_by_text("next field").count()
    for place in range(page.locator(FIELD).count()):
        while not page.locator(FIELD).nth(place).evaluate("field => field === document.activeElement"):
            page.keyboard.press("Enter" if place and goes_by_enter else "Tab")
            keys += 1
        page.keyboard.insert_text(f"Measured sentence {number} in field {place} about the text.")
    page.keyboard.press("Control+Enter")
    page.locator("#messages .notice").wait_for()
    return keys + 1


def _labelling(page: Page, corpus: str) -> Iterator[tuple[str, object]]:
    address = f"/work/validation/{corpus}/"
    page.goto(address)
    if "/instructions/" in page.url:
        yield "instructions of labelling: words", page.evaluate(WORDS)
        page.get_by_role("button", name="Start judging").click()
    page.locator(".pair:visible").first.wait_for()
    pairs = page.locator(".pair").count()
    keys = 0
    while page.locator(".pair:visible").count():
        page.wait_for_timeout(350)
        page.keyboard.press("2")
        page.wait_for_timeout(50)
        keys += 1
        if keys >= pairs:
            break
    # Nobody presses anything more: is it sent by itself?
    try:
        page.get_by_text("Your answers are saved").wait_for(timeout=12_000)
    except TimeoutError:
        page.keyboard.press("Enter")
        page.get_by_text("Your answers are saved").wait_for()
        keys += 1
    yield "keys for a batch, pairs in it", f"{keys}, {pairs}"


def _labelling_on_a_phone(page: Page, corpus: str) -> Iterator[tuple[str, object]]:
    """Labels a batch by touch, without scrolling: a pair whose texts or answers are out of view is counted."""
    page.goto(f"/work/validation/{corpus}/")
    pairs = page.locator(".pair").count()
    hidden = 0
    for number in range(pairs):
        page.locator(f".pair:nth-of-type({number + 1}):visible").wait_for()
        page.wait_for_timeout(350)
        hidden += not page.locator(".stage:visible").evaluate(
            "box => box.getBoundingClientRect().top >= 0 && box.getBoundingClientRect().bottom <= innerHeight + 1"
        )
        page.locator(".stage:visible button.choice").nth(1).tap()
    page.get_by_text("Your answers are saved").wait_for(timeout=20_000)
    yield "taps for a batch on a phone, pairs in it, pairs to scroll for", f"{pairs}, {pairs}, {hidden}"


if __name__ == "__main__":
    main()
