"""Semi-automatic NLI (Vania, Chen and Bowman 2020), JSON Lines: labels as letters, the writer's first.

Training files have `annId` and one label, test files `label1` ... `label5` with `annId1` ... `annId5`.
An `x` says that the annotator could not label the pair.
"""

from typing import Any

from collection.formats import records
from collection.formats.records import ImportedPair

FIVE = range(1, 6)
KEYS = frozenset(
    {
        *("id", "premise", "hypothesis", "label", "annId"),
        *(f"label{n}" for n in FIVE),
        *(f"annId{n}" for n in FIVE),
    }
)


def read_semi_automatic(line: int, record: dict[str, Any]) -> ImportedPair:
    """`premise`, `hypothesis` and `label` have to be there. Raises Unreadable."""
    gold = records.letter_label(records.required_text(record, "label"), "label")
    judged = [n for n in FIVE if f"label{n}" in record]
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "premise"),),
        hypothesis=records.required_text(record, "hypothesis"),
        pair_id=records.optional_text(record, "id"),
        labels=tuple(records.letter_label(record[f"label{n}"], f"label{n}") for n in judged) or (gold,),
        has_author=True,
        author=records.optional_text(record, "annId"),
        annotators=tuple(records.optional_text(record, f"annId{n}") for n in judged),
        published_label=gold,
        has_gold=True,
        unread=records.unread(record, KEYS),
    )
