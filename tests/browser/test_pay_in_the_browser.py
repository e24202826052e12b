"""The page on pay in each of its states: nothing serious for axe, nothing wider than a phone."""

import pytest
from playwright.sync_api import expect

from tests.annotation_site.test_pay import corpus, label_five
from tests.browser.test_accessibility import complaints
from tests.browser.test_researcher_in_the_browser import SETTINGS, no_sideways_scroll

__all__ = ["corpus"]


@pytest.mark.parametrize("look", ["phone", "dark"])
def test_pay_is_compared_with_a_floor_and_topped_up(live_server, watched, rosa, vera, corpus, look):
    page, found = watched(rosa, **SETTINGS[look]), []

    def look_at(state: str) -> None:
        found.extend(complaints(page, state))
        if not no_sideways_scroll(page):
            found.append(f"{state}: wider than the screen")

    page.goto(f"/corpora/{corpus.slug}/pay/")
    expect(page.get_by_text("Nobody has earned anything")).to_be_visible()
    look_at("empty")
    label_five(corpus, vera, measured=5)
    page.reload()
    page.get_by_text("What the columns mean").click()
    look_at("earned")
    page.goto(f"/corpora/{corpus.slug}/pay/?floor=plenty")
    expect(page.get_by_text("Enter a number.")).to_be_visible()
    look_at("a floor that is none")
    page.get_by_label("Lowest hourly pay").fill("6")
    page.get_by_role("button", name="Compare with this floor").click()
    expect(page.get_by_text("Below $6.00")).to_be_visible()
    look_at("below the floor")
    page.get_by_role("button", name="Preview top-up").click()
    look_at("asked once more")
    page.get_by_role("button", name="Pay $0.25").click()
    expect(page.get_by_text("$0.25 were added")).to_be_visible()
    look_at("topped up")
    assert found == []
