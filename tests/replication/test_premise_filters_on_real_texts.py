"""The filters on published texts: the counts that docs/premise-filters.md states, file by file."""

import re
from pathlib import Path

import pytest

from collection.formats.lines import BadLine
from collection.premises.files import read_premises
from collection.premises.filters.registry import DUPLICATE, filters_for, sift

PAGE = Path(__file__).parents[2] / "docs/premise-filters.md"
LONG = 600  # lines: files with more are not for `make quick`


def stated() -> dict[str, dict[str, int]]:
    """Returns the first table of results: file -> column -> count."""
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split("|")]
        for line in PAGE.read_text().splitlines()
        if re.match(r"\| (file \||\w+\.tsv)", line)
    ]
    columns = rows[0][1:]
    return {
        row[0]: dict(zip(columns, (int(cell.replace(",", "")) for cell in row[1:]), strict=True))
        for row in rows[1:]
    }


def test_the_page_states_nineteen_files():
    assert len(stated()) == 19
    assert sum(row["lines"] for row in stated().values()) == 72_636


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.thorough] if row["lines"] > LONG else [])
        for name, row in stated().items()
    ],
)
def test_each_filter_drops_as_many_lines_as_the_page_states(shared_data, name):
    filters = filters_for("en")
    found = list(read_premises(shared_data / "text_genres" / name))
    assert not [item for item in found if isinstance(item, BadLine)]
    sifted = sift(found, set(), filters)
    counts = {rule.name: 0 for rule in (DUPLICATE, *filters)}
    for _, rule in sifted.dropped:
        counts[rule.name] += 1
    row = stated()[name]
    wanted = {rule: row.get(rule, 0) for rule in counts}
    assert counts == wanted
    assert (len(found), len(sifted.kept)) == (row["lines"], row["premises"])
