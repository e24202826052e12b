"""Exports of a frozen snapshot in the formats that published corpora use. Works from the files alone.

Each format is a function in FORMATS. Tab-separated text cannot hold tabs and line breaks: they become
spaces, and export.json says in how many texts.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from snapshots.file_formats.reading import ExportError, lines, partitions, whole_manifest
from snapshots.tally import EXPORT, MANIFEST, Line, file_sha256

__all__ = ["FORMATS", "ExportError", "UnknownFormat", "export"]

LABEL_COLUMNS = 5
SNLI_COLUMNS = (
    "gold_label",
    "sentence1_binary_parse",
    "sentence2_binary_parse",
    "sentence1_parse",
    "sentence2_parse",
    "sentence1",
    "sentence2",
    "captionID",
    "pairID",
)
MULTINLI_COLUMNS = (*(name if name != "captionID" else "promptID" for name in SNLI_COLUMNS), "genre")


class UnknownFormat(ExportError):
    def __init__(self, name: str) -> None:
        super().__init__(f"The format {name!r} is not known. Known ones: {', '.join(FORMATS)}.")


def export(source: Path, name: str, format_name: str, out: Path) -> list[str]:
    """Writes the snapshot `name`, whose files are in `source`, to the folder `out`; returns the files' names.

    `out` is made whole or not at all. If it holds this very export already, nothing is done. Raises
    UnknownFormat, ExportError (a folder with something else in it, a source that is torn, a corpus that the
    format cannot hold), OSError.
    """
    if format_name not in FORMATS:
        raise UnknownFormat(format_name)
    manifest = whole_manifest(source, name)
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        changed = FORMATS[format_name](source, manifest, draft)
        if format_name != "jsonl":
            _write_list(draft, name, format_name, manifest, changed)
        if out.is_dir() and any(out.iterdir()):
            if _hashes(out) != _hashes(draft):
                raise ExportError(
                    f"{out} is not empty and holds something else. Name a new or an empty folder."
                )
        else:
            draft.chmod(0o755)
            os.replace(draft, out)  # onto nothing, or onto an empty folder
        return sorted(path.name for path in out.iterdir())
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _hashes(folder: Path) -> dict[str, str]:
    return {path.name: file_sha256(path) if path.is_file() else "" for path in folder.iterdir()}


def _write_list(folder: Path, name: str, format_name: str, manifest: Mapping[str, Any], changed: int) -> None:
    """What was written from what, so that a file on somebody's disk still names its snapshot."""
    told = {
        "snapshot": name,
        "snapshot_sha256": manifest["sha256"],
        "format": format_name,
        "files": {file: {"sha256": sha256} for file, sha256 in _hashes(folder).items()},
        "texts_with_tabs_or_line_breaks": changed,
        "corpus": manifest["corpus"],
    }
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    (folder / EXPORT).write_text(text, encoding="utf-8")


def _jsonl(source: Path, manifest: Mapping[str, Any], out: Path) -> int:
    """The canonical files as they are, so that `verify_snapshot` can check them anywhere."""
    for name in (*manifest["files"], MANIFEST):
        shutil.copyfile(source / name, out / name)
    return 0


def _snli_txt(source: Path, manifest: Mapping[str, Any], out: Path) -> int:
    return _tab_separated(source, manifest, out, SNLI_COLUMNS, "snli_txt")


def _multinli_txt(source: Path, manifest: Mapping[str, Any], out: Path) -> int:
    return _tab_separated(source, manifest, out, MULTINLI_COLUMNS, "multinli_txt")


def _tab_separated(
    source: Path, manifest: Mapping[str, Any], out: Path, columns: tuple[str, ...], format_name: str
) -> int:
    """One .txt a partition, in the columns of SNLI or MultiNLI 1.0; returns how many texts were changed."""
    facts = manifest["corpus"]
    if facts["scheme"] != "nli3":
        raise ExportError(
            f"{format_name} holds entailment, neutral and contradiction; "
            f"{facts['slug']} has the scheme {facts['scheme']}. Use jsonl."
        )
    if facts["question"]["seats"] > LABEL_COLUMNS:
        seats = facts["question"]["seats"]
        raise ExportError(
            f"{format_name} has five columns for labels; {facts['slug']} has {seats} a pair. Use jsonl."
        )
    header = [*columns, *(f"label{number}" for number in range(1, LABEL_COLUMNS + 1))]
    changed = 0
    for _, name in partitions(manifest):
        with (out / name.replace(".jsonl", ".txt")).open("w", encoding="utf-8", newline="\n") as stream:
            stream.write("\t".join(header) + "\n")
            for line in lines(source / name):
                if "premise_sentences" in line:
                    raise ExportError(
                        f"{format_name} has one sentence a premise; the premise {line['promptID']!r} "
                        "has several. Use jsonl."
                    )
                cells = _cells(line, columns)
                flat = [" ".join(cell.split()) if set(cell) & set("\t\r\n") else cell for cell in cells]
                changed += sum(cell != kept for cell, kept in zip(cells, flat, strict=True))
                stream.write("\t".join(flat) + "\n")
    return changed


def _cells(line: Line, columns: tuple[str, ...]) -> list[str]:
    labels = [*line["annotator_labels"], *[""] * LABEL_COLUMNS][:LABEL_COLUMNS]
    return [line["promptID" if name == "captionID" else name] for name in columns] + labels


FORMATS: dict[str, Callable[[Path, Mapping[str, Any], Path], int]] = {
    "jsonl": _jsonl,
    "snli_txt": _snli_txt,
    "multinli_txt": _multinli_txt,
}
