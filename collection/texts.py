"""Cleans texts, and knows the direction of a language."""

import re

# Languages that are written from right to left, by the first part of their BCP 47 tag.
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})

# All line ends of str.splitlines, and the tab, which separates columns in exported files.
_BREAKS = re.compile("\r\n|[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
# Invisible characters that change how a text is shown: C0 controls and DEL, the C1 controls that begin an escape
# sequence of a terminal, and the embeddings, overrides and isolates of bidirectional text. Other C1 controls stay,
# because published corpora hold some (files once read in the wrong encoding). So do the marks that text from right
# to left needs (U+200E, U+200F, U+061C).
_HIDDEN = re.compile("[\x00-\x1f\x7f\x90\x98\x9b-\x9f\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Makes a hypothesis one line: turns line breaks and tabs into spaces, drops invisible control characters."""
    return _HIDDEN.sub("", _BREAKS.sub(" ", text))


def visible(text: str) -> str:
    """Returns a text of several lines, such as a reason, without invisible control characters."""
    return "\n".join(one_line(line).rstrip() for line in text.replace("\r\n", "\n").split("\n")).strip()


def flaw_in(name: str) -> str:
    """Returns why a text cannot be an id or a name in addresses, lists and files; empty if it can."""
    if not name.isprintable() and one_line(name) != name:
        return "has a line break, a tab or an invisible character"
    if name in (".", "..") or (name.count("..") and ".." in name.split("/")):
        return 'has ".." or "." for a part, which browsers take out of addresses'
    return ""


def direction_of(language: str) -> str:
    """Returns "rtl" or "ltr" for a BCP 47 tag such as "ar" or "ur-PK"."""
    return "rtl" if language.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"
