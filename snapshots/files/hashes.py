"""Hash the files of a snapshot, its content and its manifest. Standard library only."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HASH_BLOCK = 1 << 20


def content_sha256(files: Mapping[str, str]) -> str:
    """The hash of a snapshot: sha256 over the sorted lines `name sha256` of its content files."""
    listing = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(listing.encode()).hexdigest()


def manifest_sha256(manifest: Mapping[str, Any]) -> str:
    """The manifest's own hash, without what may differ between two freezes of one content at two times."""
    told = {key: value for key, value in manifest.items() if key not in ("about", "manifest_sha256")}
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def stays_inside(name: str) -> bool:
    """Whether a file of this name stands in the folder itself, not beside or below it."""
    return Path(name).name == name and name not in ("", "..")


def file_sha256(path: Path) -> str:
    """The file's sha256 in hexadecimal. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(HASH_BLOCK):
            digest.update(block)
    return digest.hexdigest()
