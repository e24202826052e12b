"""Tables for spreadsheets: the one place that writes CSV.

A spreadsheet takes a text that begins like a formula for one, and runs it. Texts here may come from anybody
(hypotheses, ids of a platform's participants), so such a text gets an apostrophe before it, which shows it as it is.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: object) -> object:
    """`value`, safe in a spreadsheet. Numbers stay numbers; a lone sign, such as the `-` of no gold label, is none."""
    if isinstance(value, str) and len(value) > 1 and value.startswith(FORMULA):
        return f"'{value}"
    return value


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The rows as lines of CSV, one after the other."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow([cell(value) for value in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    return "".join(csv_lines(rows))
