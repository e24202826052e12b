"""Reads MPE (Lai, Bisk and Hockenmaier 2017): four captions of one picture, a sentence, five judgements as counts.

The file's label is final: low-agreement items were decided beyond their votes, so it is kept beside them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, Record, tsv_records
from collection.formats.records import ImportedPair, Unreadable
from nli.labels import SCHEMES

LABELS = SCHEMES["nli3"]
PREMISES = tuple(f"premise{n}" for n in range(1, 5))
KEYS = frozenset({"ID", *PREMISES, "hypothesis", "gold_label", *(f"{label}_judgments" for label in LABELS)})
MOST_JUDGEMENTS = 1000
# One published line has spaces where the tab before its label should be.
SPACES_FOR_TAB = re.compile(r" {2,}(?=(?:entailment|neutral|contradiction)$)")


def mpe_records(path: Path) -> Iterator[Record | BadLine]:
    return tsv_records(path, mend=lambda line: SPACES_FOR_TAB.sub("\t", line))


def read_mpe(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair whose premises are `caption id/text`. The order of judgements is unknown. Raises Unreadable."""
    cells = [records.non_empty_text(record, key).partition("/") for key in PREMISES]
    for key, (_, slash, text) in zip(PREMISES, cells, strict=True):
        if not slash or not text.strip():
            raise Unreadable(f'"{key}" must be a caption\'s id, a slash and its text')
    ids = [caption for caption, _, _ in cells]
    image = ids[0].partition("#")[0]
    return ImportedPair(
        line=line,
        premise=tuple(text for _, _, text in cells),
        hypothesis=records.required_text(record, "hypothesis"),
        premise_id=" ".join(ids),
        pair_id=records.optional_text(record, "ID"),
        group=image,
        document=image,
        labels=tuple(label for label in LABELS for _ in range(_judgements(record, label))),
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        gold_stands=True,
        unread=records.unread(record, KEYS),
    )


def _judgements(record: dict[str, Any], label: str) -> int:
    key = f"{label}_judgments"
    text = records.required_text(record, key)
    if not (text.isdecimal() and text.isascii()) or len(text) > 4 or int(text) > MOST_JUDGEMENTS:
        raise Unreadable(f'"{key}" must be a number of judgements, not "{text[:40]}"')
    return int(text)
