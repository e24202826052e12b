"""Formats statistics on pages: shares as in the papers, in percent with one decimal; a dash for none.

A template passes "" to a filter for a name that it does not find, as in `scores.test.mean` if nothing was tested.
"""

from django import template

from shared.numbers import percent as written_percent

register = template.Library()
ABSENT = "–"


@register.filter
def percent(share: float | str | None) -> str:
    return ABSENT if share is None or share == "" else written_percent(float(share))


@register.filter
def decimals(value: float | str | None, places: int = 3) -> str:
    return ABSENT if value is None or value == "" else f"{float(value):.{places}f}"


@register.filter
def points(spread: float | str | None) -> str:
    """Formats a standard deviation of shares in percentage points, to stand beside a mean in percent."""
    return ABSENT if spread is None or spread == "" else f"{100 * float(spread):.1f}"
