"""Tables of statistics, and their formats: text, CSV, LaTeX, HTML."""

import csv
import io
from dataclasses import replace

import pytest

from shared.figures import FIGURES
from shared.numbers import written
from shared.table_formats import FORMATS, as_csv, as_html, as_latex, as_text
from shared.tables import Column, Table
from snapshots.statistics import artifacts, corpus, tags
from snapshots.statistics.pairs import Pair
from snapshots.statistics.tags import Token

TABLES = {name: each for name, each in FIGURES.items() if each.scope.name == "snapshot" and each.source}
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


def table(name, data):
    return FIGURES[name].table(data)


@pytest.fixture(scope="module")
def data():
    def annotate(sentences):
        return ([Token(word, "PRP", word) for word in text.split()] for text in sentences)

    return {
        "corpus": corpus.measure(pairs(), labels=LABELS, seats=5),
        "artifacts": artifacts.measure(pairs, labels=LABELS),
        "tags": tags.measure(pairs(), annotate, labels=LABELS),
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_rows_as_wide_as_its_columns_and_says_its_definitions(data, name):
    made = table(name, data[TABLES[name].source])
    assert made.rows or TABLES[name].only_with_rows
    assert all(row.keys() >= {column.key for column in made.columns} for row in made.rows)
    assert [*made.definitions, *made.notes]
    for write in FORMATS.values():
        assert write(made)


def test_a_text_of_several_lines_takes_one_line_of_a_text_table():
    made = Table(
        "missed",
        "",
        "Missed",
        (Column("premise"), Column("gold")),
        [{"premise": "A man.\nA dog.", "gold": "neutral"}],
    )
    assert "A man. / A dog.  neutral" in as_text(made).splitlines()


def test_the_table_of_genres_is_laid_out_as_in_the_paper(data):
    made = table("genres", data["corpus"])
    assert [row[:4] for row in made.cells()] == [
        ["fiction", 10, 5, 0],
        ["letters", 10, 5, 0],
        ["all", 20, 10, 0],
    ]


def test_the_table_of_genres_keeps_derived_trees_apart_and_only_where_there_are_some(data):
    names = [column.name for column in table("genres", data["corpus"]).columns]
    assert not any("derived" in name for name in names)
    trees = {"hypothesis_parse": "(ROOT (S x))", "derived_parses": ("sentence2",)}
    made = table("genres", corpus.measure((replace(p, **trees) for p in pairs()), labels=LABELS, seats=5))
    shown = made.rows[-1]
    assert shown["S-rooted hypotheses"] is None
    assert shown["S-rooted hypotheses, derived"] == 1
    assert shown["S-rooted premises, derived"] is None


def test_examples_show_first_letters_where_these_tell_the_labels_apart(data):
    assert {row[3] for row in table("examples", data["corpus"]).cells()} == {"N N N N N"}
    grammar = Pair(("He go.",), "He go.", "minor", labels=("minor", "major"), name="g")
    measured = corpus.measure([grammar], labels=("none", "minor", "major"), seats=2)
    assert [row[3] for row in table("examples", measured).cells()] == ["minor major"]


def test_shares_of_labels_sum_to_one(data):
    for row in table("labels", data["corpus"]).cells():
        assert sum(row[-4:]) == pytest.approx(1)


def test_each_partition_is_told_and_all_of_them_together(data):
    partitions = [row["partition"] for row in table("edits", data["corpus"]).rows]
    assert list(dict.fromkeys(partitions)) == ["train", "dev", "all"]


def odd() -> Table:
    columns = (Column("what"), Column("share", kind="share"), Column("n", kind="count"))
    rows = [{"what": "50% & <b>_x_</b>, \\ ~ {1}", "share": 0.12345, "n": 1234}, {"what": "empty"}]
    return Table("odd", "", "Odd | ends", columns, rows, notes=("What # means.",))


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
    assert written(0.2761, "number") == "0.28"
    assert written(0.58349, "share") == "58.3%"
    assert written(1e-9, "p") == "< .0001"
    assert written(None, "number") == ""
