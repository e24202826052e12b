"""Isolates names in sentences that run from right to left, so that both keep the order of their letters."""

from django.utils.translation import get_language_bidi

FIRST_STRONG_ISOLATE, POP_DIRECTIONAL_ISOLATE = "\u2068", "\u2069"


def isolated(name: object) -> str:
    """Returns a name for a text without markup: where that runs from right to left, with marks that do what `<bdi>` does."""
    if not get_language_bidi():
        return str(name)
    return f"{FIRST_STRONG_ISOLATE}{name}{POP_DIRECTIONAL_ISOLATE}"
