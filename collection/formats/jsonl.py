"""Our own exchange format: JSON Lines, and the same fields as columns of tab-separated text.

The rule for labels. In an elicited corpus `labels[0]` is the author's label and the others are the
validators'; in every other corpus all of `labels` are votes. `label` beside `labels` is the file's gold
label: where there are votes it is only compared with their majority. `label` alone is a published
label, a gold label that came without its votes, also where an `author` is named.
"""

from typing import Any

from collection.formats import records
from collection.formats.records import MAX_GROUP, ImportedPair

KEYS = frozenset(
    {
        *("premise", "hypothesis", "label", "labels", "author", "annotators", "genre", "id"),
        *("premise_id", "group", "document"),
    }
)
TSV_LABELS = tuple(f"label{n}" for n in range(1, 6))
TSV_KEYS = (KEYS - {"labels", "annotators"}) | set(TSV_LABELS)


def read_jsonl(line: int, record: dict[str, Any]) -> ImportedPair:
    """`premise` (a string or a list) and `hypothesis` have to be there. Raises Unreadable."""
    return _pair(line, record, records.labels(record, "labels"), records.unread(record, KEYS))


def read_tsv(line: int, record: dict[str, Any]) -> ImportedPair:
    """Columns named like the keys of JSON Lines; labels in `label1` ... `label5`. Raises Unreadable."""
    given = {"labels": [record[key] for key in TSV_LABELS if key in record]}
    return _pair(line, record, records.labels(given, "labels"), records.unread(record, TSV_KEYS))


def _pair(
    line: int, record: dict[str, Any], labels: tuple[str | None, ...], unread: frozenset[str]
) -> ImportedPair:
    annotators = records.codes(record, "annotators")
    author = records.optional_text(record, "author")
    records.same_length("labels", labels, "annotators", annotators)
    return ImportedPair(
        line=line,
        premise=records.sentences(record, "premise"),
        hypothesis=records.required_text(record, "hypothesis"),
        premise_id=records.optional_text(record, "premise_id"),
        pair_id=records.optional_text(record, "id"),
        genre=records.optional_text(record, "genre"),
        group=records.optional_text(record, "group", MAX_GROUP),
        document=records.optional_text(record, "document", MAX_GROUP),
        labels=labels,
        has_author=True,
        author=author,
        annotators=annotators,
        published_label=records.label(record.get("label"), "label"),
        has_gold="label" in record,
        unread=unread,
    )
