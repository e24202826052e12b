"""Looks (width, colours) in which tests open pages, and the checks for each."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

DESK = {"viewport": {"width": 1200, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}

# For `watched(ana, **look)`. One visit in the first grade sees the narrow layout and the dark colours, the others all else.
LOOKS = pytest.mark.parametrize(
    "look",
    [
        pytest.param({**PHONE, "color_scheme": "dark"}, id="dark phone"),
        pytest.param(DESK, id="desk", marks=pytest.mark.thorough),
        pytest.param({**DESK, "color_scheme": "dark"}, id="dark desk", marks=pytest.mark.thorough),
    ],
)

# Otherwise axe returns every element without an error, too.
VIOLATIONS = {"resultTypes": ["violations"]}


def complaints(page: Page, name: str) -> list[str]:
    """Returns the serious errors that axe finds on the page, once it is loaded."""
    page.wait_for_load_state()
    found = Axe().run(page, options=VIOLATIONS).response["violations"]
    return [
        f"{name}: {rule['id']} ({rule['impact']}): {node['html'][:200]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def no_sideways_scroll(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
