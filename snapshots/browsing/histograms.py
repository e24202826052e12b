"""Histograms beside the pairs of a snapshot, whose bars filter them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from shared.charts import Chart, with_values
from shared.facets import numbers_by_value
from shared.figures import page
from shared.number_facets import Address, agreement_chart, chosen_agreement, length_chart
from snapshots.browsing.pair_numbers import CLASSES, groups_in
from snapshots.models import Snapshot
from snapshots.statistics.scope import SNAPSHOT


def histograms(
    numbers: Mapping[str, Sequence[tuple[Any, int]]], limits: Mapping[str, int], address: Address
) -> list[Chart]:
    """Return the charts of lengths and agreement.

    numbers: of each class of `length` and of `agreement`. limits: what the address chooses, as its numbers.
    """
    return with_values(
        [
            length_chart(numbers.get("length", []), limits["shortest"], limits["longest"], address),
            agreement_chart(numbers.get("agreement", []), chosen_agreement(limits["agreement"]), address),
        ]
    )


def charts_of_pairs(snapshot: Snapshot) -> list[Chart]:
    """Return the charts of a whole snapshot."""
    groups = groups_in(snapshot)
    numbers = {name: numbers_by_value(groups, {}, name, order) for name, order in CLASSES.items()}
    nothing = {"shortest": 0, "longest": 0, "agreement": 0}
    return histograms(numbers, nothing, lambda values: address_of_pairs(snapshot, values))


def address_of_pairs(snapshot: Snapshot, values: Mapping[str, Any]) -> str:
    """Return the address of the list under these filters; an empty one is left out."""
    chosen = urlencode({name: value for name, value in values.items() if value})
    return f"{reverse('snapshot-pairs', args=[snapshot.pk])}?{chosen}"


FIGURES = page(
    "snapshot-pairs",
    SNAPSHOT,
    {"length": "Lengths of hypotheses", "agreement": "Agreement of pairs"},
    charts_of_pairs,
)
