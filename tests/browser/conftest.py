"""A real browser: Chromium, driven by Playwright, against a live server."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from accounts.models import User

# Nothing may call out, and a test machine may well run as root in a container.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESK = {"viewport": {"width": 1200, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("There is no Chromium. On Debian, as root: apt-get install chromium; or set CHROMIUM.")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, in which Django would refuse to ask the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        opened = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def window_of(browser: Browser, live_server: Any) -> Iterator[Callable[..., BrowserContext]]:
    """`window_of(ana)`: a browser window in which Ana is signed in; `window_of(None)`: a visitor's.

    More settings as Playwright names them: `window_of(vera, **PHONE)`, `color_scheme="dark"`.
    """
    windows = []

    def open_window(user: User | None, **settings: Any) -> BrowserContext:
        window = browser.new_context(base_url=live_server.url, **{**DESK, **settings})
        window.set_default_timeout(15_000)
        if user is not None:
            client = Client()
            client.force_login(user)
            cookie = client.cookies["sessionid"].value
            window.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        windows.append(window)
        return window

    yield open_window
    for window in windows:
        window.close()


@pytest.fixture
def watched(window_of: Callable[..., BrowserContext]) -> Iterator[Callable[..., Page]]:
    """A page whose scripts must not fail: `watched(ana)`; an error in one fails the test at its end."""
    errors: list[str] = []

    def open_page(user: User | None, **settings: Any) -> Page:
        page = window_of(user, **settings).new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_page
    assert errors == []
