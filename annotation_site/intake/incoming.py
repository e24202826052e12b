"""The folder for incoming files: pages import files from there.

The site accepts no uploaded files; but a page sends the text of a small file as a form's field, and it is stored here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from collection.formats.field_errors import FieldError
from snapshots.files.draft_folders import draft_file

MOST_FILES = 500
SENT = "sent"  # the folder, below the one for incoming files, of texts that were sent by a page
MOST_CHARACTERS = 2_000_000  # of a text; larger files are put into the folder on the server
MOST_BYTES = 200  # of a name
MOST_FOLDERS = 3  # inside each other
PACKED = (".gz", ".zip", ".bz2", ".xz", ".7z")


@dataclass(frozen=True)
class IncomingFile:
    """A file by its path inside the folder, with slashes."""

    name: str
    size: int
    changed: datetime


def incoming_files() -> list[IncomingFile]:
    """Returns the files in the folder and below it, by name, without hidden files and links."""
    root = Path(settings.INCOMING_ROOT)
    found = []
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        name = path.relative_to(root)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in name.parts):
            continue
        about = path.stat()
        found.append(
            IncomingFile(name.as_posix(), about.st_size, datetime.fromtimestamp(about.st_mtime, UTC))
        )
        if len(found) == MOST_FILES:
            break
    return found


def paths_of(names: Sequence[str]) -> list[Path]:
    """Returns the paths of files in the folder. Raises FieldError for a name that is not there."""
    known = {file.name for file in incoming_files()}
    for name in names:
        if name not in known:
            raise FieldError(f"{name} is not in the folder for incoming files; put it there.")
    if not names:
        raise FieldError("No file is chosen.")
    return [Path(settings.INCOMING_ROOT) / name for name in names]


def store_text(*, name: str, text: str, folder: str = "") -> str:
    """Stores a text as a file `name` in the folder for incoming files. Returns its path there.

    folder: the subfolder of files that are read together; by default a new one. The same text is stored once.
    Raises FieldError if the text is empty or too long, if the name is invalid or another file of the subfolder has
    it, or if the folder is full or cannot be written.
    """
    text = text.replace("\r\n", "\n")
    plain = _safe(name.replace("\\", "/").rpartition("/")[2])
    if not plain:
        raise FieldError("The file needs a name. Formats and recipes may read it.")
    if Path(plain).suffix.lower() in PACKED:
        raise FieldError(f"{plain} is packed, not text. Unpack it, or put it into the folder on the server.")
    if not text.strip():
        raise FieldError("The text is empty.")
    if len(text) > MOST_CHARACTERS:
        raise FieldError(
            f"The text has more than {MOST_CHARACTERS:,} characters. Put the file into the folder on the server."
        )
    if len(incoming_files()) >= MOST_FILES:
        raise FieldError(
            f"There are {MOST_FILES} files in the folder already. Ask the operator to remove some."
        )
    inside = [each for part in folder.replace("\\", "/").split("/") if (each := _safe(part))]
    if len(inside) > MOST_FOLDERS:
        raise FieldError(f"Name at most {MOST_FOLDERS} folders, such as pairs or p00/d0018.")
    stored = "/".join((SENT, *(inside or [sha256(text.encode()).hexdigest()[:8]]), plain))
    target = Path(settings.INCOMING_ROOT) / stored
    try:
        if target.exists():
            if target.read_bytes() == text.encode():
                return stored
            raise FieldError(f"Another file is stored as {stored} already. Name another folder.")
        with draft_file(target) as draft:
            draft.write_text(text, encoding="utf-8", newline="")
    except PermissionError as problem:
        raise FieldError(
            "The site may not write into the folder for incoming files. Tell the operator."
        ) from problem
    except OSError as problem:
        raise FieldError(f"{stored} cannot be stored: {problem.strerror}.") from problem
    return stored


def _safe(name: str) -> str:
    """Returns the name of a file or folder as it was given, without what is hidden, invisible or leads elsewhere."""
    found = "".join(each for each in name if each.isprintable()).strip(" ").lstrip(".").lstrip(" ")
    if len(found.encode()) > MOST_BYTES:
        raise FieldError(f"The name {found[:40]}... is longer than {MOST_BYTES} bytes. Shorten it.")
    return found
