"""The researchers' workspace in a real browser: every page of its own, wide and narrow, by keyboard, without scripts."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from collection.models import Corpus, Pair, WritingSeat
from collection.premises.writing_seats import make_seats
from tests.browser.looks import all_complaints, no_sideways_scroll
from tests.browser.site import TEXTS, make_site
from tests.cast import ana, person
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import corpus_of, freeze

WIDE = {"viewport": {"width": 1280, "height": 800}}
NARROW = {"viewport": {"width": 360, "height": 640}}
SIZES = [("wide", WIDE), ("narrow", NARROW)]
FILE = settings.BASE_DIR / "examples" / "captions" / "corpus.toml"
PAGES = (
    "/admin/",
    "/c/small/",
    "/c/small/premises/",
    "/c/small/texts/",
    "/c/small/premises/import/",
    "/c/small/prompts/",
    "/c/small/labelling/",
    "/c/small/settings/",
    "/c/small/settings/file/",
    "/new-corpus/",
    "/corpora/small/pairs/",
    "/corpora/small/pairs/?order=random&shortest=2",
    "/corpora/small/open/",
    "/search/?q=the+story&corpus=small",
    "/snapshots/?corpus=small",
    "/runs/?corpus=small",
    "/health/",
)
OF_WORK = ("/c/small/preview/writing/", "/c/small/preview/labelling/")


def look_at(page: Page, addresses: tuple[str, ...]) -> list[str]:
    found = []
    for address in addresses:
        answer = page.goto(address)
        assert answer is not None
        assert answer.ok, address
        if not no_sideways_scroll(page):
            found.append(f"{address} scrolls sideways")
        found += all_complaints(page, address)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_of_an_empty_corpus(live_server, watched, rosa, size):
    """In the first grade the pages of empty corpora are opened without a browser: test_absent_parts.py."""
    make_corpus()
    assert look_at(watched(rosa, **size), PAGES) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "size"), SIZES)
def test_every_page_without_a_corpus_and_with_one(live_server, watched, rosa, name, size):
    page = watched(rosa, **size)
    assert look_at(page, ("/admin/",)) == []
    expect(page.get_by_role("heading", name="No corpus yet")).to_be_visible()
    make_pairs_in(make_corpus())
    assert look_at(page, (*PAGES, *OF_WORK)) == []


def make_pairs_in(corpus) -> None:
    make_seats(premises=[make_premise(corpus, text) for text in TEXTS])
    for number, text in enumerate(TEXTS):
        premise = make_premise(corpus, f"In the story: {text}")
        make_pair(corpus, premise, f"Hypothesis {number}.", author=ana(), author_label="neutral")


def test_on_a_phone_the_menu_opens_by_keyboard_and_without_scripts(live_server, window_of, rosa):
    make_site()
    page = window_of(rosa, **NARROW, java_script_enabled=False).new_page()
    page.goto("/c/small/")
    sections = page.get_by_role("navigation", name="Sections")
    expect(sections).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    page.keyboard.press("Enter")
    expect(sections.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    page.keyboard.press("Escape")
    expect(sections).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    sections.get_by_role("link", name="Pairs").click()
    expect(page.get_by_role("heading", name="Pairs: The small corpus")).to_be_visible()


@pytest.mark.thorough
def test_filters_fold_away_on_a_phone_and_stand_open_elsewhere(live_server, watched, rosa):
    make_site()
    page = watched(rosa, **WIDE)
    page.goto("/c/small/premises/")
    filters = page.get_by_role("complementary", name="Filters")
    tasks_left = filters.get_by_role("link", name="tasks left")
    expect(tasks_left).to_be_visible()
    page.set_viewport_size(NARROW["viewport"])
    expect(tasks_left).to_be_hidden()
    filters.locator("summary", has_text="Filters").click()
    tasks_left.click()
    expect(page.get_by_text("Filters: 1 set")).to_be_visible()
    expect(page.get_by_text("5 premises.")).to_be_visible()
    assert all_complaints(page, "folded filters") == []


def test_search_and_switching_the_corpus_by_keyboard(live_server, watched, rosa):
    make_site()
    other = make_corpus(slug="other")
    Corpus.objects.filter(pk=other.pk).update(name="The other corpus")
    page = watched(rosa, **WIDE)
    page.goto("/corpora/small/pool/")
    page.get_by_role("button", name="Corpus: The small corpus").press("Enter")
    page.get_by_role("link", name="The other corpus").press("Enter")
    page.wait_for_url("**/corpora/other/annotators/")
    page.goto("/c/small/")
    pair = Pair.objects.earliest("pk")
    page.get_by_role("searchbox").fill(pair.public_id)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=pair.public_id)).to_be_visible()


def test_numbers_come_by_themselves_and_not_under_the_reader(live_server, watched, rosa):
    make_site()
    page = watched(rosa, **WIDE)
    page.clock.install()
    page.goto("/c/small/")
    texts = page.locator("#live").get_by_text("of 5 writing tasks sent")
    expect(texts).to_have_text("0 of 5 writing tasks sent")
    seat = WritingSeat.objects.earliest("pk")
    WritingSeat.objects.filter(pk=seat.pk).update(
        annotator=rosa, leased_until="2030-01-01T00:00Z", submitted_at="2026-01-01T00:00Z"
    )
    page.locator("#live summary").first.focus()
    page.clock.run_for(21_000)
    expect(texts).to_have_text("0 of 5 writing tasks sent")
    page.evaluate("document.activeElement.blur()")
    with page.expect_response("**/c/small/") as asked:
        page.clock.run_for(21_000)
    assert asked.value.request.headers["quintet-poll"] == "true"
    expect(texts).to_have_text("1 of 5 writing tasks sent")


def test_a_preview_sends_nothing(live_server, window_of, rosa):
    make_site()
    page = window_of(rosa, **WIDE).new_page()
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto("/c/small/preview/labelling/")
    page.keyboard.press("1")
    page.goto("/c/small/preview/writing/")
    page.locator("[data-text]").first.fill("A musician plays.")
    page.get_by_role("button", name="Send").click()
    page.wait_for_timeout(500)
    assert sent == []
    expect(page.get_by_text("This is a preview.")).to_be_visible()


@pytest.mark.thorough
def test_a_corpus_file_is_chosen_looked_at_and_loaded(live_server, watched, rosa):
    page = watched(rosa, **WIDE)
    page.goto("/new-corpus/")
    spreadsheet = {"name": "corpus.xlsx", "mimeType": "application/zip", "buffer": b"PK\x03\x04\xff\xfe"}
    page.get_by_label("Choose the file").set_input_files(spreadsheet)
    expect(page.get_by_text("This file is not text in UTF-8")).to_be_visible()
    page.get_by_label("Choose the file").set_input_files(FILE)
    expect(page.get_by_text("This file is not text in UTF-8")).to_be_hidden()
    expect(page.get_by_label("Text of the corpus file")).to_have_value(FILE.read_text())
    page.get_by_role("button", name="Show what would change").click()
    page.get_by_role("button", name="Make the corpus").click()
    expect(page.get_by_role("heading", name="Next step")).to_be_visible()
    assert all_complaints(page, "a new corpus") == []


@pytest.mark.thorough
def test_records_keep_working_and_have_their_landmarks(live_server, watched, rosa):
    make_site()
    page = watched(person("adam", role="administrator"), **WIDE)
    for address in (
        *("/admin/records/", "/admin/collection/premise/", "/admin/accounts/grant/"),
        *(f"/admin/accounts/user/{rosa.pk}/{name}/" for name in ("change", "password")),
    ):
        page.goto(address)
        page.wait_for_load_state("load")
        expect(page.get_by_role("main")).to_be_visible()
        assert page.locator(".material-symbols-outlined:not([aria-hidden]):not([role=button])").count() == 0
        assert all_complaints(page, address) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "size"), SIZES)
def test_the_pages_of_snapshots_and_pairs(live_server, watched, rosa, sent, name, size):
    snapshot = freeze(corpus_of(6))
    pair = Pair.objects.earliest("pk").public_id
    page = watched(rosa, **size)
    addresses = (
        f"/snapshots/{snapshot.pk}/",
        f"/snapshots/{snapshot.pk}/pairs/",
        f"/snapshots/{snapshot.pk}/changes/",
        f"/corpora/small/pairs/{pair}/",
        f"/c/small/predictions/{pair}/",
        "/c/small/labelling/",
    )
    assert look_at(page, addresses) == []
    page.goto(f"/snapshots/{snapshot.pk}/")
    expect(page.get_by_text("This is the first snapshot of its corpus.")).to_be_visible()


def test_opening_shows_numbers_while_the_form_is_filled(live_server, watched, rosa):
    make_pairs_in(make_corpus())
    page = watched(rosa, **WIDE)
    page.goto("/corpora/small/open/")
    page.get_by_label("Number or percentage").fill("3")
    page.keyboard.press("Tab")
    expect(page.get_by_text("3 pairs would open, for 12 labels by validators")).to_be_visible()
    page.get_by_role("button", name="Open pairs").click()
    expect(page.get_by_text("3 pairs are open for labelling.")).to_be_visible()


@pytest.mark.thorough
def test_a_slider_moves_the_number_of_pairs_and_what_they_cost(live_server, watched, rosa):
    corpus = make_corpus()
    for number in range(8):
        make_pair(
            corpus, make_premise(corpus, f"Premise {number}."), "So.", author=ana(), author_label="neutral"
        )
    page = watched(rosa)
    page.goto("/corpora/small/open/")
    cost = page.locator("#preview")
    expect(cost).to_contain_text("8 pairs would open")
    slider = page.get_by_label("How many")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Number or percentage", exact=True)).to_have_value("3")
    expect(cost).to_contain_text("3 pairs would open, for 12 labels")
    page.get_by_label("Number or percentage", exact=True).fill("5")
    expect(slider).to_have_value("5")
    page.get_by_label("a percentage of each genre").check()
    expect(slider).to_have_attribute("max", "100")
    page.get_by_label("the pairs with these ids").check()
    expect(slider).to_be_hidden()
