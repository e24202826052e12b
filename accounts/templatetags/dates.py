"""`{{ time|moment }}` and `{{ day|day }}`: the one format of dates on researchers' pages, in the reader's time zone."""

from contextvars import ContextVar
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html

register = template.Library()

# The time zone of the reader of the present page; None if it is not known. Days that are counted stay days of UTC, as
# in files and in REST: so it is not the zone that the database counts in.
READERS_ZONE: ContextVar[ZoneInfo | None] = ContextVar("readers_zone", default=None)
DAY, CLOCK = "SHORT_DATE_FORMAT", "H:i"


@register.filter
def moment(time: datetime | None) -> str:
    """Returns the reader's day and time, with the time in UTC as a title; in UTC if the time zone is not known."""
    if not time:
        return ""
    zone = READERS_ZONE.get()
    shown = _written(time.astimezone(zone)) if zone else f"{_written(time.astimezone(UTC))} UTC"
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        time.astimezone(UTC).isoformat(timespec="seconds"),
        _written(time.astimezone(UTC)),
        shown,
    )


@register.filter
def day(value: date | datetime | str | None) -> str:
    """Returns the day, which may be an ISO date; of a time, the reader's."""
    if not value:
        return ""
    if isinstance(value, str):
        value = date.fromisoformat(value)
    if isinstance(value, datetime):
        value = value.astimezone(READERS_ZONE.get() or UTC)
    return date_format(value, DAY)


def _written(time: datetime) -> str:
    return f"{date_format(time, DAY)}, {date_format(time, CLOCK)}"
