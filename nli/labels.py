"""Label schemes, and how a label of one scheme is read in another.

The order of a scheme's labels is the order of tables and of class indices.
"""

from collections.abc import Iterable, Sequence

NO_GOLD = "-"  # how files write that a pair has no gold label; it is never a class

SCHEMES: dict[str, tuple[str, ...]] = {
    "nli3": ("entailment", "neutral", "contradiction"),
    "entailed2": ("entailed", "not-entailed"),
    "ordinal5": ("1", "2", "3", "4", "5"),
    "grammar3": ("none", "minor", "major"),
}
SCHEME_CHOICES = [(name, f"{name}: {' / '.join(labels)}") for name, labels in SCHEMES.items()]
# The question of a corpus that words none of its own.
QUESTION = "If the text is true, what can you say about the sentence?"
ORDINAL = frozenset({"ordinal5", "grammar3"})
# The labels for people who do not know the terms: "The sentence ...", given the text.
PLAIN_WORDS: dict[str, str] = {
    "entailment": "must be true",
    "neutral": "may be true or not",
    "contradiction": "cannot be true",
    "entailed": "must be true",
    "not-entailed": "need not be true",
    "1": "is impossible",
    "2": "is hardly possible",
    "3": "is possible",
    "4": "is likely",
    "5": "is very likely",
    "none": "has no mistake",
    "minor": "has small mistakes",
    "major": "has bad mistakes",
}
# (from, to) -> each label of the one scheme in the other. Three classes are read as two where a run asks for
# it; a five-point scale decides between two (Diverse NLI Collection, Poliak et al. 2018, appendix B.4).
READINGS: dict[tuple[str, str], dict[str, str]] = {
    ("nli3", "entailed2"): {
        "entailment": "entailed",
        "neutral": "not-entailed",
        "contradiction": "not-entailed",
    },
    ("ordinal5", "entailed2"): {
        **dict.fromkeys(("1", "2", "3", "4"), "not-entailed"),
        "5": "entailed",
    },
}
# What a run may read as two classes (`collapse`), and a table shows in two: the schemes, and their common reading.
COLLAPSED = "entailed2"
COLLAPSIBLE = tuple(scheme for scheme, into in READINGS if into == COLLAPSED)


def readable_together(schemes: Iterable[str]) -> bool:
    """Returns whether labels of all these schemes can be read as the same two classes."""
    return {COLLAPSED, *COLLAPSIBLE}.issuperset(schemes)


def in_two_classes(labels: Sequence[str]) -> dict[str, str] | None:
    """Returns each of these labels as one of two classes; None where their scheme has no such reading."""
    schemes = (scheme for scheme in COLLAPSIBLE if SCHEMES[scheme] == tuple(labels))
    return next((READINGS[scheme, COLLAPSED] for scheme in schemes), None)


def reading(scheme: str, into: str) -> dict[str, str]:
    """Returns each label of `scheme` as a label of `into`. Raises KeyError where one cannot be read as the other."""
    if scheme == into:
        return {label: label for label in SCHEMES[scheme]}
    return READINGS[scheme, into]


def vote_index(labels: Sequence[str]) -> dict[str, int]:
    """Returns the index that each label of an annotator stands for, those of schemes that are read as this one included.

    No label belongs to two schemes.
    """
    index = label_index(labels)
    for (_, into), read in READINGS.items():
        if SCHEMES[into] == tuple(labels):
            index |= {old: index[new] for old, new in read.items()}
    return index


def label_index(labels: Sequence[str], collapse: bool = False) -> dict[str, int]:
    """Returns the index of each label that a file may hold; with `collapse`, also of labels that are read as these."""
    index = {label: position for position, label in enumerate(labels)}
    if not collapse:
        return index
    reads = {old: new for scheme in COLLAPSIBLE for old, new in READINGS[scheme, COLLAPSED].items()}
    return index | {old: index[new] for old, new in reads.items()}
