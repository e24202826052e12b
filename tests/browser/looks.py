"""Looks (width, colours) in which tests open pages, and the checks for each."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

# `make test` compares the contrast of texts, in both colours; `make quick` does not (conftest.py sets it), because that
# takes axe longer than all other rules together.
contrast = True
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

# Otherwise axe would describe every element without an error, too: half of its time.
VIOLATIONS = {"resultTypes": ["violations"], "reporter": "no-passes"}
CONTRAST = {**VIOLATIONS, "runOnly": ["color-contrast"]}
LAID_OUT = ["color-contrast", "scrollable-region-focusable", "link-in-text-block"]
AGAIN = {**VIOLATIONS, "runOnly": LAID_OUT}
NO_CONTRAST = {**VIOLATIONS, "rules": {"color-contrast": {"enabled": False}}}
# Rows of a table, and cards of a list, beyond these repeat the markup of those before them.
REPEATED = {
    "exclude": [["tbody > tr:nth-child(n+8)"], [".answers > .card:nth-child(n+6)"], ["option:nth-child(n+6)"]]
}
OTHER = {"light": "dark", "dark": "light"}


def show_all(page: Page) -> None:
    """Shows what stands under other tabs, too: every part is looked at."""
    page.evaluate("document.querySelectorAll('[role=tabpanel]').forEach(panel => panel.hidden = false)")


def own_violations(page: Page, again: bool = False) -> list[dict[str, Any]]:
    """Returns the rules that axe finds broken once the page is loaded, in the colours that it has.

    again: all rules have looked at the page in another width, and only those remain that depend on width and colours.
    """
    page.wait_for_load_state()
    show_all(page)
    options = AGAIN if again else VIOLATIONS if contrast else NO_CONTRAST
    found: list[dict[str, Any]] = Axe().run(page, REPEATED, options=options).response["violations"]
    return found


def violations(page: Page) -> list[dict[str, Any]]:
    """Returns the rules that axe finds broken once the page is loaded; in the second grade those of contrast, too.

    They are looked at in the page's colours and in the other ones.
    """
    found = own_violations(page)
    if not contrast:
        return found
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    own: Any = "dark" if is_dark else "light"
    other: Any = OTHER[own]
    # Without motion the new colours are there at once.
    page.emulate_media(color_scheme=other, reduced_motion="reduce")
    again = page.evaluate("([what, options]) => axe.run(what, options)", [REPEATED, CONTRAST])["violations"]
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


def width_of(page: Page) -> int:
    """Returns the width of a page once it is loaded: right after a click it may have no element yet."""
    page.wait_for_load_state()
    return page.evaluate("document.documentElement.scrollWidth")


def no_sideways_scroll(page: Page) -> bool:
    return width_of(page) <= page.evaluate("document.documentElement.clientWidth")


# Where the texts of a chart begin and end, and the picture around them.
EXTENT = """svg => {
    const texts = [...svg.querySelectorAll("text")].map(text => text.getBoundingClientRect());
    const box = svg.closest(".chart-picture").getBoundingClientRect();
    return [Math.min(...texts.map(t => t.left)), Math.max(...texts.map(t => t.right)), box.left, box.right];
}"""


def chart_faults(page: Page) -> list[str]:
    """Returns what is wrong with the charts of a page, once all are drawn; nothing for a page without charts."""
    show_all(page)
    figures = page.locator("figure[data-chart]")
    pictures = figures.locator("svg.chart-svg")
    expect(pictures).to_have_count(figures.count())
    found = []
    for number in range(pictures.count()):
        picture = pictures.nth(number)
        label = picture.get_attribute("aria-label")
        if label != figures.nth(number).locator("figcaption").text_content():  # also in a closed fold
            found.append(f"a chart has another name than its caption: {label}")
        # The page of a sweep draws its charts again every two seconds: each look waits, or takes all at once.
        expect(
            picture.locator("circle, path, rect").first, f"nothing is drawn under “{label}”"
        ).to_be_attached()
        if "NaN" in picture.inner_html():
            found.append(f"a place is not a number: {label}")
        left, right, box_left, box_right = picture.evaluate(EXTENT)
        if left < box_left:
            found.append(f"a text is cut off on the left: {label}")
        if right > box_right:
            found.append(f"a text is cut off on the right: {label}")
    return found
