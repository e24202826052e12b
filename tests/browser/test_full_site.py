"""Every page that researchers open, on a full site (40 people, three weeks, 20 runs): wide and narrow, light and dark."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import chart_faults, no_sideways_scroll, own_violations
from tests.browser.test_workspace_in_the_browser import NARROW, WIDE
from tests.full_corpus import FullCorpus
from tests.full_pages import pages

FEW = 240  # pairs
ELSEWHERE = (301, 302, 403, 405)  # leads to another page, is an administrator's, is only posted to
# The records have no link to the content and a test of their own; the list of pairs is opened in one state.
LEFT_OUT = re.compile(r"^/admin/.|/pairs/\?")
LOADING = "[hx-trigger~=load], .htmx-request"  # parts that a page loads by itself
NO_FOCUS = "document.activeElement === document.body"  # else the page has put the cursor into a field
# What has the keyboard's focus, and whether one sees it there. A point of a chart shows it by its outline's stroke.
FOCUSED = """() => {
    const focused = document.activeElement, box = focused.getBoundingClientRect();
    const inChart = focused.closest("svg"), style = getComputedStyle(inChart ? focused.firstElementChild : focused);
    const isSeen = (inChart ? style.stroke : style.outlineStyle) !== "none" || style.boxShadow !== "none";
    return [focused.textContent.trim(), isSeen && box.width > 0 && box.bottom > 0];
}"""
IN_CONTENT = """() => {
    const main = document.querySelector("main, [role=main]");
    return main.contains(document.activeElement) || !main.querySelector("a, button, input, select, summary, [tabindex='0']");
}"""


@pytest.mark.thorough
@pytest.mark.usefixtures("sent")
def test_every_page_of_a_full_site(live_server, watched):
    corpus = FullCorpus()
    corpus.add_pairs(FEW)
    corpus.freeze_and_train()
    corpus.count_statistics()
    wide, narrow = (
        watched(corpus.site.people["researcher"], **look)
        for look in (WIDE, {**NARROW, "color_scheme": "dark"})
    )
    urls = html_pages(corpus, wide)
    assert len(urls) > 60, urls
    look_at_all(urls, wide)
    look_at_all(urls, narrow, again=True)


def html_pages(corpus: FullCorpus, page: Page) -> list[str]:
    """Returns the addresses that answer with a page of their own."""
    looked_at = [each.url for each in pages(corpus) if not each.worker and not LEFT_OUT.search(each.url)]
    answers = [(url, page.request.get(url, max_redirects=0)) for url in looked_at]
    return [url for url, answer in answers if answer.status not in ELSEWHERE and "<html" in answer.text()]


def look_at_all(urls: list[str], page: Page, again: bool = False) -> None:
    said: list[str] = []
    found: list[str] = []
    page.on("console", lambda each: said.append(each.text) if each.type in ("error", "warning") else None)
    page.on("response", lambda each: said.append(each.url) if each.status >= 500 else None)
    for url in urls:
        answer = page.goto(url)
        assert answer is not None
        found += faults(page, url, again) if answer.ok else [f"{url} answered {answer.status}"]
        found += [f"{url} said: {text}" for text in said]
        said.clear()
    assert found == []


def faults(page: Page, url: str, again: bool) -> list[str]:
    expect(page.locator(LOADING), f"{url} loads on and on").to_have_count(0)
    found = [f"{url}: {fault}" for fault in chart_faults(page)]
    if not no_sideways_scroll(page):
        found.append(f"{url}: wider than the screen")
    if page.evaluate(NO_FOCUS):
        found += [f"{url}: {fault}" for fault in keyboard_faults(page)]
    return found + [
        f"{url}: {rule['id']}: {node['html'][:200]}"
        for rule in own_violations(page, again)
        for node in rule["nodes"]
    ]


def keyboard_faults(page: Page) -> list[str]:
    """Returns what is wrong with the first keys that somebody presses: the link to the content, and what comes after it."""
    page.keyboard.press("Tab")
    name, is_seen = page.evaluate(FOCUSED)
    found = [] if name == "Skip to content" and is_seen else [f"“{name}” is first, seen: {is_seen}"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    name, is_seen = page.evaluate(FOCUSED)
    if not (is_seen and page.evaluate(IN_CONTENT)):
        found.append(f"“{name}” comes after the skip link, seen: {is_seen}")
    return found
