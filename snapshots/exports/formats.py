"""Write a frozen snapshot in the formats of published corpora, from its files alone.

Each format is a function in FORMATS. It writes its files into a new folder and returns counts of what the format could
not hold, which go into export.json. The same snapshot always gives the same bytes.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from nli.lines import EXPORT, MANIFEST
from nli.manifest import Manifest
from snapshots.exports.dnc import dnc
from snapshots.exports.json_lines import multinli_jsonl, snli_jsonl
from snapshots.exports.limits import ExportError
from snapshots.exports.parquet import parquet
from snapshots.exports.tab_separated import mpe, multinli_txt, snli_txt
from snapshots.files.datasheet import WithAnswers
from snapshots.files.draft_folders import draft_of, put_in_place
from snapshots.files.hashes import file_sha256
from snapshots.files.reading import whole_manifest

__all__ = ["ABOUT", "EDITION", "FORMATS", "ExportError", "UnknownFormat", "export"]

# Increases when the bytes of a format change: stored exports are then written again.
EDITION = 7
# Formats that hold more than the fields of SNLI and MultiNLI. For the others, export.json counts what they leave out.
HOLD_ANSWERS, HOLD_METADATA = frozenset({"jsonl", "parquet"}), frozenset({"jsonl", "parquet", "dnc"})
Writer = Callable[[Path, WithAnswers, Path], dict[str, int]]


class UnknownFormat(ExportError):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no format {name!r}. Known formats: {', '.join(FORMATS)}.")


def export(
    source: Path, name: str, format_name: str, out: Path, answers: Mapping[str, str] | None = None
) -> list[str]:
    """Writes the snapshot `name`, whose files are in `source`, to the folder `out`. Returns the names of the files.

    answers: those of the datasheet, for the formats that have one. `out` is complete or is not there at all. If it
    already holds the same export, nothing changes. Raises UnknownFormat, ExportError (`out` holds something else, or the
    format cannot hold the corpus), DamagedFiles, OSError.
    """
    if format_name not in FORMATS:
        raise UnknownFormat(format_name)
    manifest: WithAnswers = {**whole_manifest(source, name), "datasheet_answers": dict(answers or {})}
    out = out.absolute()
    with draft_of(out) as draft:
        notes = FORMATS[format_name](source, manifest, draft)
        if format_name != "jsonl":
            _write_list(draft, name, format_name, manifest, notes)
        if out.is_dir() and any(out.iterdir()):
            if _hashes(out) != _hashes(draft):
                raise ExportError(f"{out} already holds something else. Name a new or an empty folder.")
        else:
            put_in_place(draft, out)
        return sorted(path.name for path in out.iterdir())


def _hashes(folder: Path) -> dict[str, str]:
    return {path.name: file_sha256(path) if path.is_file() else "" for path in folder.iterdir()}


def _write_list(
    folder: Path, name: str, format_name: str, manifest: Manifest, notes: Mapping[str, int]
) -> None:
    """Writes export.json, which names the snapshot, its hash and the files."""
    content = {
        "snapshot": name,
        "snapshot_sha256": manifest["sha256"],
        "format": format_name,
        "files": {file: {"sha256": sha256} for file, sha256 in _hashes(folder).items()},
        **notes,
        **_left_out(format_name, manifest),
        **({key: manifest[key] for key in ("parses", "parser")} if manifest.get("parser") else {}),
        "corpus": manifest["corpus"],
    }
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    (folder / EXPORT).write_text(text, encoding="utf-8")


def _left_out(format_name: str, manifest: Manifest) -> dict[str, int]:
    """Counts what the format cannot hold. The manifests of earlier versions of the software have no such counts."""
    counts = {}
    given = manifest.get("answers", {})
    others = given.get("labels", 0) + given.get("skips", 0) - given.get("deciding", 0)
    if others and format_name not in HOLD_ANSWERS:
        counts["answers_left_out"] = others
    if manifest.get("pairs_with_metadata") and format_name not in HOLD_METADATA:
        counts["pairs_without_their_metadata"] = manifest["pairs_with_metadata"]
    return counts


def _jsonl(source: Path, manifest: Manifest, out: Path) -> dict[str, int]:
    """Copies the snapshot's own files, which `verify_snapshot` can check anywhere."""
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
