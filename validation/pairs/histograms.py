"""Histograms beside the list of pairs, whose bars filter it."""

from typing import Any

from shared.charts import Chart, with_values
from shared.number_facets import Address, agreement_chart, length_chart, share_chart
from validation.pairs.listing import Numbers, Wanted


def histograms(numbers: Numbers, wanted: Wanted, doubts: Any, doubt: int, address: Address) -> list[Chart]:
    """Returns the histograms by which the list is filtered: lengths, agreement, and doubts of a run.

    doubts: a modeling.results.doubts.Doubts, or None. doubt: the upper end of the chosen tenth, in percent; 0: none.
    """
    tenths = doubts.by_tenth() if doubts else []
    doubted = sum(tenths[5:])
    return with_values(
        [
            length_chart(numbers.lengths, wanted.shortest, wanted.longest, address),
            agreement_chart(numbers.agreements, wanted.agreement, address),
            share_chart(
                "doubt",
                f"The run doubts {doubted:,} of all {sum(tenths):,} gold labels by more than a half.",
                "doubt",
                tenths,
                doubt,
                address,
            ),
        ]
    )
