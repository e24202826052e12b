"""How long a browser test waits for what must come, and how it waits for something outside the page."""

import time
from collections.abc import Callable

from playwright.sync_api import Page

PATIENCE_MS = 60_000  # a busy machine is late; a test that passes never waits so long


def wait_until(page: Page, holds: Callable[[], object]) -> None:
    """Waits for something that no page shows, such as a row of the database. Playwright's own events go on."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < until, "it did not come about in time"
        page.wait_for_timeout(50)
