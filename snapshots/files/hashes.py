"""Hash the files of a snapshot, its content and its manifest. Standard library only."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HASH_BLOCK = 1 << 20


def content_sha256(files: Mapping[str, str]) -> str:
    """Returns the hash of a snapshot: sha256 over the sorted lines `name sha256` of its content files."""
    listing = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(listing.encode()).hexdigest()


def manifest_sha256(manifest: Mapping[str, Any]) -> str:
    """Returns the hash of a manifest, without the part that differs between two freezes of the same content."""
    content = {key: value for key, value in manifest.items() if key not in ("about", "manifest_sha256")}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def stays_inside(name: str) -> bool:
    """Returns whether a file name contains no path, and so stays in its folder."""
    return Path(name).name == name and name not in ("", "..")


def file_sha256(path: Path) -> str:
    """Returns the sha256 of a file in hexadecimal. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(HASH_BLOCK):
            digest.update(block)
    return digest.hexdigest()
