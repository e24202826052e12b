"""Looks (width, colours) in which tests open pages, and the checks for each."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

DESK = {"viewport": {"width": 1200, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}

# For `watched(ana, **look)`. Colours do not change the layout: `violations` looks at both, whichever a page begins with.
LOOKS = pytest.mark.parametrize(
    "look",
    [
        pytest.param({**PHONE, "color_scheme": "dark"}, id="phone"),
        pytest.param(DESK, id="desk", marks=pytest.mark.thorough),
    ],
)

# Otherwise axe returns every element without an error, too.
VIOLATIONS = {"resultTypes": ["violations"]}
CONTRAST = {**VIOLATIONS, "runOnly": ["color-contrast"]}
OTHER = {"light": "dark", "dark": "light"}


def violations(page: Page) -> list[dict[str, Any]]:
    """Returns the rules that axe finds broken once the page is loaded: all in its colours, contrast in the others."""
    page.wait_for_load_state()
    found: list[dict[str, Any]] = Axe().run(page, options=VIOLATIONS).response["violations"]
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    own: Any = "dark" if is_dark else "light"
    other: Any = OTHER[own]
    # Without motion the new colours are there at once.
    page.emulate_media(color_scheme=other, reduced_motion="reduce")
    again = page.evaluate("options => axe.run(document, options)", CONTRAST)["violations"]
    page.emulate_media(color_scheme=own)
    page.emulate_media(reduced_motion="no-preference")
    return found + [{**rule, "id": f"{rule['id']} in {other} colours"} for rule in again]


def complaints(page: Page, name: str) -> list[str]:
    """Returns the serious errors that axe finds."""
    return [
        f"{name}: {rule['id']} ({rule['impact']}): {node['html'][:200]}"
        for rule in violations(page)
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def all_complaints(page: Page, name: str) -> list[str]:
    """Returns everything that axe finds, of every impact: the pages of the workspace pass all of its rules."""
    return [
        f"{name}: {rule['id']}: {node['html'][:200]}" for rule in violations(page) for node in rule["nodes"]
    ]


def no_sideways_scroll(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
