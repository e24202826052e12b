"""Parquet files and what a data hub wants beside them: a dataset card, Croissant metadata, a datasheet.

`datasets.load_dataset(FOLDER)` opens it with class labels. Pairs without a gold label stand in a configuration of their
own, `no_gold`: a class -1 would be trained on sooner or later.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from snapshots.file_formats.cards import ANSWERS, DATASHEET, card, datasheet
from snapshots.file_formats.croissant import CROISSANT, croissant
from snapshots.file_formats.reading import lines, partitions
from snapshots.tally import NO_GOLD, Line

ROWS_AT_ONCE = 10_000
CARD = "README.md"
TEXTS = (
    "pairID",
    "promptID",
    "premise",
    "hypothesis",
    "gold_source",
    "author",
    "genre",
    "prompt_version",
    "sentence1_parse",
    "sentence1_binary_parse",
    "sentence2_parse",
    "sentence2_binary_parse",
)
LISTS = ("premise_sentences", "annotator_labels", "annotator_codes")
LABEL, DISTRIBUTION, AUTHOR_LABEL = "label", "label_distribution", "author_label"


def parquet(source: Path, manifest: Mapping[str, Any], out: Path) -> dict[str, int]:
    labels = manifest["corpus"]["labels"]
    written: dict[str, int] = {}
    for partition, name in partitions(manifest):
        for has_gold in (True, False):
            chosen = (row_of(line, labels) for line in lines(source / name) if _has_gold(line) == has_gold)
            target = f"{partition}{'' if has_gold else '_no_gold'}.parquet"
            if number := _write(out / target, chosen, labels, has_gold=has_gold):
                written[target] = number
    told = croissant(manifest, out, sorted(written))
    (out / CROISSANT).write_text(told, encoding="utf-8")
    (out / CARD).write_text(card(manifest, written), encoding="utf-8")
    (out / DATASHEET).write_text(datasheet(manifest, manifest.get(ANSWERS)), encoding="utf-8")
    return {}


def _has_gold(line: Line) -> bool:
    return bool(line["gold_label"] != NO_GOLD)


def row_of(line: Line, labels: list[str]) -> dict[str, Any]:
    """A line as a row: the gold label as its index, the votes as shares too (soft labels)."""
    votes: Counter[str] = Counter(line["annotator_labels"])
    total = votes.total()
    return {
        **{name: line.get(name, "") for name in TEXTS},
        "premise": line["sentence1"],
        "hypothesis": line["sentence2"],
        "premise_sentences": line.get("premise_sentences", [line["sentence1"]]),
        "annotator_labels": line["annotator_labels"],
        "annotator_codes": line["annotator_codes"],
        AUTHOR_LABEL: line["author_label"],
        DISTRIBUTION: [votes[label] / total for label in labels] if total else None,
        LABEL: labels.index(line["gold_label"]) if _has_gold(line) else None,
    }


def features(labels: list[str], *, has_gold: bool) -> dict[str, Any]:
    """The columns in the words of the `datasets` library."""
    text = {"dtype": "string", "_type": "Value"}
    return {
        **dict.fromkeys(TEXTS, text),
        **{name: {"feature": text, "_type": "List"} for name in LISTS},
        AUTHOR_LABEL: text,
        DISTRIBUTION: {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "List"},
        **({LABEL: {"names": labels, "_type": "ClassLabel"}} if has_gold else {}),
    }


def _write(path: Path, rows: Iterator[dict[str, Any]], labels: list[str], *, has_gold: bool) -> int:
    """Writes ten thousand rows at a time; returns how many, and leaves no file where there are none."""
    import pyarrow as pa  # here: a web process knows the formats' names and needs no more
    from pyarrow.parquet import ParquetWriter

    text, texts = pa.string(), pa.list_(pa.string())
    fields = [(name, text) for name in TEXTS] + [(name, texts) for name in LISTS]
    fields += [(AUTHOR_LABEL, text), (DISTRIBUTION, pa.list_(pa.float64()))]
    fields += [(LABEL, pa.int64())] if has_gold else []
    told = {"info": {"features": features(labels, has_gold=has_gold)}}
    schema = pa.schema(fields, metadata={"huggingface": json.dumps(told, sort_keys=True)})
    number = 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while portion := list(islice(rows, ROWS_AT_ONCE)):
            number += len(portion)
            writer.write_table(pa.Table.from_pylist(portion, schema=schema))
    if not number:
        path.unlink()
    return number
