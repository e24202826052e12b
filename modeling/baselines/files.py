"""Read files that must be complete; write files that are complete or absent."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from modeling.baselines.errors import BaselineError

HASH_BLOCK = 1 << 20
PARTIAL = ".partial"  # a file that is being written; after a kill it can be deleted


def sha256_of(path: Path) -> str:
    """Computes the SHA-256 of a file in hexadecimal. Raises BaselineError if the file cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(HASH_BLOCK):
                digest.update(block)
    except OSError as error:
        raise BaselineError(
            f"The file {path} cannot be read ({error.strerror}): export the snapshot again, or correct the path."
        ) from error
    return digest.hexdigest()


@contextmanager
def whole_or_absent(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`. On success it gets that name; on failure it is deleted.

    The content is on disk before the name changes: after a power cut there is the old file or the new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        # mkstemp makes files private; results are read by other processes too.
        temporary.chmod(0o644)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Writes `value` as indented JSON, completely or not at all. NaN is an error: it is not JSON."""
    with whole_or_absent(path) as temporary:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> object:
    """Reads the JSON value in `path`. Raises BaselineError with the place of an error."""
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BaselineError(
            f"The file {path} cannot be read ({error.strerror}): correct the path."
        ) from error
    except ValueError as error:
        raise BaselineError(f"The file {path} is not JSON ({error}): write it again.") from error
    return value
