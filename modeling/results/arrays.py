"""Caches the content of a large file of a run as arrays, which load in a fraction of the time."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snapshots.files.draft_folders import draft_file

Read = tuple[Mapping[str, Any], Mapping[str, Any]]  # a JSON-ready head, and arrays by name


def cached(path: Path, kind: str, edition: int, parse: Callable[[Path], Read]) -> Read:
    """Returns the result of `parse` for a file: from the cache if that belongs to this exact file, else computed.

    The cache is a file beside it, so that it goes when the run's folder does, and a changed file has no second one.
    `edition` is increased whenever the result of `parse` changes. Raises FileNotFoundError.
    """
    facts = path.stat()
    version = [edition, facts.st_size, facts.st_mtime_ns]
    target = path.with_name(f"{path.name}.{kind}.npz")
    try:
        with np.load(target) as found:
            head = orjson.loads(found["head"].tobytes())
            if head["version"] == version:
                return head["content"], {name: found[name] for name in found.files}
    except FileNotFoundError:
        pass
    content, arrays = parse(path)
    head = orjson.dumps({"version": version, "content": content})
    with (
        suppress(PermissionError),
        draft_file(target) as draft,
    ):  # another machine's folder may be read-only here
        np.savez(draft, head=np.frombuffer(head, dtype=np.uint8), **arrays)
    return content, arrays
