"""Tables of figures, and how they are written: text, CSV, LaTeX, HTML."""

import csv
import io

import pytest

from snapshots.statistics import artifacts, corpus, tags
from snapshots.statistics.pairs import Pair
from snapshots.statistics.rendering import FORMATS, as_csv, as_html, as_latex, as_text, shown
from snapshots.statistics.tables import ARTIFACTS, CORPUS, TABLES, TAGS, Column, Table, table
from snapshots.statistics.tags import Token

LABELS = ("entailment", "neutral", "contradiction")


def pairs():
    for n in range(30):
        yield Pair(
            (f"Line {n} of a story.",),
            f"{'Somebody' if n % 4 else 'Nobody'} reads line {n % 5}.",
            (*LABELS, "-")[n % 4],
            genre=("fiction", "letters")[n % 2],
            partition=("train", "dev")[n % 3 == 0],
            name=f"p{n}",
            labels=("neutral",) * 5,
        )


@pytest.fixture(scope="module")
def data():
    def annotate(sentences):
        return ([Token(word, "PRP", word) for word in text.split()] for text in sentences)

    return {
        CORPUS: corpus.measure(pairs(), labels=LABELS, seats=5),
        ARTIFACTS: artifacts.measure(pairs, labels=LABELS),
        TAGS: tags.measure(pairs(), annotate, labels=LABELS),
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_rows_as_wide_as_its_columns_and_says_its_definitions(data, name):
    made = table(name, data[TABLES[name].source])
    assert made.rows
    assert {len(row) for row in made.rows} == {len(made.columns)}
    assert made.definitions
    for write in FORMATS.values():
        assert write(made)


def test_the_table_of_genres_is_laid_out_as_in_the_paper(data):
    made = table("genres", data[CORPUS])
    assert [row[:4] for row in made.rows] == [
        ["fiction", 10, 5, 0],
        ["letters", 10, 5, 0],
        ["all", 20, 10, 0],
    ]


def test_shares_of_labels_sum_to_one(data):
    for row in table("labels", data[CORPUS]).rows:
        assert sum(row[-4:]) == pytest.approx(1)


def test_each_partition_is_told_and_all_of_them_together(data):
    assert [row[0] for row in table("edits", data[CORPUS]).rows] == ["train", "dev", "all"]


def odd() -> Table:
    columns = (Column("what"), Column("share", "share"), Column("n", "count"))
    rows = [["50% & <b>_x_</b>, \\ ~ {1}", 0.12345, 1234], ["empty", None, None]]
    return Table("odd", "Odd | ends", columns, rows, ("What # means.",))


def test_csv_holds_the_raw_values():
    rows = list(csv.reader(io.StringIO(as_csv(odd()))))
    assert rows == [
        ["what", "share", "n"],
        ["50% & <b>_x_</b>, \\ ~ {1}", "0.12345", "1234"],
        ["empty", "", ""],
    ]


def test_latex_escapes_what_latex_would_take_for_its_own():
    told = as_latex(odd())
    assert (
        r"50\% \& \textless{}b\textgreater{}\_x\_\textless{}/b\textgreater{}, \textbackslash{} \textasciitilde{} \{1\}"
        in told
    )
    assert r"12.3\% & 1,234 \\" in told
    assert r"\caption{Odd \textbar{} ends. What \# means.}" in told


def test_html_escapes_every_text():
    told = as_html(odd())
    assert "&lt;b&gt;_x_&lt;/b&gt;" in told
    assert "<b>" not in told
    assert "<li>What # means.</li>" in told


def test_text_lines_its_numbers_up():
    lines = as_text(odd()).splitlines()
    assert lines[3].endswith("12.3%  1,234")
    assert lines[-1] == "What # means."


def test_values_are_rounded_to_be_read():
    assert shown(0.2761, "number") == "0.28"
    assert shown(0.58349, "share") == "58.3%"
    assert shown(1e-9, "p") == "< .0001"
    assert shown(None, "number") == ""
