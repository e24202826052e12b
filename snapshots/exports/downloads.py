"""A file of a snapshot, or of an export of one, as an answer: whole or in part, with an ETag that is its sha256 (RFC 9110).

Pages and REST share it. What is on the disk is compared with the row before a byte is sent: a file that is
missing or torn is said to be so.
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
    """The file cannot be given out as it was frozen; the message says why and what to do."""


@dataclass(frozen=True)
class Download:
    """A file as it was made, where it stands, and what to do if it does not. `snapshot` has its corpus loaded."""

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
        "Ask for the export again: it is then made anew, with the same bytes.",
    )


def send(request: HttpRequest, file: Download) -> HttpResponseBase:
    """200, 206, 304, 412 or 416 for GET and HEAD of `file`.

    Several ranges at once are answered with the whole file, as RFC 9110 allows. Raises FileUnavailable.
    """
    _check(file)
    etag = f'"{file.sha256}"'
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if answer is not None and answer.status_code == 412:
        answer = problem_response(
            412, f"{file.name} is not the file that the request wants: its ETag is {etag}."
        )
    elif answer is None:
        part = _asked_part(request, etag, file.size)
        answer = _whole(request, file) if part is None else _part(request, file, part)
    answer["ETag"] = etag
    answer["Accept-Ranges"] = "bytes"
    answer["Cache-Control"] = "private, no-cache"
    if file.snapshot.retracted_at is not None:
        # The bytes stay as they are: only beside them can a program read that they should not be used.
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
            f"{file.name} of {file.snapshot} is torn: {size:,} of {file.size:,} bytes are there. {file.remedy}"
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


def _whole(request: HttpRequest, file: Download) -> HttpResponseBase:
    if request.method == "HEAD":
        return _described(HttpResponse(), file, file.size)
    return _described(FileResponse(file.path.open("rb")), file, file.size)


def _part(request: HttpRequest, file: Download, part: range) -> HttpResponseBase:
    if not part:
        outside = f"{file.name} has {file.size:,} bytes; the part asked for lies outside. Ask for another."
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
    """What a file's address can answer: all of it, a part, nothing new, or an error."""
    types = [CONTENT_TYPES.get(suffix, "application/octet-stream").partition(";")[0] for suffix in suffixes]
    whole = {
        (status, type_): OpenApiTypes.OBJECT if type_ == "application/json" else OpenApiTypes.BINARY
        for status in (200, 206)
        for type_ in types
    }
    unchanged = OpenApiResponse(description="The file is the one that the request has.")
    return {**whole, 304: unchanged, **of_status(412, 416)}


class AnyAccept(BaseContentNegotiation):
    """A file has one form: `Accept: text/csv` is no reason to refuse it."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)
