"""Text and background have the contrast of WCAG AA (4.5), in light and in dark."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = (Path(settings.BASE_DIR) / "static" / "css" / "site.css").read_text()
PAIRS = [
    ("ink", "paper"),
    ("ink", "surface"),
    ("ink", "sunken"),
    ("ink", "warn-wash"),
    ("ink", "wrong-wash"),
    ("ink", "accent-wash"),
    ("ink-soft", "paper"),
    ("ink-soft", "surface"),
    ("ink-soft", "sunken"),
    ("accent", "paper"),
    ("accent", "surface"),
    ("accent", "accent-wash"),
    ("accent", "warn-wash"),
    ("accent", "wrong-wash"),
    ("accent-strong", "accent-wash"),
    ("accent-ink", "accent"),
    ("accent-ink", "accent-strong"),
    ("wrong", "paper"),
    ("wrong", "surface"),
    *(
        (f"label-{letter}", ground)
        for letter in "enc"
        for ground in ("paper", "surface", f"label-{letter}-wash")
    ),
    *(("label-ink", f"label-{letter}") for letter in "enc"),
]


def colours(css):
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))


LIGHT_CSS, DARK_CSS = CSS.split("@media (prefers-color-scheme: dark)", 1)
LIGHT = colours(LIGHT_CSS)
DARK = {**LIGHT, **colours(DARK_CSS.split("/* Ground */")[0])}


def luminance(colour):
    """Returns the relative luminance by WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = ((c / 12.92) if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(scheme):
    palette = LIGHT if scheme == "light" else DARK
    low = {pair: contrast(palette[pair[0]], palette[pair[1]]) for pair in PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_borders_of_fields_and_the_focus_ring_are_visible(scheme):
    palette = LIGHT if scheme == "light" else DARK
    for line in ("line-strong", "accent"):
        for ground in ("paper", "surface"):
            assert contrast(palette[line], palette[ground]) >= 3


def test_dark_answers_every_colour_of_light():
    assert set(colours(DARK_CSS.split("/* Ground */")[0])) == set(LIGHT)
