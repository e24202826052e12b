"""The folder for incoming files: pages import files from there.

No request carries a whole file. A page sends a pasted text as a form's field, and a file in portions, one after the other,
none longer than any other request; they are put together here.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from accounts.people.gates import viewer
from collection.formats.field_errors import FieldError
from collection.formats.lines import sha256_of
from collection.models import Corpus, CorpusMember
from snapshots.files.draft_folders import draft_file

MOST_FILES = 500
SENT = "sent"  # the folder, below the one for incoming files, of texts that were sent by a page
SENDERS = ".senders"  # who sent a file: their codes, in a file named by a digest of its path
PORTIONS = ".portions"  # the folder of files of which portions are still missing
KEPT_SECONDS = 24 * 3600  # a file whose next portion does not come
MOST_CHARACTERS = 2_000_000  # of a pasted text; a file may be longer
MOST_IN_PORTION = 2 * 2**20  # bytes
MOST_IN_FILE = 4 * 2**30  # bytes
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
    """Returns the files in the folder and below it, by name, without hidden files and links.

    A researcher sees what the operator put there, and what a page sent for them or for a colleague of one of their corpora.
    """
    root, colleagues = Path(settings.INCOMING_ROOT), _colleagues()
    found = []
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        name = path.relative_to(root)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in name.parts):
            continue
        if colleagues is not None and name.parts[0] == SENT:
            senders = _senders(name.as_posix())  # none: it was sent before senders were noted
            if senders and senders.isdisjoint(colleagues):
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
            raise FieldError(f"{name} is not among the files that were sent; send it again.")
    if not names:
        raise FieldError("No file is chosen.")
    return [Path(settings.INCOMING_ROOT) / name for name in names]


def store_text(*, name: str, text: str, folder: str = "") -> str:
    """Stores a text as a file `name` in the folder for incoming files. Returns its path there.

    folder: the subfolder of files that are read together; by default a new one. The same text is stored once.
    Raises FieldError if the text is empty or too long, and as `_place` and `_writing`.
    """
    text = text.replace("\r\n", "\n")
    plain = _plain(name)
    if Path(plain).suffix.lower() in PACKED:
        raise FieldError(f"{plain} is packed, not text. Choose the file instead of pasting a text.")
    if not text.strip():
        raise FieldError("The text is empty. Choose a file, or paste its text.")
    if len(text) > MOST_CHARACTERS:
        raise FieldError(
            f"The text has more than {MOST_CHARACTERS:,} characters. Choose the file instead of pasting it."
        )
    digest = sha256(text.encode()).hexdigest()
    stored = _place(plain, folder, digest)
    with _writing(stored):
        if not _is_there(stored, digest):
            with draft_file(Path(settings.INCOMING_ROOT) / stored) as draft:
                draft.write_text(text, encoding="utf-8", newline="")
        _note_sender(stored)
    return stored


@dataclass(frozen=True)
class Portion:
    """A part of a file. file: tells files apart. at: the place of `content` in it; size: of all of it; both in bytes."""

    file: str
    at: int
    size: int
    content: bytes


def store_portion(portion: Portion, *, name: str, folder: str = "") -> tuple[int, str]:
    """Adds a portion to a file whose earlier portions are here. Returns how many bytes are here now, and the path of the
    file in the folder for incoming files; an empty one while portions are missing.

    A portion that does not begin where the last one ended is not written: the number says where to go on, also after an
    interruption. Raises FieldError as `store_text`.
    """
    plain = _plain(name)
    if not 0 < portion.size <= MOST_IN_FILE:
        raise FieldError(
            f"{plain} has {portion.size:,} bytes. A file has at least one, and at most {MOST_IN_FILE:,}: pack it (.gz), or"
            " divide it."
        )
    stored = _place(plain, folder, "")
    root = Path(settings.INCOMING_ROOT) / PORTIONS
    part = root / sha256(f"{portion.file} {stored} {portion.size}".encode()).hexdigest()
    with _writing(stored):
        root.mkdir(parents=True, exist_ok=True)
        if not portion.at:
            _remove_abandoned(root)
        with part.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            here = os.fstat(file.fileno()).st_size
            if portion.at == here and here + len(portion.content) <= portion.size:
                file.write(portion.content)
                here += len(portion.content)
            if here < portion.size:
                return here, ""
            file.flush()
            digest = sha256_of(part)
            stored = _place(plain, folder, digest)
            if _is_there(stored, digest):
                part.unlink()
            else:
                target = Path(settings.INCOMING_ROOT) / stored
                target.parent.mkdir(parents=True, exist_ok=True)
                part.replace(target)
            _note_sender(stored)
    return here, stored


def _colleagues() -> set[str] | None:
    """Returns the codes of the viewer and of all members of their corpora; None if nobody asks, or an administrator."""
    user = viewer()
    if user is None or user.is_administrator:
        return None
    members = CorpusMember.objects.filter(corpus__in=Corpus.objects.of(user))
    return {user.code, *members.values_list("user__code", flat=True)}


def _file_of_senders(stored: str) -> Path:
    return Path(settings.INCOMING_ROOT) / SENDERS / sha256(stored.encode()).hexdigest()


def _senders(stored: str) -> set[str]:
    file = _file_of_senders(stored)
    return set(file.read_text().split()) if file.exists() else set()


def _note_sender(stored: str) -> None:
    user, file = viewer(), _file_of_senders(stored)
    if user is not None and user.code not in _senders(stored):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as codes:
            codes.write(f"{user.code}\n")


def _is_there(stored: str, digest: str) -> bool:
    """Returns whether this very file is there. Raises FieldError if another one is."""
    target = Path(settings.INCOMING_ROOT) / stored
    if not target.exists():
        return False
    if sha256_of(target) != digest:
        raise FieldError(f"Another file is stored as {stored} already. Name another folder.")
    return True


def _remove_abandoned(root: Path) -> None:
    for part in root.iterdir():
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > KEPT_SECONDS:
                part.unlink()


def _plain(name: str) -> str:
    plain = _safe(name.replace("\\", "/").rpartition("/")[2])
    if not plain:
        raise FieldError("The file needs a name. Formats and recipes may read it.")
    return plain


def _place(plain: str, folder: str, digest: str) -> str:
    """Returns where a file is stored. Raises FieldError if the folder for incoming files is full, or `folder` is invalid."""
    if len(incoming_files()) >= MOST_FILES:
        raise FieldError(
            f"There are {MOST_FILES} files in the folder already. Ask the operator to remove some."
        )
    inside = [each for part in folder.replace("\\", "/").split("/") if (each := _safe(part))]
    if len(inside) > MOST_FOLDERS:
        raise FieldError(f"Name at most {MOST_FOLDERS} folders, such as pairs or p00/d0018.")
    return "/".join((SENT, *(inside or [digest[:8]]), plain))


@contextmanager
def _writing(stored: str) -> Iterator[None]:
    """Raises FieldError where the file cannot be written."""
    try:
        yield
    except PermissionError as problem:
        raise FieldError(
            "The site may not write into the folder for incoming files. Tell the operator."
        ) from problem
    except OSError as problem:
        raise FieldError(f"{stored} cannot be stored: {problem.strerror}.") from problem


def _safe(name: str) -> str:
    """Returns the name of a file or folder as it was given, without what is hidden, invisible or leads elsewhere."""
    found = "".join(each for each in name if each.isprintable()).strip(" ").lstrip(".").lstrip(" ")
    if len(found.encode()) > MOST_BYTES:
        raise FieldError(f"The name {found[:40]}... is longer than {MOST_BYTES} bytes. Shorten it.")
    return found
