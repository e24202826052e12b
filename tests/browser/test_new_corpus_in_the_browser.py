"""A linguist makes a corpus by forms alone, which two people fill: from an example to a release, without a file."""

import re
from functools import partial

import pytest
from django.db.models import F
from playwright.sync_api import Locator, Page, expect

from collection.models import Corpus, Pair, PairImportJob, PromptVersion
from modeling.models import TrainingRun
from snapshots.files.datasheet import QUESTIONS
from snapshots.models import Snapshot, SnapshotExport
from tests.browser.labelling import press, with_standing_clock
from tests.browser.looks import all_complaints, no_sideways_scroll
from tests.browser.waiting import wait_until
from tests.corpora import make_corpus
from tests.jobs.material import work

WIDE = {"viewport": {"width": 1280, "height": 900}}
PREMISES = "A man waits for the bus in the rain.\nTwo children build a tower of blocks.\n"
ANSWERS = {"entailment": "Right", "neutral": "Perhaps", "contradiction": "Wrong"}
WRITTEN = {
    "nina": ("A person is outdoors.", "The bus is late again today.", "A man sleeps in his warm bed."),
    "olga": ("Children are playing.", "The tower falls down soon.", "Nobody is near any toys at all."),
}


def _is_heard(page: Page, key: str, answer: Locator) -> int:
    press(page, key)
    return answer.count()


def part(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Parts of the corpus file").get_by_role("button", name=name).click()
    expect(page.get_by_role("heading", level=1, name=re.compile(f"^{name}"))).to_be_visible()


def join(page: Page, link: str, name: str) -> None:
    page.goto(link)
    for field, text in {"username": name, "new": "lantern-orbit-52", "again": "lantern-orbit-52"}.items():
        page.locator(f"[name={field}]").fill(text)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_text("$0.55").first).to_be_visible()


def write(page: Page, texts: tuple[str, ...]) -> None:
    """Agrees, passes the check and writes for one premise."""
    page.goto("/work/writing/bus-stops/")
    page.get_by_role("button", name="I have read this, and I agree").click()
    for place, words in enumerate(ANSWERS.values()):
        page.locator(f"#check-{place}").get_by_role("button", name=words).click()
    for label, text in zip(ANSWERS.values(), texts, strict=True):
        page.get_by_role("textbox", name=label, exact=True).fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Saved. You earned").first).to_be_visible()


def judge(page: Page) -> None:
    """Labels the three sentences of the other one as they were meant."""
    page.goto("/work/validation/bus-stops/")
    page.get_by_role("button", name="Start judging").click()
    sends = page.get_by_role("heading", name="Your answers will be sent")
    for _ in range(3):
        sentence = page.locator(".hypothesis:visible").inner_text()
        key = str([*ANSWERS].index(Pair.objects.get(hypothesis=sentence).author_label) + 1)
        # A key that comes before the script has begun is not heard.
        wait_until(page, partial(_is_heard, page, key, sends))
        page.keyboard.press("Enter")
        expect(page.locator(".hypothesis", has_text=sentence)).to_have_count(0)


def publish(page: Page) -> None:
    """Freezes, trains, exports, describes and publishes."""
    page.goto("/c/bus-stops/")
    page.get_by_role("region", name="Next step").get_by_role("link", name="Plan a freeze").click()
    page.get_by_role("button", name="Freeze 6 pairs").click()
    work(Snapshot.objects.get())
    page.get_by_role("tab", name="Files", exact=True).click()
    page.get_by_role("link", name="Train a baseline on it").click()
    page.get_by_label("Baseline").select_option("majority")
    page.get_by_role("button", name="Start training").click()
    work(TrainingRun.objects.get())
    accuracy = page.get_by_role("region", name="Accuracy", exact=True)
    expect(accuracy.get_by_role("row", name="test")).to_contain_text("33.3%")
    snapshot = f"/snapshots/{Snapshot.objects.get().pk}/"
    page.goto(f"{snapshot}exports/")
    page.get_by_role("region", name="parquet", exact=True).get_by_role(
        "button", name="Write the files"
    ).click()
    work(SnapshotExport.objects.get())
    with page.expect_download() as sent:
        page.get_by_role("link", name="train.parquet").click()
    assert sent.value.path().read_bytes()[:4] == b"PAR1"
    page.goto("/snapshots/datasheet/bus-stops/")
    for key, question in QUESTIONS.items():
        page.get_by_label(question).fill(f"{key}: it is known.")
    page.get_by_role("button", name="Save the answers").click()
    page.goto(snapshot)
    page.get_by_role("tab", name="Release", exact=True).click()
    page.get_by_role("button", name="Publish bus-stops@1").click()
    expect(page.get_by_text("with the datasheet of that day")).to_be_visible()


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

    part(page, "Questions")
    question = page.get_by_role("group", name="The main question")
    question.get_by_label("Labels a pair", exact=True).fill("2")
    question.get_by_label("Votes for a gold label").fill("2")
    part(page, "Other languages")
    page.get_by_role("button", name=re.compile("^Add ?: Languages")).click()
    page.locator("summary", has_text="The main question").click()
    expect(page.get_by_label("Comments on the worked examples, 1").first).to_be_visible()
    assert all_complaints(page, "languages") == []
    page.get_by_role("button", name=re.compile("^Take out ?: Language 1")).click()
    part(page, "What it is")
    page.get_by_label("Pairs of a genre for dev").fill("0")
    page.get_by_label("Pairs of a genre for test").fill("3")

    part(page, "Consent")
    page.locator("summary", has_text="**Questions** go to").click()
    page.get_by_label("Fact", exact=True).last.fill("**Questions** go to Rosa, rosa@example.org.")
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

    page.goto("/c/bus-stops/invitations/")
    page.get_by_label("E-mail addresses").fill("nina@example.org\nolga@example.org")
    page.get_by_role("button", name="Invite them by mail").click()
    links = dict(zip(WRITTEN, page.locator("td code").all_inner_texts(), strict=True))
    people = {name: with_standing_clock(watched(None, **WIDE)) for name in links}
    for name, person in people.items():
        join(person, links[name], name)
        write(person, WRITTEN[name])
    page.goto("/c/bus-stops/")
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Labelling").click()
    page.get_by_role("link", name="Open pairs").first.click()
    page.get_by_role("button", name="Open pairs").click()
    expect(page.get_by_text("6 pairs are open for labelling.")).to_be_visible()
    for person in people.values():
        judge(person)
    assert Pair.objects.filter(labels__label=F("author_label"), labels__origin="cast").count() == 6
    publish(page)


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
