"""The leak audit on a desk, a phone and in the dark: it is asked for, shows how far it is, is stopped, and goes on."""

import pytest
from playwright.sync_api import expect

from jobs import claims
from modeling.models import LeakAudit
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.jobs.material import work
from tests.modeling.material import small_snapshot


@pytest.mark.thorough
@LOOKS
def test_a_leak_audit_is_asked_for_stopped_and_ended(live_server, watched, rosa, look):
    snapshot = small_snapshot(6)
    page = watched(rosa, **look)
    page.goto(f"/snapshots/{snapshot.pk}/tables/leaks/")
    found = complaints(page, "not counted")
    page.get_by_role("button", name="Count them").click()
    expect(page.get_by_text("Counted comparisons: 0 of 3. You may leave this page.")).to_be_visible()
    first, second, _ = LeakAudit.objects.order_by("pk")
    work(first)
    claims.claim(LeakAudit, second.pk, progress="small@1 train: 1,000 of 2,000 pairs read")
    expect(page.get_by_text("Counted comparisons: 1 of 3.")).to_be_visible()
    expect(page.get_by_text("(small@1 train: 1,000 of 2,000 pairs read)")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(1)
    found += complaints(page, "under way")
    assert no_sideways_scroll(page)
    page.get_by_role("button", name="Stop the count").click()
    expect(page.get_by_text(f"Stopped by {rosa.code}.")).to_be_visible()
    found += complaints(page, "stopped")
    page.get_by_role("button", name="Count them").click()
    expect(page.get_by_role("button", name="Stop the count")).to_be_visible()
    for row in LeakAudit.objects.waiting():
        work(row)
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.get_by_role("button", name="Stop the count")).to_be_hidden()
    assert no_sideways_scroll(page)
    assert found == []
