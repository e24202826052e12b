"""The label schemes, each in index order: the one copy on this side of the process boundary."""

from collections.abc import Sequence

NO_GOLD = "-"  # how files write a pair without a majority; it is never a class

SCHEMES: dict[str, tuple[str, ...]] = {
    "nli3": ("entailment", "neutral", "contradiction"),
    "entailed2": ("entailed", "not-entailed"),
    "ordinal5": ("1", "2", "3", "4", "5"),
    "grammar3": ("none", "minor", "major"),
}

# Three classes read as two, where a run asks for it.
COLLAPSED = {"entailment": "entailed", "neutral": "not-entailed", "contradiction": "not-entailed"}


def label_index(labels: Sequence[str], collapse: bool) -> dict[str, int]:
    """Which index a label in a file has; with `collapse`, those of nli3 too, as labels of entailed2."""
    index = {label: position for position, label in enumerate(labels)}
    return index | {old: index[new] for old, new in COLLAPSED.items()} if collapse else index
