"""Formats shares, decimals and days for pages, tables and commands."""

from datetime import date

from nli import percentages


def percent(share: float | None) -> str:
    """Formats a share from 0 to 1 in percent; empty if there is none."""
    return "" if share is None else percentages.percent(share)


def decimals(value: float | None, places: int = 3) -> str:
    return "" if value is None else f"{value:.{places}f}"


def short_day(value: date) -> str:
    """Formats a day as pages do: 22 Nov 2026."""
    return f"{value.day} {value:%b %Y}"


def written(value: str | int | float | None, kind: str) -> str:
    """Formats a value of a table: 1,234, 0.28, 58.3%, $4.50; empty for None.

    kind: text, sentence, count, number (two decimals), kappa (three), share (from 0 to 1), cents, p, z, day (of an ISO
    date).
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return short_day(date.fromisoformat(value[:10])) if kind == "day" and value else value
    match kind:
        case "share":
            return percent(value)
        case "count":
            return f"{value:,}"
        case "cents":
            return f"${value / 100:,.2f}"
        case "kappa":
            return decimals(value)
        case "p":
            return f"{value:.2g}" if value >= 1e-4 else "< .0001"
        case "text":
            return f"{value}"
        case _:
            return f"{value:.2f}"
