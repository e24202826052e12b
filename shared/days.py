"""Where a day begins: at midnight UTC in every limit and count, and in the reader's zone where a page says "today"."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TypeVar

Day = TypeVar("Day", bound=date)


def start_of_day(now: datetime, zone: tzinfo = UTC) -> datetime:
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)


def monday_of(day: Day) -> Day:
    return day - timedelta(days=day.weekday())
