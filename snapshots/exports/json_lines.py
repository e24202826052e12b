"""Write JSON Lines with exactly the keys of SNLI 1.0 or MultiNLI 1.0. An imported line is written unchanged."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from nli.lines import SIDES, Line
from nli.manifest import Manifest
from snapshots.exports.limits import check_nli3, check_one_sentence
from snapshots.exports.matched import Part, by_matched_genres, whole_partitions
from snapshots.files.reading import by_portion

_BOTH = (
    *("annotator_labels", "gold_label", "pairID"),
    *(f"{side}{part}" for side in SIDES for part in ("", "_binary_parse", "_parse")),
)
# Key of the format -> field of a snapshot's line.
SNLI = {**{name: name for name in _BOTH}, "captionID": "promptID"}
MULTINLI = {name: name for name in (*_BOTH, "genre", "promptID")}
_encode = json.JSONEncoder(sort_keys=True).encode  # ASCII alone, with escapes


def snli_jsonl(source: Path, manifest: Manifest, out: Path) -> dict[str, int]:
    return _write(source, manifest, out, SNLI, "snli_jsonl", whole_partitions(manifest))


def multinli_jsonl(source: Path, manifest: Manifest, out: Path) -> dict[str, int]:
    return _write(source, manifest, out, MULTINLI, "multinli_jsonl", by_matched_genres(manifest))


def _write(
    source: Path,
    manifest: Manifest,
    out: Path,
    fields: Mapping[str, str],
    format_name: str,
    parts: Iterable[Part],
) -> dict[str, int]:
    """Writes one .jsonl for each part."""
    check_nli3(manifest, format_name)

    def text_of(part: Part, read: Iterator[Line]) -> bytes:
        rows = []
        for line in part.of(read):
            check_one_sentence(line, format_name)
            rows.append(_encode({key: line[name] for key, name in fields.items()}) + "\n")
        return "".join(rows).encode()

    for part in parts:
        with (out / f"{part.stem}.jsonl").open("wb") as stream:
            for text in by_portion(source / part.source, partial(text_of, part)):
                stream.write(text)
    return {}
