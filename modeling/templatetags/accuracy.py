"""How accuracies are written on pages: as in the papers, in percent with one decimal."""

from django import template

from snapshots.tables import percent

register = template.Library()
register.filter("percent", percent)


@register.filter
def points(spread: float | None) -> str:
    """A standard deviation as "0.4": in points, beside a mean in percent; nothing where there is none."""
    return "" if spread is None else f"{100 * spread:.1f}"
