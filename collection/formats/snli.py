"""Reads SNLI and MultiNLI as they were published, in JSON Lines or as tables.

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
TABLE_LABELS = tuple(f"label{n}" for n in range(1, 6))
MAX_PARSE = 100_000


def read_snli(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `sentence1` and `sentence2` are required. Raises Unreadable."""
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


def read_snli_table(line: int, record: dict[str, Any]) -> ImportedPair:
    """The same fields as columns: labels in `label1` ... `label5`, gold in `gold_label` or, in tables that
    hold little else, `label`. Raises Unreadable."""
    plain = {key: value for key, value in record.items() if key not in TABLE_LABELS}
    # A row with fewer than five labels ends in empty cells.
    given = [record[key] for key in TABLE_LABELS if record.get(key)]
    if given:
        plain["annotator_labels"] = given
    if "label" in plain:
        plain.setdefault("gold_label", plain.pop("label"))
    return read_snli(line, plain)
