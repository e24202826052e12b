"""SNLI and MultiNLI as they were published, in JSON Lines.

`annotator_labels` starts with the author's label. `captionID` (SNLI) or `promptID` (MultiNLI) is the
premise's public id. Captions of one image are about one scene, so they share a group: the part of the
id before `#`.
"""

from typing import Any

from collection.formats import records
from collection.formats.records import ImportedPair

PARSES = ("sentence1_parse", "sentence1_binary_parse", "sentence2_parse", "sentence2_binary_parse")
KEYS = frozenset(
    {
        *("annotator_labels", "captionID", "promptID", "gold_label", "pairID", "genre"),
        *("sentence1", "sentence2", *PARSES),
    }
)
MAX_PARSE = 100_000


def read_snli(line: int, record: dict[str, Any]) -> ImportedPair:
    """`sentence1` and `sentence2` have to be there. Raises Unreadable."""
    caption = records.optional_text(record, "captionID")
    first, first_binary, second, second_binary = (
        records.optional_text(record, key, MAX_PARSE) for key in PARSES
    )
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "sentence1"),),
        hypothesis=records.required_text(record, "sentence2"),
        premise_id=caption or records.optional_text(record, "promptID"),
        pair_id=records.optional_text(record, "pairID"),
        genre=records.optional_text(record, "genre"),
        group=caption.partition("#")[0],
        document=caption.partition("#")[0],
        labels=records.labels(record, "annotator_labels"),
        has_author=True,
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        parses=(first, first_binary, second, second_binary),
        unread=records.unread(record, KEYS),
    )
