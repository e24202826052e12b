"""Reads DNC (Poliak et al. 2018), JSON arrays: pairs recast from other annotations, with files of metadata.

`recast_X_data.json` holds the pairs; `recast_X_metadata.json`, if it lies in the same folder, says which
sentence of which corpus each is from: pairs of one such sentence belong together. Relation extraction
(`KG`) has labels from 1 to 5, and for test pairs the three to five judgements behind them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, Record, json_array_records
from collection.formats.records import MAX_GROUP, ImportedPair
from nli.lines import PARTITIONS

METADATA = ("corpus", "corpus-sent-id", "corpus-license", "creation-approach", "misc", "corpus-split")
KEYS = frozenset(
    {
        *("context", "hypothesis", "label", "pair-id", "split", "type-of-inference", "annotations"),
        *("binary-label", "label-set"),  # they follow from the label and its scheme
        *METADATA,
    }
)


def dnc_records(path: Path) -> Iterator[Record | BadLine]:
    """Yields the pairs with their metadata, joined by `pair-id`."""
    about = {}
    for beside in _metadata_of(path):
        for item in json_array_records(beside):
            if isinstance(item, BadLine):
                yield BadLine(item.line, f"of {beside.name}: {item.reason}")
            else:
                about[str(item[1].get("pair-id"))] = item[1]
    for item in json_array_records(path):
        if isinstance(item, BadLine):
            yield item
        else:
            line, record = item
            yield line, {**about.get(str(record.get("pair-id")), {}), **record}


def _metadata_of(path: Path) -> list[Path]:
    plain = path.name.removesuffix(".gz")
    name = plain.replace("_data.json", "_metadata.json")
    found = (path.with_name(each) for each in (name, f"{name}.gz"))
    return [] if name == plain else [each for each in found if each.is_file()][:1]


def read_dnc(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `context`, `hypothesis` and `label` are required. Raises Unreadable."""
    records.required(record, "label")
    votes = tuple(filter(None, records.optional_text(record, "annotations").split(",")))
    sentence = records.optional_text(record, "corpus-sent-id", MAX_GROUP)
    source = (
        f"{records.optional_text(record, 'corpus', MAX_GROUP)} {sentence}"[:MAX_GROUP] if sentence else ""
    )
    split = records.optional_text(record, "split")
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "context"),),
        hypothesis=records.required_text(record, "hypothesis"),
        pair_id=records.optional_text(record, "pair-id"),
        genre=records.optional_text(record, "type-of-inference"),
        group=source,
        document=source,
        partition=split if split in PARTITIONS else "",
        labels=votes if len(votes) > 1 else (),  # one judgement alone is the label itself
        published_label=records.label(record["label"], "label"),
        has_gold=True,
        metadata={key: record[key] for key in METADATA if key in record},
        unread=records.unread(record, KEYS),
    )
