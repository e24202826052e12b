"""Writes CSV that is safe to open in a spreadsheet, and answers requests with it. All CSV of the site is written here.

A spreadsheet executes a text that begins like a formula. Anybody may have written the texts (hypotheses, ids of a
platform's participants), so such a text gets an apostrophe in front, with which the spreadsheet reads it as text.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from django.http import HttpResponse, StreamingHttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: object) -> object:
    """Returns `value`, safe in a spreadsheet. Numbers and single characters, such as the `-` of no gold label, stay."""
    if isinstance(value, str) and len(value) > 1 and value.startswith(FORMULA):
        return f"'{value}"
    return value


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yields the rows as lines of CSV."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow([cell(value) for value in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    return "".join(csv_lines(rows))


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
