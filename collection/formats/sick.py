"""SICK (Marelli et al. 2014), tab-separated: SemEval's three files, or the one with all pairs.

The label came without its five judgements, so it is a published one. The file with all pairs names each
pair's partition.
"""

from typing import Any

from collection.formats import records
from collection.formats.records import ImportedPair, Unreadable

LABEL_KEYS = ("entailment_judgment", "entailment_label")
PARTITIONS = {"TRAIN": "train", "TRIAL": "dev", "TEST": "test", "": ""}
KEYS = frozenset({"pair_ID", "sentence_A", "sentence_B", *LABEL_KEYS, "SemEval_set"})


def read_sick(line: int, record: dict[str, Any]) -> ImportedPair:
    """`sentence_A`, `sentence_B` and a label have to be there. Raises Unreadable."""
    key = next((name for name in LABEL_KEYS if name in record), None)
    if key is None:
        raise Unreadable(f'there is no "{LABEL_KEYS[0]}" or "{LABEL_KEYS[1]}"')
    label = records.label(record[key], key)
    name = records.optional_text(record, "SemEval_set")
    if name not in PARTITIONS:
        raise Unreadable(f'"SemEval_set" must be TRAIN, TRIAL or TEST, not "{name}"')
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "sentence_A"),),
        hypothesis=records.required_text(record, "sentence_B"),
        pair_id=records.optional_text(record, "pair_ID"),
        partition=PARTITIONS[name],
        published_label=label.lower() if label else None,
        has_gold=True,
        unread=records.unread(record, KEYS),
    )
