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
ORDINAL = frozenset({"ordinal5", "grammar3"})


def label_fits_scheme(scheme: str, label: str) -> Q:
    """A condition for a CHECK: the `label` field is empty or in the set of the `scheme` field."""
    condition = Q(**{f"{label}__isnull": True})
    for name, labels in SCHEMES.items():
        condition |= Q(**{scheme: name, f"{label}__in": labels})
    return condition
