"""A linguist makes a corpus by forms alone: from an example to a writer at work, without a file."""

import re

import pytest
from playwright.sync_api import Page, expect

from collection.models import Corpus, PairImportJob, PromptVersion
from tests.browser.looks import all_complaints, no_sideways_scroll
from tests.cast import ana
from tests.corpora import make_corpus
from tests.jobs.material import work

WIDE = {"viewport": {"width": 1280, "height": 900}}
PREMISES = "A man waits for the bus in the rain.\nTwo children build a tower of blocks.\n"


def part(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Parts of the corpus file").get_by_role("button", name=name).click()
    expect(page.get_by_role("heading", level=1, name=re.compile(f"^{name}"))).to_be_visible()


@pytest.mark.thorough
def test_a_corpus_from_an_example_by_forms_alone(live_server, watched, rosa):
    page = watched(rosa, **WIDE)
    page.goto("/new-corpus/")
    page.get_by_label("Begin with", exact=True).select_option(
        label="Captions, in the manner of SNLI: one prompt, nobody sees the photo"
    )
    page.get_by_label("Name that people see").fill("Bus stops")
    page.get_by_label("Short name").fill("bus-stops")
    page.get_by_role("button", name="Begin with it").click()
    page.get_by_role("button", name="Make the corpus").click()
    expect(page.get_by_role("heading", name="Next step")).to_be_visible()

    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Change them by forms").click()
    part(page, "Pay and time")
    pay = page.get_by_role("group", name=re.compile("^Prompt")).get_by_label("Pay for a premise, in cents")
    pay.fill("many")
    expect(page.get_by_text("◀ must be a whole number")).to_be_visible()
    expect(page.get_by_text('Must be a whole number, not a text ("many").', exact=True)).to_be_visible()
    expect(pay).to_be_focused()
    pay.fill("55")
    expect(page.get_by_text("$18.00", exact=True)).to_be_visible()  # 110 seconds a premise, while one types
    expect(page.get_by_text("Must be a whole number")).to_have_count(0)
    assert all_complaints(page, "pay") == []

    part(page, "Prompts")
    page.get_by_label("Instructions", exact=True).fill("Look at the **bus stop** in your mind. Then write.")
    page.get_by_role("button", name="Preview as writers see it").click()
    preview = page.frame_locator("iframe[title^=Preview]")
    expect(preview.get_by_text("bus stop", exact=True)).to_be_visible()
    page.get_by_label("Instructions", exact=True).fill("Look at the **tram stop** in your mind. Then write.")
    expect(preview.get_by_text("tram stop", exact=True)).to_be_visible()
    assert no_sideways_scroll(page)

    part(page, "Consent")
    text = page.get_by_label("Text", exact=True)
    text.fill(re.sub(r"\*\[[^]]*\]\*", "Rosa, rosa@example.org", text.input_value()))
    page.get_by_role("button", name="Show what would change").last.click()
    expect(page.get_by_text("pay_cents: 36 -> 55")).to_be_visible()
    page.get_by_role("button", name="Make these changes").click()
    expect(page.get_by_text("changes made.")).to_be_visible()
    version = PromptVersion.objects.get()
    assert (version.number, version.pay_cents) == (1, 55)
    assert "tram stop" in version.instructions

    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Premises").click()
    page.get_by_role("link", name="Import premises").first.click()
    page.get_by_role("link", name="Send a file").click()
    page.get_by_label("Name of the file").fill("stops.txt")
    page.get_by_label("Or paste its text").fill(PREMISES)
    page.get_by_role("button", name="Send the file").click()
    page.get_by_label("Genre").select_option("captions")
    page.get_by_role("button", name="Import now").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    work(PairImportJob.objects.get())
    assert Corpus.objects.get().premises.count() == 2

    writer = watched(ana(), **WIDE)
    writer.goto("/start/")
    expect(writer.get_by_text("Bus stops").first).to_be_visible()
    expect(writer.get_by_text("$0.55").first).to_be_visible()


def test_a_long_file_is_sent_in_portions_goes_on_after_a_break_and_is_imported(
    watched, rosa, tmp_path, settings
):
    make_corpus()
    lines = [f"The ferry number {n} came late to the harbour that morning." for n in range(90_000)]
    (tmp_path / "ferries.txt").write_text("\n".join(lines))
    page = watched(rosa, **WIDE)
    broken: list[None] = []
    page.goto("/imports/send/?corpus=small")

    def route(route):
        if "at=2097152" in route.request.url and not broken:
            broken.append(route.abort())
        else:
            route.continue_()

    page.route("**/imports/send/?*", route)
    page.get_by_label("Choose the file").set_input_files(tmp_path / "ferries.txt")
    expect(page.get_by_label("Name of the file")).to_have_value("ferries.txt")
    page.get_by_role("button", name="Send the file").click()
    expect(page.get_by_label("Genre")).to_be_visible()
    assert broken
    stored = page.get_by_label("File", exact=True).input_value()
    assert (settings.INCOMING_ROOT / stored).read_text() == "\n".join(lines)


@pytest.mark.thorough
def test_the_forms_work_without_scripts(live_server, window_of, rosa):
    page = window_of(rosa, **WIDE, java_script_enabled=False).new_page()
    page.goto("/new-corpus/")
    page.get_by_label("Name that people see").fill("Bus stops")
    page.get_by_label("Short name").fill("bus-stops")
    page.get_by_role("button", name="Begin with it").click()
    page.get_by_role("button", name="Make the corpus").click()
    page.goto("/c/bus-stops/settings/change/pay/")
    page.get_by_label("Pay for a premise, in cents").fill("55")
    page.get_by_label("Pay for a premise, in cents").press("Enter")
    expect(page.get_by_text("$18.00", exact=True)).to_be_visible()
    part(page, "Prompts")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Preview as writers see it").click()
    expect(opened.value.get_by_text("$0.55").first).to_be_visible()
    page.get_by_role("button", name="Make these changes").click()
    expect(page.get_by_text("changes made.")).to_be_visible()
    assert PromptVersion.objects.get().pay_cents == 55
