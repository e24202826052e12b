"""Histograms beside the list of pairs, whose bars filter it."""

from collections.abc import Sequence
from typing import Any

from shared.facets import Address, agreement_chart, length_chart, share_chart
from shared.tables import Table, with_values
from validation.models import Question
from validation.pairs.listing import Numbers, Wanted, passing_among


def histograms(
    numbers: Numbers, wanted: Wanted, tenths: Sequence[int], doubt: int, address: Address
) -> list[Table]:
    """Returns the histograms by which the list is filtered: lengths, agreement, and doubts of a run.

    tenths: as `tenths_of` returns them. doubt: the upper end of the chosen tenth, in percent; 0: none.
    """
    doubted = sum(tenths[5:])
    return with_values(
        [
            length_chart(numbers.lengths, wanted.shortest, wanted.longest, address),
            agreement_chart(numbers.agreements, wanted.agreement, address),
            share_chart(
                "doubt",
                f"The run doubts {doubted:,} of {sum(tenths):,} gold labels by more than a half.",
                "doubt",
                tenths,
                doubt,
                address,
            ),
        ]
    )


def tenths_of(question: Question, wanted: Wanted, doubts: Any) -> list[int]:
    """Returns how many pairs that pass are in each tenth of the doubts; none if they are too many to look at.

    doubts: a modeling.results.doubts.Doubts, or None.
    """
    passing = passing_among(question, wanted, doubts.ids) if doubts else None
    return [] if passing is None else doubts.by_tenth(passing)
