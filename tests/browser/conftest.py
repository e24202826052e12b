"""A real browser: Chromium, driven by Playwright, against a live server."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from accounts.models import User
from scripts import services
from tests.browser import looks
from tests.browser.looks import DESK
from tests.browser.waiting import PATIENCE_MS
from tests.cast import signed_in

# Chromium must not call its maker; and a test machine may run as root in a container.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Less to start: no drawing by an emulated graphics card, one process for all pages of a window.
    "--disable-gpu",
    "--process-per-site",
]
log = logging.getLogger(__name__)
log.setLevel(logging.INFO)
HERE = Path(__file__).parent
EVERYBODY_CAN_OPEN = "/static/img/quintet.svg"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets a test in the browser that fails run once more: Chromium's own timing is not ours.

    The summary lists what ran again; such a test is mended like one that failed (CONTRIBUTING.md).
    """
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        path = services.chromium().address
    except services.Missing as missing:
        pytest.fail(str(missing))
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, and Django refuses queries in such a thread.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        expect.set_options(timeout=PATIENCE_MS)
        opened = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(autouse=True, scope="session")
def contrast_in_the_second_grade(pytestconfig: pytest.Config) -> None:
    """Lets axe leave out the contrast of texts in the first grade: it takes longer than all other rules together."""
    looks.contrast = pytestconfig.option.markexpr != "not thorough"


@pytest.fixture(scope="session")
def unused_windows(browser: Browser) -> dict[str, list[BrowserContext]]:
    """Windows that earlier tests have left, by their settings: to start one takes ten times the processor time of a page."""
    return {}


@pytest.fixture
def window_of(
    browser: Browser, unused_windows: dict[str, list[BrowserContext]], live_server: Any
) -> Iterator[Callable[..., BrowserContext]]:
    """`window_of(ana)`: a browser window in which Ana is signed in; `window_of(None)`: a visitor's.

    More settings as Playwright names them: `window_of(vera, **PHONE)`, `color_scheme="dark"`.
    """
    windows = []

    def open_window(user: User | None, **settings: Any) -> BrowserContext:
        settings = {**DESK, **settings, "base_url": live_server.url}
        unused = unused_windows.setdefault(json.dumps(settings, sort_keys=True), [])
        window = unused.pop() if unused else new_window(browser, settings)
        windows.append((window, unused))
        if user is not None:
            client = signed_in(user)
            cookie = client.cookies["sessionid"].value
            window.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        return window

    yield open_window
    for window, unused in windows:
        if is_as_new(window, live_server.url):
            unused.append(window)
        else:
            window.close()


def new_window(browser: Browser, settings: dict[str, Any]) -> BrowserContext:
    """Opens a window, with a page that stays open: it keeps the process in which the pages of the tests are shown."""
    window = browser.new_context(**settings)
    window.set_default_timeout(PATIENCE_MS)
    # A test that fails shows these among its log lines.
    window.on("weberror", lambda failed: log.warning("a script failed: %s", failed.error))
    window.on("requestfailed", lambda failed: log.info("not loaded: %s (%s)", failed.url, failed.failure))
    window.on("response", lambda answer: log.info("%s %s", answer.status, answer.url))
    window.new_page().goto(EVERYBODY_CAN_OPEN)
    return window


def is_as_new(window: BrowserContext, site: str) -> bool:
    """Closes the pages of a test and removes what they stored; False if the test set the window's clock, for good."""
    stays, *pages = window.pages
    for page in pages:
        page.close()
    if "native code" not in stays.evaluate("String(Date)"):
        return False
    window.unroute_all()
    window.set_offline(False)
    window.clear_cookies()
    window.clear_permissions()
    session = window.new_cdp_session(stays)
    session.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "all"})
    session.detach()
    return True


@pytest.fixture
def watched(window_of: Callable[..., BrowserContext]) -> Iterator[Callable[..., Page]]:
    """`watched(ana)`: a page for Ana; an error in one of its scripts fails the test at its end."""
    errors: list[str] = []

    def open_page(user: User | None, **settings: Any) -> Page:
        page = window_of(user, **settings).new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_page
    assert errors == []
