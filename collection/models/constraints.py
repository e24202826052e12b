"""Conditions for CHECK constraints of several apps."""

from django.db.models import Q

from nli.labels import SCHEMES


def label_fits_scheme(scheme: str, label: str) -> Q:
    """Return the condition that the `label` field is empty or one of the labels of the `scheme` field."""
    condition = Q(**{f"{label}__isnull": True})
    for name, labels in SCHEMES.items():
        condition |= Q(**{scheme: name, f"{label}__in": labels})
    return condition
