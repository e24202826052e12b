"""Asking for derived trees and stopping the freeze, in a real browser on a phone and in the dark."""

import pytest
from playwright.sync_api import expect

from snapshots.freezing.job import freeze_snapshot
from snapshots.models import Snapshot
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.snapshots.material import corpus_of


@pytest.mark.thorough
@LOOKS
def test_trees_are_asked_for_the_freeze_is_stopped_and_made_after_all(live_server, watched, rosa, look):
    corpus = corpus_of(2, dev=0, test=0)
    page = watched(rosa, **look)
    page.goto(f"/snapshots/freeze/{corpus.slug}/plan/")
    page.get_by_label("Derive parse trees").check()
    page.get_by_role("button", name="Show this plan").click()
    expect(page.get_by_text("6 pairs have no parse trees")).to_be_visible()
    expect(page.get_by_label("Derive parse trees")).to_be_checked()
    found = complaints(page, "plan")
    assert no_sideways_scroll(page)

    page.get_by_role("button", name="Freeze 6 pairs").click()
    expect(page.get_by_text("The freeze is under way")).to_be_visible()
    found += complaints(page, "under way")
    assert no_sideways_scroll(page)
    page.get_by_role("button", name="Stop this freeze").click()
    expect(page.get_by_text(f"Stopped by {rosa.code}. You can freeze again at any time.")).to_be_visible()
    found += complaints(page, "stopped")

    page.get_by_role("link", name="Plan the freeze again").click()
    page.get_by_label("Derive parse trees").check()
    page.get_by_role("button", name="Show this plan").click()
    page.get_by_role("button", name="Freeze 6 pairs").click()
    freeze_snapshot(snapshot_id=Snapshot.objects.get().pk)
    expect(page.get_by_text("parse trees derived here by rule")).to_contain_text(
        "6 premises and 6 hypotheses"
    )
    found += complaints(page, "frozen")
    assert no_sideways_scroll(page)
    assert found == []
