"""Plant errors in the files of a snapshot, and run the checker on them."""

import json
from pathlib import Path

from snapshots.files.hashes import content_sha256, file_sha256, manifest_sha256
from snapshots.models import Snapshot
from snapshots.verify import verify
from tests.snapshots.material import add_pair, add_premise, corpus_of, freeze, label_pair


def of_every_kind() -> Snapshot:
    """Makes a snapshot with every kind of pair. Tests plant errors in a copy of its files."""
    corpus = corpus_of(12)
    premise = add_premise(corpus, "A line with all sorts of pairs.")
    label_pair(add_pair(premise, "e", "Undecided."), "eennc")
    add_pair(premise, "n", "Never asked again.")
    label_pair(add_pair(premise, "c", "Turned round."), "cnnne")
    return freeze(corpus)


def findings(folder: Path) -> list[str]:
    return [str(finding) for finding in verify(folder).findings]


def rewrite(folder: Path, name: str, change) -> None:
    """Changes the parsed lines of a file."""
    path = folder / name
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(rows)
    path.write_bytes(
        b"".join(json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n" for row in rows)
    )


def seal(folder: Path) -> None:
    """Updates hashes, sizes and line counts, as somebody who hides a change would."""
    told = json.loads((folder / "manifest.json").read_bytes())
    for name, entry in told["files"].items():
        data = (folder / name).read_bytes()
        entry |= {"sha256": file_sha256(folder / name), "bytes": len(data)}
        entry["lines"] = None if name == "corpus.json" else data.count(b"\n")
    told["sha256"] = content_sha256({name: entry["sha256"] for name, entry in told["files"].items()})
    told["manifest_sha256"] = manifest_sha256(told)
    (folder / "manifest.json").write_text(json.dumps(told))


def edit_manifest(folder: Path, change, *, sealed: bool = False) -> None:
    told = json.loads((folder / "manifest.json").read_bytes())
    change(told)
    if sealed:
        told["manifest_sha256"] = manifest_sha256(told)
    (folder / "manifest.json").write_text(json.dumps(told))
