"""KLUE-NLI (Park et al. 2021), a JSON array: Korean pairs with five labels, the author's first."""

from typing import Any

from collection.formats import records
from collection.formats.records import ImportedPair

LABELS = ("author", "label2", "label3", "label4", "label5")
KEYS = frozenset({"guid", "source", "premise", "hypothesis", "gold_label", *LABELS})


def read_klue(line: int, record: dict[str, Any]) -> ImportedPair:
    """`premise` and `hypothesis` have to be there. Raises Unreadable."""
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "premise"),),
        hypothesis=records.required_text(record, "hypothesis"),
        pair_id=records.optional_text(record, "guid"),
        genre=records.optional_text(record, "source"),
        labels=tuple(records.label(record[key], key) for key in LABELS if key in record),
        has_author=True,
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        unread=records.unread(record, KEYS),
    )
