"""Send a file of a snapshot or of an export, whole or in part, with its sha256 as ETag (RFC 9110).

Pages and REST share this module. The size on disk is compared with the row before the first byte is sent, so that a
missing or incomplete file becomes an error.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from accounts.rest.problems import of_status, problem_response
from snapshots.models import ExportedFile, Snapshot, SnapshotFile

BLOCK = 1 << 16
CONTENT_TYPES = {
    ".jsonl": "application/jsonl; charset=utf-8",
    ".json": "application/json",
    ".txt": "text/tab-separated-values; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
}
# One range: "bytes=0-499", "bytes=500-" or "bytes=-500".
SINGLE_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})\Z", re.ASCII)


class FileUnavailable(Exception):
    """The file is missing or incomplete on the server. The message says what to do."""


@dataclass(frozen=True)
class Download:
    """A file with its path, hash and size. remedy: what to do if it is missing. `snapshot` has its corpus loaded."""

    snapshot: Snapshot
    path: Path
    sha256: str
    size: int
    remedy: str

    @property
    def name(self) -> str:
        return self.path.name


def of_snapshot(file: SnapshotFile) -> Download:
    return Download(
        file.snapshot,
        file.snapshot.folder / file.name,
        file.sha256,
        file.size,
        "Ask the operator to restore the snapshot's folder from a backup.",
    )


def of_export(file: ExportedFile) -> Download:
    return Download(
        file.export.snapshot,
        file.export.folder / file.name,
        file.sha256,
        file.size,
        "Request the export again: it is then written with the same bytes.",
    )


def send(request: HttpRequest, file: Download) -> HttpResponseBase:
    """Answers GET or HEAD of a file with 200, 206, 304, 412 or 416.

    A request for several ranges gets the whole file, as RFC 9110 allows. Raises FileUnavailable.
    """
    _check(file)
    etag = f'"{file.sha256}"'
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if answer is not None and answer.status_code == 412:
        answer = problem_response(
            412, f"The request is for another version of {file.name}: the ETag here is {etag}."
        )
    elif answer is None:
        part = _asked_part(request, etag, file.size)
        answer = _whole(request, file) if part is None else _part(request, file, part)
    answer["ETag"] = etag
    answer["Accept-Ranges"] = "bytes"
    answer["Cache-Control"] = "private, no-cache"
    if file.snapshot.retracted_at is not None:
        # A retraction changes no file, so a program learns of it from this header.
        answer["Quintet-Retracted"] = file.snapshot.retracted_at.date().isoformat()
    return answer


def _check(file: Download) -> None:
    try:
        size = file.path.stat().st_size
    except OSError:
        raise FileUnavailable(
            f"{file.name} of {file.snapshot} is missing on the server. {file.remedy}"
        ) from None
    if size != file.size:
        raise FileUnavailable(
            f"{file.name} of {file.snapshot} is incomplete: it has {size:,} of {file.size:,} bytes. {file.remedy}"
        )


def _asked_part(request: HttpRequest, etag: str, size: int) -> range | None:
    """Returns the requested bytes; None for all of them; an empty range if the file has no such bytes."""
    match = SINGLE_RANGE.match(request.headers.get("Range", ""))
    # If-Range with another ETag or a date: the client has a part of another file.
    if not match or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = match.groups()
    if not first:
        return range(max(size - int(last), 0), size) if last else None
    if last and int(last) < int(first):
        return None  # an invalid range is ignored (RFC 9110, section 14.1.1)
    return range(int(first), min(int(last) + 1, size) if last else size)


def _whole(request: HttpRequest, file: Download) -> HttpResponseBase:
    if request.method == "HEAD":
        return _described(HttpResponse(), file, file.size)
    return _described(FileResponse(file.path.open("rb")), file, file.size)


def _part(request: HttpRequest, file: Download, part: range) -> HttpResponseBase:
    if not part:
        outside = f"{file.name} has {file.size:,} bytes; the requested part is outside. Request another part."
        answer = problem_response(416, outside)
        answer["Content-Range"] = f"bytes */{file.size}"
        return answer
    body = HttpResponse() if request.method == "HEAD" else StreamingHttpResponse(_bytes(file.path, part))
    body.status_code = 206
    body["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{file.size}"
    return _described(body, file, len(part))


def _described(answer: HttpResponseBase, file: Download, length: int) -> HttpResponseBase:
    answer["Content-Length"] = str(length)
    answer["Content-Type"] = CONTENT_TYPES.get(file.path.suffix, "application/octet-stream")
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


def send_or_explain(request: HttpRequest, file: Download) -> HttpResponseBase:
    try:
        return send(request, file)
    except FileUnavailable as error:
        return render(request, "snapshots/unavailable.html", {"file": file, "error": error}, status=503)


def file_answers(*suffixes: str) -> dict[Any, Any]:
    """Describes the responses of a file's address: the file, a part of it, 304, or an error."""
    types = [CONTENT_TYPES.get(suffix, "application/octet-stream").partition(";")[0] for suffix in suffixes]
    whole = {
        (status, type_): OpenApiTypes.OBJECT if type_ == "application/json" else OpenApiTypes.BINARY
        for status in (200, 206)
        for type_ in types
    }
    unchanged = OpenApiResponse(description="The client already has this file.")
    return {**whole, 304: unchanged, **of_status(412, 416)}


class AnyAccept(BaseContentNegotiation):
    """Ignore the Accept header: a file has only one form."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)
