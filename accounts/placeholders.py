"""Placeholders in consent texts."""

import re

# Square brackets that are not a link: "[name and address of the group]".
PLACEHOLDER = re.compile(r"\[[^\[\]\n]{3,200}\](?![\[(:])")


def placeholder_in(text: str) -> str:
    """Returns the first placeholder, with its brackets, or an empty text."""
    found = PLACEHOLDER.search(text)
    return found[0] if found else ""
