"""The page of statistics: axe finds nothing serious, all fits a phone, and details open by keyboard."""

import pytest
from playwright.sync_api import expect

from snapshots.statistics.job import compute_statistics, request_statistics
from tests.browser.looks import LOOKS, complaints, show_all, width_of
from tests.snapshots.material import corpus_of, freeze


@pytest.mark.thorough
@LOOKS
def test_statistics_can_be_read_by_everybody(live_server, watched, rosa, look):
    snapshot = freeze(corpus_of(6))
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
    page = watched(rosa, **look)
    page.goto(f"/snapshots/{snapshot.pk}/statistics/")
    show_all(page)
    figures = page.locator("figure[data-chart]").count()
    assert figures > 5
    expect(page.locator("svg.chart-svg")).to_have_count(figures)
    assert complaints(page, "statistics") == []
    width = width_of(page)
    assert width <= page.viewport_size["width"]
    summary = page.locator("figure summary").first
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pairs of the snapshot, those without a gold label among them.")).to_be_visible()
