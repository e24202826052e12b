"""Answers requests with a CSV file."""

from collections.abc import Iterator
from typing import overload

from django.http import HttpResponse, StreamingHttpResponse


@overload
def csv_file(content: str, name: str) -> HttpResponse: ...


@overload
def csv_file(content: Iterator[str], name: str) -> StreamingHttpResponse: ...


def csv_file(content: str | Iterator[str], name: str) -> HttpResponse | StreamingHttpResponse:
    """Returns CSV as the file `name`.csv; lines of an iterator are sent as they come."""
    kind = HttpResponse if isinstance(content, str) else StreamingHttpResponse
    answer = kind(content, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer
