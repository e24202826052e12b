"""The partition in which a pair is, in SQL: the published one, or the one where a snapshot placed its premise.

Placements belong to `snapshots`, which this app may not import, so this module only names the relation.
"""

from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Coalesce


def is_held_out(pair: str = "") -> Q:
    """Returns the condition that a snapshot holds the pair of a published train out as dev. `pair`: a lookup's prefix."""
    return Q(
        **{f"{pair}premise__placement__origin": "held_out", f"{pair}published_partition": "train"},
    )


def partition_of(pair: str = "") -> Coalesce:
    """Returns the partition in which a pair stands; empty before its first snapshot."""
    published = Case(When(is_held_out(pair), then=Value("dev")), default=F(f"{pair}published_partition"))
    return Coalesce(published, f"{pair}premise__placement__partition", Value(""))
