"""Formats the raw values of a table for a page."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.reports.overviews import OVERVIEWS
from shared.numbers import written
from shared.tables import Value

register = template.Library()
ABSENT = "–"


@register.simple_tag
def run_tables() -> dict[str, str]:
    """Returns the names of the tables over the runs of a snapshot, with their titles."""
    return {name: each.title for name, each in OVERVIEWS.items()}


@register.filter
def shown(value: Value, kind: str) -> str:
    return written(value, kind) or ABSENT


@register.filter
def with_code(text: str) -> SafeString:
    """Returns HTML in which what stands between backticks is code."""
    parts = text.split("`")
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", part) if place % 2 else part,) for place, part in enumerate(parts)),
    )
