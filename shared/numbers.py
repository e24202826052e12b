"""Formats shares, decimals and days for pages, tables and commands."""

from datetime import date

ROUNDING = 1e-9  # a sum of shares may miss 0 or 1 by so much


def percent(share: float | None) -> str:
    """Formats a share from 0 to 1 in percent with one decimal, as the papers do; empty if there is none.

    0.0% is none, and 100.0% is all: what is nearly so stays apart from it.
    """
    if share is None:
        return ""
    if ROUNDING < share < 1 - ROUNDING:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f}%"


def decimals(value: float | None, places: int = 3) -> str:
    return "" if value is None else f"{value:.{places}f}"


def short_day(value: date) -> str:
    """Formats a day as pages do: 22 Nov 2026."""
    return f"{value.day} {value:%b %Y}"


def written(value: str | int | float | None, kind: str) -> str:
    """Formats a value of a table: 1,234, 0.28, 58.3%, $4.50; empty for None.

    kind: text, count, number (two decimals), kappa (three), share (from 0 to 1), cents, p, z, day (of an ISO date).
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
