"""Formats a duration in words for a table: `{{ row.median|duration }}` is "2 min 05 s"."""

from datetime import datetime, timedelta

from django import template

register = template.Library()


@register.filter
def duration(value: timedelta | None) -> str:
    """Formats a duration; a dash if nothing was measured."""
    if value is None:
        return "\N{EN DASH}"
    seconds = round(value.total_seconds())
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds % 60:02} s" if minutes else f"{seconds} s"


@register.filter
def took(begin: datetime, end: datetime) -> str:
    return duration(end - begin)


@register.filter
def milliseconds(value: int) -> str:
    return duration(timedelta(milliseconds=value))
