"""How a share is written: one rule for pages, files, commands and the training program."""

ROUNDING = 1e-9  # a sum of shares may miss 0 or 1 by so much


def percent(share: float) -> str:
    """Formats a share from 0 to 1 in percent with one decimal, as the papers do.

    0.0% is none, and 100.0% is all: what is nearly so stays apart from it.
    """
    if ROUNDING < share < 1 - ROUNDING:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f}%"
