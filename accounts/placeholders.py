"""Texts that people agree to."""

import re

# Square brackets that begin no link: "[name and address of the group]".
PLACEHOLDER = re.compile(r"\[[^\[\]\n]{3,200}\](?![\[(:])")


def placeholder_in(text: str) -> str:
    """Returns the first place that somebody still has to fill in, with its brackets; empty where there is none."""
    found = PLACEHOLDER.search(text)
    return found[0] if found else ""
