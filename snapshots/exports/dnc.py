"""Write JSON arrays with the keys of the Diverse NLI Collection (Poliak et al. 2018), one `PARTITION_data.json` each.

DNC has a label for every pair: pairs without a gold label are left out and counted in export.json.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from nli.labels import COLLAPSED, SCHEMES, readable_together, reading
from nli.lines import Line, has_gold, rule_of
from nli.manifest import Facts, Manifest
from snapshots.exports.limits import ExportError
from snapshots.files.reading import by_portion, partitions

ENTAILED = SCHEMES[COLLAPSED][0]
_encode = json.JSONEncoder(ensure_ascii=False).encode


def dnc(source: Path, manifest: Manifest, out: Path) -> dict[str, int]:
    facts = manifest["corpus"]
    if not readable_together([rule_of(facts).decided_scheme]):
        raise ExportError(
            f"dnc needs a label that says whether a pair is entailed; {facts['slug']} has the scheme {facts['scheme']}. "
            "Use jsonl."
        )
    left_out = 0
    for partition, name in partitions(manifest):

        def text_of(read: Iterator[Line], partition: str = partition) -> tuple[list[str], list[str], int]:
            records, metadata, undecided = [], [], 0
            for line in read:
                if not has_gold(line):
                    undecided += 1
                    continue
                records.append(_text(_record(line, partition, facts)))
                if "metadata" in line:
                    metadata.append(_text({**line["metadata"], "pair-id": _name(line)}))
            return records, metadata, undecided

        with (
            _Array(out / f"{partition}_data.json") as data,
            _Array(out / f"{partition}_metadata.json") as about,
        ):
            for records, metadata, undecided in by_portion(source / name, text_of):
                left_out += undecided
                data.add(records)
                about.add(metadata)
        if about.is_empty:
            about.path.unlink()
    return {"pairs_without_gold_left_out": left_out}


def _text(record: Mapping[str, Any]) -> str:
    """Returns the same text as json.dumps(record, indent=4), in half the time: with an indent, json does not use C."""
    items = (f'    "{key}": {_indented(value)}' for key, value in record.items())
    return "{\n" + ",\n".join(items) + "\n}"


def _indented(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"        {_encode(each)}" for each in value) + "\n    ]"
    return _encode(value)


def _name(line: Line) -> int | str:
    return int(line["pairID"]) if line["pairID"].isdecimal() else str(line["pairID"])


class _Array:
    """A JSON array that is written in portions, one object at a time."""

    def __init__(self, path: Path) -> None:
        self.path, self.is_empty = path, True

    def __enter__(self) -> Self:
        self.stream = self.path.open("w", encoding="utf-8", newline="\n")
        return self

    def add(self, records: list[str]) -> None:
        if records:
            self.stream.write(("[\n" if self.is_empty else ",\n") + ",\n".join(records))
            self.is_empty = False

    def __exit__(self, *_: object) -> None:
        with self.stream:
            self.stream.write("[]\n" if self.is_empty else "\n]\n")


def _record(line: Line, partition: str, facts: Facts) -> dict[str, Any]:
    if "premise_sentences" in line:
        raise ExportError(
            f"dnc has one sentence as context; the premise {line['promptID']!r} has several sentences. Use jsonl."
        )
    rule = rule_of(facts)
    scale = rule.gold_labels == SCHEMES["ordinal5"]
    votes = line["annotator_labels"] or ([line["gold_label"]] if scale else [])
    return {
        **({"annotations": ",".join(votes)} if rule.scheme == "ordinal5" else {}),
        "binary-label": reading(rule.decided_scheme, COLLAPSED)[line["gold_label"]] == ENTAILED,
        "context": line["sentence1"],
        "hypothesis": line["sentence2"],
        "label": int(line["gold_label"]) if scale else line["gold_label"],
        "label-set": [int(label) if scale else label for label in rule.gold_labels],
        "pair-id": _name(line),
        "split": partition,
        "type-of-inference": facts["genres"][line["genre"]]["name"],
    }
