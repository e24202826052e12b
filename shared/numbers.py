"""How shares and decimals are written: on pages, in tables and by commands."""


def percent(share: float | None) -> str:
    """Writes a share from 0 to 1 in percent with one decimal, as the papers do; empty if there is none."""
    return "" if share is None else f"{100 * share:.1f}%"


def decimals(value: float | None, places: int = 3) -> str:
    return "" if value is None else f"{value:.{places}f}"
