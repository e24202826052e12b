"""Reads ChaosNLI (Nie, Zhou and Bansal 2020), JSON Lines: SNLI and MultiNLI pairs with a hundred more labels.

`old_labels` are the five of the first corpus, the author's first: they decide gold. The hundred come as
counts (entailment, neutral, contradiction) and stand behind them, from position 6, in no order.
"""

from typing import Any

from collection.formats import records
from collection.formats.records import LETTERS, ImportedPair, Unreadable

SEATS = 5
KEYS = frozenset(
    {
        *("uid", "example", "old_labels", "old_label", "label_count"),
        # They follow from the counts.
        *("label_counter", "label_dist", "majority_label", "entropy"),
    }
)


def read_chaosnli(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `example` with `premise` and `hypothesis`, and `label_count`, are required. Raises Unreadable."""
    example = record.get("example")
    if not isinstance(example, dict):
        raise Unreadable('there is no object "example"')
    counts = record.get("label_count")
    if not (isinstance(counts, list) and len(counts) == 3 and all(_is_count(each) for each in counts)):
        raise Unreadable('"label_count" must be three numbers: entailment, neutral, contradiction')
    five = records.labels(record, "old_labels")
    if len(five) > SEATS:
        raise Unreadable(f'"old_labels" has {len(five)} entries instead of {SEATS}')
    more = [label for label, number in zip(LETTERS.values(), counts, strict=True) for _ in range(number)]
    image, is_caption, _ = records.optional_text(record, "uid").partition("#")
    source = records.optional_text(example, "source")
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(example, "premise"),),
        hypothesis=records.required_text(example, "hypothesis"),
        pair_id=records.optional_text(record, "uid"),
        genre=source.partition("_")[0],
        group=image if is_caption else "",
        document=image if is_caption else "",
        labels=(*five, *(None,) * (SEATS - len(five)), *more),
        has_author=True,
        published_label=records.letter_label(record.get("old_label"), "old_label"),
        has_gold="old_label" in record,
        unread=records.unread(record, KEYS),
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000
