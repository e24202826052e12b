"""Reading difficult files: compressed, incomplete, badly encoded, with very long lines."""

import gzip

from collection.formats.lines import MAX_LINE, BadLine, json_records, read_lines, sha256_of
from collection.formats.tables import csv_records, tsv_records


def lines_of(tmp_path, content: bytes):
    path = tmp_path / "file"
    path.write_bytes(content)
    return list(read_lines(path))


def test_lines_come_with_their_numbers_and_without_their_ends(tmp_path):
    assert lines_of(tmp_path, b"one\r\ntwo\n\nfour") == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_an_empty_file_has_no_lines(tmp_path):
    assert lines_of(tmp_path, b"") == []


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    assert lines_of(tmp_path, b"\xef\xbb\xbfone\n") == [(1, "one")]


def test_only_a_line_feed_ends_a_line(tmp_path):
    assert lines_of(tmp_path, "a\u2028b\x0bc\n".encode()) == [(1, "a\u2028b\x0bc")]


def test_bad_bytes_are_named_with_line_and_place(tmp_path):
    good, bad, last = lines_of(tmp_path, b"fine\ncaf\xe9\nfine too\n")
    assert (good, last) == ((1, "fine"), (3, "fine too"))
    assert bad == BadLine(2, "byte 4 (0xe9) is not UTF-8; save the file as UTF-8")


def test_gzip_is_known_by_its_content(tmp_path):
    assert lines_of(tmp_path, gzip.compress(b"one\ntwo\n")) == [(1, "one"), (2, "two")]


def test_a_gzip_file_that_breaks_off_gives_what_stands_before_the_break(tmp_path):
    whole = gzip.compress("".join(f"line {n} {hash(str(n))}\n" for n in range(5000)).encode())
    found = lines_of(tmp_path, whole[: len(whole) // 2])
    assert found[0][0] == 1
    assert isinstance(found[-1], BadLine)
    assert "breaks off" in found[-1].reason
    assert not any(isinstance(item, BadLine) for item in found[:-1])


def test_a_damaged_gzip_file_is_said_to_be_one(tmp_path):
    whole = bytearray(gzip.compress(bytes(range(256)) * 50))
    whole[40:60] = b"\xff" * 20
    assert "damaged" in lines_of(tmp_path, bytes(whole))[-1].reason


def test_an_endless_line_is_refused_and_the_next_one_is_read(tmp_path):
    bad, good = lines_of(tmp_path, b"x" * (MAX_LINE * 2 + 5) + b"\nnext\n")
    assert bad.line == 1
    assert "longer than" in bad.reason
    assert good == (2, "next")


def test_a_line_of_exactly_the_limit_goes_in(tmp_path):
    longest = b"x" * MAX_LINE
    assert lines_of(tmp_path, longest) == [(1, longest.decode())]
    first, second = lines_of(tmp_path, longest + b"\nnext")  # with its end it is one byte longer
    assert isinstance(first, BadLine)
    assert second == (2, "next")


def test_the_digest_is_that_of_the_file_as_it_lies_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert sha256_of(path).startswith("ba7816bf8f01cfea")


def records_of(reader, tmp_path, text: str):
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    return list(reader(path))


def test_malformed_json_is_refused_with_its_place(tmp_path):
    found = records_of(json_records, tmp_path, '{"a": 1}\n{"a": \n\n[1]\n"x"\n7\n')
    assert found[0] == (1, {"a": 1})
    assert [item.line for item in found[1:]] == [2, 4, 5, 6]
    assert "not valid JSON" in found[1].reason
    assert found[2].reason == "a line must hold a JSON object, not a list"
    assert found[4].reason == "a line must hold a JSON object, not a number"


def test_json_that_would_exhaust_python_is_refused_too(tmp_path):
    found = records_of(json_records, tmp_path, "[" * 200_000 + "\n" + '{"a": ' + "9" * 5000 + "}\n")
    assert all(isinstance(item, BadLine) for item in found)
    assert [item.line for item in found] == [1, 2]


def test_a_table_names_its_columns_in_the_first_line(tmp_path):
    found = records_of(tsv_records, tmp_path, "a\tb\n1\t2\n3\n\n4\t\n")
    assert found[0] == (2, {"a": "1", "b": "2"})
    assert found[1] == BadLine(3, "the header names 2 columns, but this line has 1")
    assert found[2] == (5, {"a": "4", "b": ""})


def test_columns_of_one_name_are_numbered_so_that_none_is_read_for_another(tmp_path):
    assert records_of(tsv_records, tmp_path, "a\tb\ta\n1\t2\t3\n") == [
        (2, {"a~1": "1", "b": "2", "a~2": "3"})
    ]


def test_comma_separated_cells_may_hold_commas_and_line_ends(tmp_path):
    text = 'a,b\n"1, 2","x\ny"\n3\n\n"4","5"\n'
    assert records_of(csv_records, tmp_path, text) == [
        (2, {"a": "1, 2", "b": "x\ny"}),
        BadLine(4, "the header names 2 columns, but this line has 1"),
        (6, {"a": "4", "b": "5"}),
    ]


def test_a_quote_that_is_wrong_costs_its_line_only(tmp_path):
    bad, good = records_of(csv_records, tmp_path, 'a,b\n"1"2,3\n4,5\n')
    assert (bad.line, "not valid CSV" in bad.reason, good) == (2, True, (3, {"a": "4", "b": "5"}))


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "file"
    for encoding in ("cp1252", "utf-16", "utf-16-be", "utf-32", "utf-8-sig", "shift_jis"):
        path.write_bytes("one\ntwo: =\nthree".encode(encoding))
        assert list(read_lines(path, encoding)) == [(1, "one"), (2, "two: ="), (3, "three")]


def test_bytes_that_an_encoding_does_not_have_are_named_too(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"fine\nwrong \x81 here\nfine")
    assert list(read_lines(path, "cp1252"))[1] == BadLine(
        2, "byte 7 (0x81) is not CP1252; save the file as CP1252"
    )


def test_where_an_encoding_cannot_go_on_after_a_mistake_the_reading_ends_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes("fine\n".encode("utf-16") + b"\x00\xd8a\x00" + "\nlost".encode("utf-16-le"))
    found = list(read_lines(path, "utf-16"))
    assert isinstance(found[-1], BadLine)
    assert "not UTF-16 from here on" in found[-1].reason
