"""The drawer: pairs of a list one after the other, over the list, by mouse and keyboard, with their actions."""

import pytest
from playwright.sync_api import Page, expect

from collection.models import Pair
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/corpora/small/pairs/?author_label=neutral"


def names() -> list[str]:
    return list(Pair.objects.order_by("pk").values_list("public_id", flat=True))


def heading(page: Page, name: str):
    return page.get_by_role("dialog").get_by_role("heading", name=name, exact=True)


@LOOKS
def test_pairs_are_read_one_after_the_other_by_keyboard(live_server, watched, rosa, look):
    make_site()
    first, second, *_ = names()
    page = watched(rosa, **look)
    page.goto(LIST)
    page.get_by_role("link", name=first).press("Enter")
    expect(heading(page, first)).to_be_visible()
    expect(heading(page, first)).to_be_in_viewport()
    expect(page.get_by_text("1 of 5 on this page")).to_be_visible()
    expect(page.get_by_role("button", name="Previous", exact=True)).to_be_disabled()
    assert complaints(page, "drawer") == []
    assert no_sideways_scroll(page)
    page.keyboard.press("ArrowRight")
    expect(heading(page, second)).to_be_visible()
    assert page.url.endswith(f"{LIST}&pair={second}")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("link", name=second)).to_be_focused()
    page.wait_for_url(f"**{LIST}")


def test_the_address_opens_it_and_back_closes_it(live_server, watched, rosa):
    make_site()
    third = names()[2]
    page = watched(rosa)
    page.goto(f"{LIST}&pair={third}")
    expect(heading(page, third)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.wait_for_url(f"**{LIST}")
    page.go_forward()
    expect(heading(page, third)).to_be_visible()
    page.get_by_role("link", name="Its own page").click()
    page.wait_for_url(f"**/corpora/small/pairs/{third}/")


@pytest.mark.thorough
def test_a_pair_is_withdrawn_and_restored_without_leaving_the_list(live_server, watched, rosa):
    make_site()
    first = names()[0]
    page = watched(rosa)
    page.goto(LIST)
    page.get_by_role("link", name=first).click()
    page.get_by_label("Why it should not count").fill("A copy of another one.")
    page.get_by_role("button", name="Withdraw this pair").click()
    expect(page.get_by_role("dialog").get_by_text("1 pair was withdrawn.")).to_be_visible()
    page.get_by_role("button", name="Undo: let it count again").click()
    expect(page.get_by_role("dialog").get_by_text("1 pair counts again.")).to_be_visible()
    page.get_by_label("Why it should not count").fill("A copy, indeed.")
    page.get_by_role("button", name="Withdraw this pair").click()
    expect(page.get_by_role("dialog").get_by_text("1 pair was withdrawn.")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("4 pairs.")).to_be_visible()  # the list was loaded again


def test_the_list_of_a_snapshot_has_it_too(live_server, watched, rosa, sent):
    snapshot = freeze(corpus_of(2))
    page = watched(rosa)
    page.goto(f"/snapshots/{snapshot.pk}/pairs/")
    link = page.locator("a[data-pair]").first
    name = link.inner_text()
    link.click()
    expect(heading(page, name)).to_be_visible()


def test_a_pair_that_cannot_be_loaded_closes_the_drawer_and_says_why(live_server, watched, rosa):
    make_site()
    page = watched(rosa)
    page.goto(LIST)
    Pair.objects.filter(public_id=names()[0]).update(public_id="elsewhere")
    page.locator("a[data-pair]").first.click()
    expect(page.get_by_role("alert").get_by_text("is not there any more")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
