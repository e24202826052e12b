"""Exports of a frozen snapshot in the formats that published corpora use. Works from the files alone.

Each format is a function in FORMATS: it writes its files into a new folder and returns notes (counts of what the
format could not hold as it was), which export.json passes on. Every format is byte-stable.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nli.lines import EXPORT, MANIFEST
from snapshots.exports.dnc import dnc
from snapshots.exports.json_lines import multinli_jsonl, snli_jsonl
from snapshots.exports.parquet import parquet
from snapshots.exports.tab_separated import mpe, multinli_txt, snli_txt
from snapshots.files.datasheet import ANSWERS
from snapshots.files.draft_folders import draft_of, put_in_place
from snapshots.files.hashes import file_sha256
from snapshots.files.reading import ExportError, whole_manifest

__all__ = ["ABOUT", "EDITION", "FORMATS", "ExportError", "UnknownFormat", "export"]

# Counts up when a format's bytes change: exports that were kept are then made anew.
EDITION = 3
# What a format holds beside the fields of SNLI and MultiNLI; of the others export.json says what they leave out.
HOLD_ANSWERS, HOLD_METADATA = frozenset({"jsonl", "parquet"}), frozenset({"jsonl", "parquet", "dnc"})
Writer = Callable[[Path, Mapping[str, Any], Path], dict[str, int]]


class UnknownFormat(ExportError):
    def __init__(self, name: str) -> None:
        super().__init__(f"The format {name!r} is not known. Known ones: {', '.join(FORMATS)}.")


def export(
    source: Path, name: str, format_name: str, out: Path, answers: Mapping[str, str] | None = None
) -> list[str]:
    """Writes the snapshot `name`, whose files are in `source`, to the folder `out`; returns the files' names.

    `answers` are those to the questions of the datasheet, for the formats that have one.
    `out` is made whole or not at all. If it holds this very export already, nothing is done. Raises
    UnknownFormat, ExportError (a folder with something else in it, a source that is torn, a corpus that the
    format cannot hold), OSError.
    """
    if format_name not in FORMATS:
        raise UnknownFormat(format_name)
    manifest = {**whole_manifest(source, name), ANSWERS: dict(answers or {})}
    out = out.absolute()
    with draft_of(out) as draft:
        notes = FORMATS[format_name](source, manifest, draft)
        if format_name != "jsonl":
            _write_list(draft, name, format_name, manifest, notes)
        if out.is_dir() and any(out.iterdir()):
            if _hashes(out) != _hashes(draft):
                raise ExportError(
                    f"{out} is not empty and holds something else. Name a new or an empty folder."
                )
        else:
            put_in_place(draft, out)
        return sorted(path.name for path in out.iterdir())


def _hashes(folder: Path) -> dict[str, str]:
    return {path.name: file_sha256(path) if path.is_file() else "" for path in folder.iterdir()}


def _write_list(
    folder: Path, name: str, format_name: str, manifest: Mapping[str, Any], notes: Mapping[str, int]
) -> None:
    """What was written from what, so that a file on somebody's disk still names its snapshot."""
    told = {
        "snapshot": name,
        "snapshot_sha256": manifest["sha256"],
        "format": format_name,
        "files": {file: {"sha256": sha256} for file, sha256 in _hashes(folder).items()},
        **notes,
        **_left_out(format_name, manifest),
        **({key: manifest[key] for key in ("parses", "parser")} if manifest.get("parser") else {}),
        "corpus": manifest["corpus"],
    }
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    (folder / EXPORT).write_text(text, encoding="utf-8")


def _left_out(format_name: str, manifest: Mapping[str, Any]) -> dict[str, int]:
    """What the snapshot has and the format cannot hold; snapshots of earlier versions do not count it."""
    told = {}
    given = manifest.get("answers", {})
    beside = given.get("labels", 0) + given.get("skips", 0) - given.get("deciding", 0)
    if beside and format_name not in HOLD_ANSWERS:
        told["answers_left_out"] = beside
    if manifest.get("pairs_with_metadata") and format_name not in HOLD_METADATA:
        told["pairs_without_their_metadata"] = manifest["pairs_with_metadata"]
    return told


def _jsonl(source: Path, manifest: Mapping[str, Any], out: Path) -> dict[str, int]:
    """The canonical files as they are, so that `verify_snapshot` can check them anywhere."""
    for name in (*manifest["files"], MANIFEST):
        shutil.copyfile(source / name, out / name)
    return {}


ABOUT = {
    "jsonl": "the snapshot's own files, which verify_snapshot checks",
    "snli_txt": "tab-separated text in the columns of SNLI 1.0",
    "multinli_txt": "tab-separated text in the columns of MultiNLI 1.0",
    "snli_jsonl": "JSON Lines with the keys of SNLI 1.0 alone",
    "multinli_jsonl": "JSON Lines with the keys of MultiNLI 1.0 alone",
    "mpe": "tab-separated text in the columns of MPE: four sentences a premise",
    "dnc": "JSON with the keys of the Diverse NLI Collection",
    "parquet": "Parquet with a dataset card, Croissant metadata and a datasheet",
}
FORMATS: dict[str, Writer] = {
    "jsonl": _jsonl,
    "snli_txt": snli_txt,
    "multinli_txt": multinli_txt,
    "snli_jsonl": snli_jsonl,
    "multinli_jsonl": multinli_jsonl,
    "mpe": mpe,
    "dnc": dnc,
    "parquet": parquet,
}
