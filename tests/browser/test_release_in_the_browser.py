"""From a frozen snapshot to a release in a browser: datasheet, exports, publishing, retracting. Axe looks at each state."""

import pytest
from playwright.sync_api import expect

from snapshots.exports.job import carry_out_export
from snapshots.files.datasheet import QUESTIONS
from snapshots.models import SnapshotExport
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.snapshots.material import corpus_of, freeze


@pytest.fixture
def snapshot(db):
    return freeze(corpus_of(2, dev=0, test=0))


@pytest.fixture
def look_at():
    """`look_at(page, state)` records errors; the test fails at its end if there are any."""
    found = []

    def note(page, state: str) -> None:
        found.extend(complaints(page, state))
        if not no_sideways_scroll(page):
            found.append(f"{state}: wider than the screen")

    yield note
    assert found == []


@pytest.mark.thorough
@LOOKS
def test_a_snapshot_is_described_published_and_retracted(live_server, watched, rosa, snapshot, look, look_at):
    page = watched(rosa, **look)
    page.goto(f"/snapshots/{snapshot.pk}/")
    page.get_by_role("tab", name="Release", exact=True).click()
    expect(page.get_by_text("This snapshot cannot be published yet: 8 questions")).to_be_visible()
    look_at(page, "unanswered")
    page.get_by_role("link", name="Answer the datasheet’s questions").click()
    look_at(page, "datasheet, blank")
    for key, question in QUESTIONS.items():
        page.get_by_label(question).fill(f"{key}: " + "it is known. " * 20)
    page.get_by_role("button", name="Save the answers").click()
    expect(page.get_by_text("All questions are answered")).to_be_visible()
    page.get_by_text("1 answer so far").first.click()
    look_at(page, "datasheet, answered")

    page.goto(f"/snapshots/{snapshot.pk}/")
    page.get_by_role("button", name="Publish small@1").click()
    expect(page.get_by_text("with the datasheet of that day")).to_be_visible()
    page.get_by_text("Retract this snapshot", exact=True).click()
    look_at(page, "published")
    page.get_by_role("textbox").fill("Two genres were swapped.")
    page.get_by_role("button", name="Retract small@1").click()
    expect(page.get_by_role("note")).to_contain_text("Two genres were swapped.")
    look_at(page, "retracted")
    page.get_by_role("link", name="Snapshots", exact=True).first.click()
    expect(page.get_by_role("cell", name="Retracted")).to_be_visible()
    look_at(page, "list")


def test_an_export_that_is_done_appears_by_itself(live_server, watched, rosa, snapshot):
    page = watched(rosa)
    page.goto(f"/snapshots/{snapshot.pk}/exports/")
    section = page.get_by_role("region", name="parquet", exact=True)
    section.get_by_role("button", name="Write the files").click()
    expect(section.get_by_text("Being written")).to_be_visible()
    carry_out_export(export_id=SnapshotExport.objects.get().pk)
    expect(page.get_by_role("link", name="train.parquet")).to_be_visible()


@pytest.mark.thorough
@LOOKS
def test_an_export_is_asked_for_made_and_refused(live_server, watched, rosa, snapshot, look, look_at):
    page = watched(rosa, **look)
    page.goto(f"/snapshots/{snapshot.pk}/exports/")
    look_at(page, "nothing asked for")
    for name in ("mpe", "parquet"):
        section = page.get_by_role("region", name=name, exact=True)
        section.get_by_role("button", name="Write the files").click()
        expect(section.get_by_text("Being written")).to_be_visible()
    look_at(page, "being made")
    carry_out_export(export_id=SnapshotExport.objects.get(format="parquet").pk)
    expect(page.get_by_role("link", name="train.parquet")).to_be_visible()  # by itself
    look_at(page, "one is done")
    SnapshotExport.objects.filter(format="mpe").update(
        status="failed", error="mpe has four sentences in each premise."
    )
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    look_at(page, "one could not be")
