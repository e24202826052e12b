"""The pages of a finished run: axe finds nothing serious, all fits a phone, and keys move from pair to pair."""

import pytest
from playwright.sync_api import expect

from modeling.folders import folder_of
from modeling.marking.actions import PHENOMENA, begin_marking
from modeling.models import Mark, TrainingRun
from modeling.reports.overviews import OVERVIEWS
from modeling.results.breakdowns import store_breakdowns
from tests.browser.looks import LOOKS, complaints, width_of
from tests.modeling.material import done_run, small_snapshot, write_predictions
from tests.modeling.test_data_map import dynamics

pytestmark = pytest.mark.usefixtures("sent")


def two_runs():
    """Makes a run with its hypothesis-only twin, on nine pairs in test."""
    snapshot = small_snapshot(9, test=9)
    runs = [done_run(snapshot), done_run(snapshot, regime={"hypothesis_only": True})]
    for run, wrong in zip(runs, (3, 5), strict=True):
        write_predictions(run, "test", wrong=wrong)
        store_breakdowns(run, snapshot, folder_of(run), ["test"])
    return runs


@pytest.mark.thorough
@LOOKS
def test_pages_about_runs_can_be_read_by_everybody(live_server, watched, rosa, look):
    run, twin = two_runs()
    dynamics(run)
    page = watched(rosa, **look)
    tables = [f"/snapshots/{run.snapshot_id}/tables/{name}/" for name in OVERVIEWS]
    begin_marking(snapshot=run.snapshot, partition="test", number=3, phenomena=PHENOMENA, seed=1, by=rosa)
    marking = f"/snapshots/{run.snapshot_id}/marking/"
    beside = f"/runs/{run.pk}/predictions/test/?with={twin.pk}"
    for address in (
        f"/runs/{run.pk}/",
        beside,
        f"/runs/{run.pk}/data-map/",
        f"/runs/curves/?run={run.pk}&run={twin.pk}",
        f"/snapshots/{run.snapshot_id}/result-tables/",
        "/runs/",
        marking,
        f"{marking}test/",
        *tables,
    ):
        page.goto(address)
        assert complaints(page, address) == []
        assert width_of(page) <= page.viewport_size["width"]


@pytest.mark.thorough
def test_j_and_k_go_through_the_rows_and_enter_opens_the_pair(live_server, watched, rosa):
    run, _ = two_runs()
    page = watched(rosa)
    page.goto(f"/runs/{run.pk}/predictions/test/")
    rows = [row.get_attribute("id") for row in page.locator(".list-table > tbody > tr").all()]

    def focused():
        return page.evaluate("document.activeElement.id")

    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        assert focused() == rows[place]
    page.keyboard.press("Enter")
    name = rows[1].removeprefix("pair-")
    expect(page.get_by_role("dialog").get_by_role("heading", name=name, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Beside run").focus()
    page.keyboard.press("k")  # in a list of choices a letter belongs to the list
    assert focused() == "with"


def test_digits_tick_phenomena_and_enter_goes_to_the_next_pair(live_server, watched, rosa):
    run, _ = two_runs()
    marking = begin_marking(
        snapshot=run.snapshot, partition="test", number=2, phenomena=PHENOMENA, seed=1, by=rosa
    )
    page = watched(rosa)
    page.goto(f"/snapshots/{run.snapshot_id}/marking/test/")
    for key in ("1", "3", "1", "2", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("Pair 2 of 2").wait_for()
    (mark,) = Mark.objects.filter(pair__marking=marking)
    assert mark.phenomena == [PHENOMENA[1], PHENOMENA[2]]


@pytest.mark.thorough
def test_the_fields_of_settings_follow_the_baseline(live_server, watched, rosa):
    snapshot = small_snapshot()
    page = watched(rosa)
    page.goto(f"/runs/new/{snapshot.pk}/")
    page.get_by_text("Settings of the baseline").click()
    expect(page.locator("#settings")).to_contain_text("no settings")
    page.get_by_label("Baseline").select_option("cbow")
    page.get_by_label("epochs", exact=True).fill("3")
    before = page.get_by_label("batch_size").get_attribute("placeholder")
    page.get_by_label("Preset").select_option("paper")
    expect(page.get_by_label("batch_size")).not_to_have_attribute("placeholder", before or "")
    expect(page.get_by_label("epochs", exact=True)).to_have_value("3")
    page.get_by_label("Baseline").select_option("bilstm")
    expect(page.get_by_label("states")).to_be_visible()
    expect(page.get_by_label("epochs", exact=True)).to_have_value("3")
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/runs/*/")
    run = TrainingRun.objects.get()
    assert (run.baseline, run.config["epochs"]) == ("bilstm", 3)


def test_the_form_of_a_training_counts_its_runs_again_when_a_field_changes(live_server, watched, rosa):
    snapshot = small_snapshot()
    page = watched(rosa)
    page.goto(f"/runs/new/{snapshot.pk}/")
    expect(page.locator("#duration")).to_have_text("1 run.")
    page.get_by_label("Seeds").fill("1, 2")
    page.get_by_label("Seeds").press("Tab")
    expect(page.locator("#duration")).to_have_text("2 runs.")
