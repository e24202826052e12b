"""Where a day begins: at midnight UTC, on every page and in every limit."""

from datetime import UTC, datetime


def start_of_day(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
