"""A file of a snapshot as an answer: whole or in part, with an ETag that is its sha256 (RFC 9110).

Pages and REST share it. What is on the disk is compared with the row before a byte is sent: a file that is
missing or torn is said to be so.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response

from snapshots.manifest import folder_of
from snapshots.models import SnapshotFile

BLOCK = 1 << 16
CONTENT_TYPES = {".jsonl": "application/jsonl; charset=utf-8", ".json": "application/json"}
# One range: "bytes=0-499", "bytes=500-" or "bytes=-500".
SINGLE_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})\Z", re.ASCII)


class FileUnavailable(Exception):
    """The file cannot be given out as it was frozen; the message says why and what to do."""


def send(request: HttpRequest, file: SnapshotFile) -> HttpResponseBase:
    """200, 206, 304, 412 or 416 for GET and HEAD of `file`, whose snapshot and corpus are loaded.

    Several ranges at once are answered with the whole file, as RFC 9110 allows. Raises FileUnavailable.
    """
    path = folder_of(file.snapshot) / file.name
    _check(path, file)
    etag = f'"{file.sha256}"'
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if answer is None:
        part = _asked_part(request, etag, file.size)
        answer = _whole(request, path, file) if part is None else _part(request, path, file, part)
    answer["ETag"] = etag
    answer["Accept-Ranges"] = "bytes"
    answer["Cache-Control"] = "private, no-cache"
    if file.snapshot.retracted_at is not None:
        # The bytes stay as they are: only beside them can a program read that they should not be used.
        answer["Quintet-Retracted"] = file.snapshot.retracted_at.date().isoformat()
    return answer


def _check(path: Path, file: SnapshotFile) -> None:
    remedy = "Ask the operator to restore the snapshot's folder from a backup."
    try:
        size = path.stat().st_size
    except OSError:
        raise FileUnavailable(f"{file.name} of {file.snapshot} is missing on the server. {remedy}") from None
    if size != file.size:
        raise FileUnavailable(
            f"{file.name} of {file.snapshot} is torn: {size:,} of {file.size:,} bytes are there. {remedy}"
        )


def _asked_part(request: HttpRequest, etag: str, size: int) -> range | None:
    """The bytes asked for; None for all of them, an empty range where the file has no such bytes."""
    match = SINGLE_RANGE.match(request.headers.get("Range", ""))
    # If-Range with another ETag (or a date): the file that the client has a part of is not this one.
    if not match or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = match.groups()
    if not first:
        return range(max(size - int(last), 0), size) if last else None
    if last and int(last) < int(first):
        return None  # not a range at all: ignored, as RFC 9110 section 14.1.1 says
    return range(int(first), min(int(last) + 1, size) if last else size)


def _whole(request: HttpRequest, path: Path, file: SnapshotFile) -> HttpResponseBase:
    if request.method == "HEAD":
        return _described(HttpResponse(), file, file.size)
    return _described(FileResponse(path.open("rb")), file, file.size)


def _part(request: HttpRequest, path: Path, file: SnapshotFile, part: range) -> HttpResponseBase:
    if not part:
        answer = JsonResponse(_no_such_bytes(file), status=416, content_type="application/problem+json")
        answer["Content-Range"] = f"bytes */{file.size}"
        return answer
    body = HttpResponse() if request.method == "HEAD" else StreamingHttpResponse(_bytes(path, part))
    body.status_code = 206
    body["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{file.size}"
    return _described(body, file, len(part))


def _no_such_bytes(file: SnapshotFile) -> dict[str, str | int]:
    detail = f"{file.name} has {file.size:,} bytes; the part asked for lies outside. Ask for another."
    return {"type": "about:blank", "title": "There are no such bytes", "status": 416, "detail": detail}


def _described(answer: HttpResponseBase, file: SnapshotFile, length: int) -> HttpResponseBase:
    answer["Content-Length"] = str(length)
    answer["Content-Type"] = CONTENT_TYPES.get(Path(file.name).suffix, "application/octet-stream")
    name = f"{file.snapshot.corpus.slug}-{file.snapshot.version}-{file.name}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _bytes(path: Path, part: range) -> Iterator[bytes]:
    with path.open("rb") as stream:
        stream.seek(part.start)
        left = len(part)
        while left and (block := stream.read(min(BLOCK, left))):
            left -= len(block)
            yield block
