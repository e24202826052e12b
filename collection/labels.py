"""The label schemes: fixed in code, listed in a CHECK, worded by each corpus.

Order matters: it is the order of tables and of class indices. `modeling.baselines.labels` holds the
same lists on the other side of the process boundary, and a test compares them.
"""

from django.db.models import Q

SCHEMES: dict[str, tuple[str, ...]] = {
    "nli3": ("entailment", "neutral", "contradiction"),
    "entailed2": ("entailed", "not-entailed"),
    "ordinal5": ("1", "2", "3", "4", "5"),
    "grammar3": ("none", "minor", "major"),
}
SCHEME_CHOICES = [(name, f"{name}: {' / '.join(labels)}") for name, labels in SCHEMES.items()]
# What the labels mean to somebody who has never heard of inference: "The sentence ...", given the text.
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
ORDINAL = frozenset({"ordinal5", "grammar3"})


def label_fits_scheme(scheme: str, label: str) -> Q:
    """A condition for a CHECK: the `label` field is empty or in the set of the `scheme` field."""
    condition = Q(**{f"{label}__isnull": True})
    for name, labels in SCHEMES.items():
        condition |= Q(**{scheme: name, f"{label}__in": labels})
    return condition
