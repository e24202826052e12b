"""Long lists in a real browser: how much stands on a screen, by keyboard, beside a pair, on a phone, without scripts."""

import pytest
from playwright.sync_api import Page, expect

from collection.models import PairSet
from tests.browser.looks import PHONE, all_complaints, no_sideways_scroll
from tests.charted import charted_corpus
from tests.conftest import REPOSITORY
from tests.full_corpus import FullCorpus
from tests.full_pages import pages
from tests.modeling.material import done_run, small_snapshot

pytestmark = pytest.mark.django_db(transaction=True)

LAPTOP = {"viewport": {"width": 1280, "height": 900}}
WIDE = {"viewport": {"width": 1600, "height": 900}}
LIST = "/corpora/charted/pairs/"
# Where the first row is, how many rows are wholly seen, how high the page is.
PLACES = """() => {
    const boxes = [...document.querySelectorAll(".list-table > tbody > tr")].map(row => row.getBoundingClientRect());
    const end = document.querySelector(".list .table-scroll").getBoundingClientRect().bottom;
    return [boxes[0].top, boxes.filter(box => box.bottom <= Math.min(end, innerHeight) + 1).length,
        document.documentElement.scrollHeight];
}"""
SMALLEST = "parts => Math.min(...parts.map(part => part.getBoundingClientRect().height))"


def row(page: Page, number: int):
    return page.locator(".list-table > tbody > tr").nth(number)


def test_fourteen_pairs_stand_on_a_laptops_first_screen(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **LAPTOP)
    page.goto(LIST)
    top, seen, height = page.evaluate(PLACES)
    assert top <= 400
    assert seen >= 14
    assert height < 3000
    assert no_sideways_scroll(page)
    assert all_complaints(page, "pairs") == []
    head = page.locator(".list-table thead th").last
    row(page, 49).scroll_into_view_if_needed()
    expect(head).to_be_in_viewport()


def test_rows_are_ticked_and_put_into_a_set_by_keyboard(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **LAPTOP)
    page.goto(LIST)
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(row(page, 1)).to_be_focused()
    expect(page.get_by_label("Which pairs").locator("option").first).to_have_text("2 ticked")
    page.keyboard.press("?")
    expect(page.get_by_text("next row")).to_be_visible()
    page.get_by_label("What happens to them").select_option("Into a set")
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("Name of the set").fill("For the paper")
    expect(page.get_by_text("2 pairs go into the set.")).to_be_visible()
    assert all_complaints(page, "an act") == []
    page.get_by_role("button", name="Into a set: 2 pairs").click()
    expect(page.get_by_text("2 pairs are in the set.")).to_be_visible()
    page.get_by_role("complementary", name="Filters").get_by_role("link", name="For the paper").click()
    expect(page.locator(".list-said").get_by_text("2 pairs.")).to_be_visible()
    assert PairSet.objects.get().places.count() == 2


def test_on_a_wide_screen_a_pair_opens_beside_the_list_and_follows_the_keys(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **WIDE)
    page.goto(LIST)
    name = row(page, 0).locator("a[data-pair]").inner_text()
    row(page, 0).locator("a[data-pair]").click()
    beside = page.get_by_role("dialog")
    expect(beside.get_by_role("heading", name=name, exact=True)).to_be_visible()
    assert row(page, 0).bounding_box()["width"] + beside.bounding_box()["width"] < 1600
    page.keyboard.press("j")
    following = row(page, 1).locator("a[data-pair]").inner_text()
    expect(beside.get_by_role("heading", name=following, exact=True)).to_be_visible()
    expect(row(page, 1)).to_be_focused()
    assert all_complaints(page, "a pair beside the list") == []
    page.keyboard.press("Escape")
    expect(beside).to_be_hidden()


def test_a_finger_has_room_and_the_filters_fold_on_a_phone(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **PHONE)
    page.goto(LIST)
    facets = page.locator(".facet li a")
    expect(facets.first).to_be_hidden()
    words = page.get_by_label("Words of premise or hypothesis")
    expect(words).to_be_hidden()
    top, seen, _ = page.evaluate(PLACES)
    assert top <= 400
    assert seen >= 4
    page.locator(".list-filters summary").first.click()
    expect(words).to_be_visible()
    for parts in (facets, page.locator(".list-bar .button"), page.locator(".list-act :is(.button, select)")):
        assert parts.evaluate_all(SMALLEST) >= 44
    assert no_sideways_scroll(page)
    assert all_complaints(page, "pairs on a phone") == []


@pytest.mark.parametrize("look", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_annotators_and_runs_are_such_lists_too(live_server, watched, rosa, sent, look):
    charted_corpus(extra=False)
    run = done_run(small_snapshot(9))
    page = watched(rosa, **look)
    for address, code in (("/corpora/charted/annotators/", None), ("/runs/", str(run.pk))):
        page.goto(address)
        assert page.evaluate(PLACES)[0] <= 400, address
        assert no_sideways_scroll(page)
        assert all_complaints(page, address) == []
        name = code or row(page, 0).locator("th a").inner_text()
        page.keyboard.press("j")
        expect(row(page, 0)).to_be_focused()
        page.keyboard.press("x")
        boxes = row(page, 0).get_by_role("checkbox")
        assert boxes.count() == (code is not None), "only runs are ticked"
        if code:
            expect(boxes).to_be_checked()
            page.get_by_role("button", name="Curves of the ticked runs").click()
            page.wait_for_url(f"**/runs/curves/?run={run.pk}")
            page.go_back()
            page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{name}/")


def lists_of_the_site() -> set[str]:
    """Returns the templates that are lists, as the code has them: a new one is measured by itself."""
    folder = REPOSITORY / "templates"
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*.html")
        if '{% extends "lists/list.html" %}' in path.read_text()
    }


@pytest.mark.thorough
def test_every_list_begins_on_the_first_screen_and_ends_soon(live_server, watched, sent, client):
    corpus = FullCorpus()
    corpus.add_pairs(240)
    corpus.freeze_and_train()
    corpus.count_statistics()
    researcher = corpus.site.people["researcher"]
    client.force_login(researcher)
    page = watched(researcher, **LAPTOP)
    measured: set[str] = set()
    for each in pages(corpus):
        if each.worker or each.url.startswith("/admin/") or "?" in each.url:
            continue
        names = {template.name for template in getattr(client.get(each.url), "templates", ())}
        if found := names & lists_of_the_site():
            page.goto(each.url)
            top, _, height = page.evaluate(PLACES)
            assert top < 500, each.url
            assert height < 3000, each.url
            assert no_sideways_scroll(page), each.url
            measured |= found
    assert measured == lists_of_the_site()


def test_without_scripts_a_list_filters_pages_and_acts(live_server, window_of, rosa):
    charted_corpus(extra=False)
    page = window_of(rosa, **LAPTOP, java_script_enabled=False).new_page()
    page.goto(f"{LIST}?size=25")
    page.get_by_role("link", name="Next page").click()
    expect(row(page, 0)).not_to_have_attribute("id", "pair-fiction-0-e")
    page.get_by_label("Words of premise or hypothesis").fill("number 4 begins")
    page.get_by_role("button", name="Search").nth(1).click()
    expect(page.locator(".list-said").get_by_text("9 pairs.")).to_be_visible()
    expect(page.locator("mark")).to_have_count(9)
    page.get_by_label("Which pairs").select_option("all")
    page.get_by_label("What happens to them").select_option("Withdraw")
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("Reason").fill("One story too many.")
    page.get_by_role("button", name="Withdraw: 9 pairs").click()
    expect(page.get_by_text("9 pairs are withdrawn.")).to_be_visible()
    expect(page.get_by_text("No pair fits all filters.")).to_be_visible()
