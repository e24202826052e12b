"""Reads ANLI (Nie et al. 2020), JSON Lines, with the labels of its verifiers, which have a file of their own.

`verifier_labels_R1-3.jsonl`, if it lies in the same folder, has two or three labels for the `uid` of all pairs of dev
and test and of 23,403 of train.
"""

from collections.abc import Iterator
from pathlib import Path

from collection.formats.lines import BadLine, Record, json_records

VERIFIERS = "verifier_labels_R1-3.jsonl"
THEIRS, OURS = "verifier labels", "verifier_labels"


def anli_records(path: Path) -> Iterator[Record | BadLine]:
    """Yields the pairs with the labels of their verifiers. Labels in the pair's own line stay."""
    given = {}
    for beside in (path.with_name(VERIFIERS), path.with_name(f"{VERIFIERS}.gz")):
        for item in json_records(beside) if beside.is_file() else ():
            if isinstance(item, BadLine):
                yield BadLine(item.line, f"of {beside.name}: {item.reason}")
            elif {"uid", THEIRS} <= item[1].keys():
                given[item[1]["uid"]] = item[1][THEIRS]
            else:
                yield BadLine(item[0], f'of {beside.name}: a line must have "uid" and "{THEIRS}"')
    for item in json_records(path):
        if not isinstance(item, BadLine) and item[1].get("uid") in given:
            item = item[0], {OURS: given[item[1]["uid"]], **item[1]}
        yield item
