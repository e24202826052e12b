"""Tables as people save them: a quote that is never closed, other separators, other line ends, CSV's quoting behind tabs."""

import json
import zipfile
from pathlib import Path

import pyarrow as arrow
import pytest
from pyarrow import parquet

from collection.formats.lines import QUOTES_STAY, BadLine, json_records, packed
from collection.formats.registry import FORMATS
from collection.formats.sniffing import sniffed
from collection.formats.tables import any_records, csv_records, table_records

ROWS = ("The lamp in the hall is on.,A light is shining.,entailment", "A cook cuts onions.,He rests.,neutral")
HEAD = "premise,hypothesis,label"


def written(tmp_path: Path, text: str | bytes, name: str = "pairs.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def divided(path: Path, reader=csv_records) -> tuple[list[int], list[int]]:
    """Returns the lines of the records, and those that were refused."""
    found = list(reader(path))
    bad = [item.line for item in found if isinstance(item, BadLine)]
    return [item[0] for item in found if not isinstance(item, BadLine)], bad


def boats(rows: int, quoted: int, proper: int = 0) -> str:
    """Returns a table of numbered rows; the one on line `quoted` has a quote that is never closed."""
    lines = [HEAD]
    for line in range(2, rows + 2):
        quote = '"' if line in (quoted, proper) else ""
        end = '"' if line == proper else ""
        lines.append(f"{quote}Premise {line} is about a boat.{end},Boat {line} floats.,neutral")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("rows", "quoted", "proper"), [(40, 4, 0), (20_000, 12, 0), (3000, 12, 2002), (40, 41, 0), (40, 4, 5)]
)
def test_a_quote_that_is_never_closed_costs_one_line(tmp_path, rows, quoted, proper):
    good, bad = divided(written(tmp_path, boats(rows, quoted, proper)))
    assert bad == [quoted]
    assert good == [line for line in range(2, rows + 2) if line != quoted]


def test_a_row_of_many_lines_with_too_many_columns_costs_its_first_line_alone(tmp_path):
    text = f'{HEAD}\n"open,a,neutral\nb,c,neutral\nd," closed",e,f\n'
    assert divided(written(tmp_path, text)) == ([3], [2, 4])


def test_a_quoted_cell_of_several_lines_is_one_row(tmp_path):
    assert divided(written(tmp_path, f'{HEAD}\n"one\ntwo",h,neutral\np,h,neutral\n')) == ([2, 4], [])


@pytest.mark.parametrize(
    "text",
    [
        "\n".join((HEAD, *ROWS)).replace(",", ";"),
        "sep=;\n" + "\n".join((HEAD, *ROWS)).replace(",", ";"),
        "\r".join((HEAD, *ROWS)),
        "\n".join((HEAD, *ROWS)).encode("utf-16"),
        "\ufeff" + "\n".join((HEAD, *ROWS)),
        "\n".join((HEAD, *ROWS)).replace(",", "\t").encode("utf-16"),
    ],
    ids=["semicolon", "sep", "cr", "utf16", "bom", "utf16-tabs"],
)
def test_a_table_is_read_as_other_programs_save_it(tmp_path, text):
    found = [record for _, record in any_records(written(tmp_path, text))]
    assert found == [dict(zip(HEAD.split(","), row.split(","), strict=True)) for row in ROWS]


def test_a_byte_order_mark_between_two_files_that_were_put_together_is_no_text(tmp_path):
    lines = [json.dumps({"premise": f"P {n}."}) for n in range(2)]
    text = "".join(f"\ufeff{line}\n" for line in lines)
    assert divided(written(tmp_path, text), json_records) == ([1, 2], [])


QUOTED = (
    '"He said ""hello"" to her."\tHe spoke.\tentailment\n'
    '"A tab\there."\tA tab.\tneutral\n'
    'The 6" pipe leaks.\tA pipe.\tneutral\n'
)


def test_a_tab_separated_file_in_csvs_quoting_is_read_so(tmp_path):
    path = written(tmp_path, HEAD.replace(",", "\t") + "\n" + QUOTED, "a.tsv")
    premises = [record["premise"] for _, record in table_records(path)]
    assert premises == ['He said "hello" to her.', "A tab\there.", 'The 6" pipe leaks.']
    assert [pair.premise[0] for pair in FORMATS["tsv"].read(path)] == premises
    assert [pair.premise[0] for pair in sniffed(path).form.read(path)] == premises


def test_quotes_that_are_speech_stay_in_a_tab_separated_file(tmp_path):
    speech = '"Go away."\tHe spoke.\tneutral\n"No," he said.\tHe spoke.\tneutral\n"He ""left"".\tHe spoke.\tneutral\n'
    path = written(tmp_path, HEAD.replace(",", "\t") + "\n" + speech, "a.tsv")
    premises = [record["premise"] for _, record in table_records(path)]
    assert premises == ['"Go away."', '"No," he said.', '"He ""left"".']
    assert [pair.told[QUOTES_STAY] for pair in FORMATS["tsv"].read(path)] == [0, 0, 0]


def test_quotes_that_stay_where_other_lines_have_none_are_told(tmp_path):
    path = written(
        tmp_path, HEAD.replace(",", "\t") + "\n" + QUOTED + '"No," he said.\tHe spoke.\tneutral\n', "a.tsv"
    )
    read = list(FORMATS["tsv"].read(path))
    assert read[0].premise[0] == '"He said ""hello"" to her."'
    told = [pair.told[QUOTES_STAY] for pair in read if not isinstance(pair, BadLine)]
    assert told == [1, 0, 0]


def test_a_table_without_a_header_is_read_by_the_numbers_of_its_columns(tmp_path):
    text = "\n".join(ROWS)
    for name, content in (("a.csv", text), ("a.tsv", text.replace(",", "\t"))):
        form = FORMATS[name[2:]].mapped({"premise": ("1",), "hypothesis": ("2",), "label": ("3",)}, None)
        pairs = list(form.read(written(tmp_path, content, name)))
        assert [(pair.premise[0], pair.hypothesis, pair.published_label) for pair in pairs] == [
            tuple(row.split(",")) for row in ROWS
        ]


def test_a_table_without_a_header_is_told_how_to_be_read(tmp_path):
    with pytest.raises(ValueError, match="number the columns: premise=1,hypothesis=2,label=3"):
        sniffed(written(tmp_path, "\n".join(ROWS)))


def test_an_archive_is_named_as_one(tmp_path):
    path = tmp_path / "pairs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pairs.csv", HEAD)
    assert packed(path).startswith("pairs.zip is a zip archive or an Excel file: unpack it")
    with pytest.raises(ValueError, match="unpack it"):
        sniffed(path)
    assert not packed(written(tmp_path, HEAD))


def test_parquet_is_read_with_the_names_of_its_class_labels(tmp_path):
    rows = [{"premise": f"P {n}.", "hypothesis": "H.", "label": n - 1} for n in range(4)]
    features = {"label": {"names": ["entailment", "neutral", "contradiction"], "_type": "ClassLabel"}}
    table = arrow.Table.from_pylist(rows).replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": features}})}
    )
    path = tmp_path / "pairs.parquet"
    parquet.write_table(table, path)
    pairs = list(FORMATS["jsonl"].read(path))
    assert [pair.published_label for pair in pairs] == [None, "entailment", "neutral", "contradiction"]
    assert sniffed(path).form.name == "jsonl"
    broken = written(tmp_path, path.read_bytes()[:-40], "broken.parquet")
    (bad,) = json_records(broken)
    assert "damaged" in bad.reason
