"""`import_premises` imports valid lines, reports what filters drop and which lines are invalid, and can be repeated."""

import gzip
import hashlib

import pytest
from django.utils import timezone

from collection.models import DroppedLine, Premise, Source, WritingSeat
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

LINES = ["A dog runs in the park.", "Two women play chess.", "A man repairs a bicycle."]


@made_once
def corpus():
    return make_corpus(writers_per_premise=2)


def text_file(tmp_path, content, name="premises.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def bring(path, **options):
    return run("import_premises", "small", path, **{"genre": "fiction", "json": True, **options})


def test_each_line_becomes_a_premise_with_its_provenance(corpus, tmp_path):
    path = text_file(tmp_path, "\n".join(["", *LINES]) + "\n")
    assert bring(path, licence="CC0").json["premises"] == 3
    premise = Premise.objects.get(text=LINES[0])
    assert (premise.line, premise.genre.slug, premise.sentence_count) == (2, "fiction", 1)
    assert premise.public_id == f"fiction-{premise.digest[:16]}"
    assert premise.group == premise.public_id
    source = Source.objects.get()
    assert (premise.source, source.name, source.licence) == (source, "premises.txt", "CC0")
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_new_premises_are_opened_for_writing(corpus, tmp_path):
    bring(text_file(tmp_path, "\n".join(LINES)))
    assert WritingSeat.objects.count() == 3 * 2


def test_in_a_judged_corpus_nobody_writes(tmp_path):
    make_corpus(protocol="judged")
    assert bring(text_file(tmp_path, "\n".join(LINES))).json["premises"] == 3
    assert not WritingSeat.objects.exists()


def test_the_same_file_again_has_nothing_to_do_and_says_so(corpus, tmp_path):
    path = text_file(tmp_path, "\n".join(LINES))
    bring(path)
    again = bring(path)
    assert (again.json["premises"], again.failure) == (0, "")
    assert again.json["finished_before"] == f"{timezone.now():%Y-%m-%d}"
    assert "all of premises.txt was read on" in bring(path, json=False).out
    assert (Premise.objects.count(), Source.objects.count(), WritingSeat.objects.count()) == (3, 1, 6)
    assert not DroppedLine.objects.exists()


def test_with_other_settings_the_file_is_read_again_and_what_is_there_is_passed_over(corpus, tmp_path):
    path = text_file(tmp_path, "\n".join([*LINES, "• two of them", LINES[0]]))
    bring(path)
    assert list(DroppedLine.objects.values_list("line", "filter")) == [
        (4, "list_or_heading"),
        (5, "duplicate"),
    ]
    again = bring(path, without=["list_or_heading"]).json
    assert (again["premises"], again["present"]) == (1, 3)
    restored = DroppedLine.objects.get(line=4)
    assert restored.restored_as == Premise.objects.get(text="• two of them")
    assert DroppedLine.objects.count() == 2


def test_a_longer_file_adds_what_is_new(corpus, tmp_path):
    bring(text_file(tmp_path, "\n".join(LINES[:2])))
    assert bring(text_file(tmp_path, "\n".join(LINES))).json["premises"] == 1


def test_the_same_text_may_stand_in_two_genres(corpus, tmp_path):
    corpus.genres.create(slug="letters", name="Letters")
    path = text_file(tmp_path, "\n".join(LINES))
    bring(path)
    assert bring(path, genre="letters").json["premises"] == 3


def test_the_report_tells_what_each_filter_dropped(corpus, tmp_path):
    path = text_file(tmp_path, "\n".join([LINES[0], "short", "tiny", "A  dog runs in the park. ", LINES[1]]))
    report = bring(path).json
    assert report["premises"] == 2
    assert report["dropped"]["too_short"] == {
        "reason": "under 8 characters",
        "count": 2,
        "examples": [{"line": 2, "text": "short"}, {"line": 3, "text": "tiny"}],
    }
    assert report["dropped"]["duplicate"]["examples"] == [{"line": 4, "text": "A  dog runs in the park."}]


def test_the_report_reads_well_on_a_screen(corpus, tmp_path):
    out = bring(text_file(tmp_path, f"{LINES[0]}\nshort\n"), json=False).out
    assert out.splitlines()[:4] == [
        "small, fiction: 1 premises imported from premises.txt.",
        "  0 dropped as duplicate: the genre has this text already",
        "  1 dropped as too_short: under 8 characters",
        "    line 2: short",
    ]


def test_bad_lines_are_refused_by_number_while_good_ones_go_in(corpus, tmp_path):
    content = (
        LINES[0].encode()
        + b"\ncaf\xe9 in the park\n"
        + b"x" * 10_001
        + b"\na NUL \x00 here\n"
        + LINES[1].encode()
    )
    result = bring(text_file(tmp_path, content))
    assert result.failure == ""
    assert result.json["premises"] == 2
    assert [(each["line"], each["reason"]) for each in result.json["refused"]] == [
        (2, "byte 4 (0xe9) is not UTF-8; save the file as UTF-8"),
        (3, "the line is 10,001 characters long; the limit is 10,000"),
        (4, "the line contains a NUL character; remove it"),
    ]
    assert "premises.txt, line 2: byte 4" in result.err
    assert "Refused: 3." in result.err


def test_ten_thousand_characters_go_in_when_asked(corpus, tmp_path):
    path = text_file(tmp_path, "so it went on " * 700 + "and on")
    assert bring(path).json["dropped"]["too_long"]["count"] == 1
    assert bring(path, longest=10_000).json["premises"] == 1


def test_a_compressed_file_is_taken_as_it_is(corpus, tmp_path):
    path = text_file(tmp_path, gzip.compress("\n".join(LINES).encode()), "premises.txt.gz")
    assert bring(path).json["premises"] == 3


def test_json_lines_carry_id_document_group_and_several_sentences(corpus, tmp_path):
    path = write_jsonl(
        tmp_path / "premises.jsonl",
        [
            {"text": LINES[0], "id": "p1", "document": "page 3", "group": "book"},
            {"premise": ["A boy rides.", "A horse\nwalks."], "document": "page 4"},
            {"premise": ["Only one sentence here."]},
        ],
    )
    bring(path)
    first, second, third = Premise.objects.order_by("line")
    assert (first.public_id, first.document, first.group) == ("p1", "page 3", "book")
    assert (second.sentences, second.group) == (["A boy rides.", "A horse walks."], "page 4")
    assert third.sentences == ["Only one sentence here."]


def test_json_lines_without_a_text_are_refused(corpus, tmp_path):
    path = write_jsonl(tmp_path / "premises.jsonl", [{"sentence": "A dog."}, "{", {"text": LINES[0]}])
    result = bring(path).json
    assert result["premises"] == 1
    assert result["refused"][0]["reason"] == 'there is no "text" or "premise"'
    assert "not valid JSON" in result["refused"][1]["reason"]


@pytest.mark.parametrize("column", ["sentence", "premise", "text"])
def test_a_table_names_the_column_of_its_texts(corpus, tmp_path, column):
    path = text_file(tmp_path, f"id\t{column}\n7\t{LINES[0]}\n8\n9\t{LINES[1]}\n", "premises.tsv")
    result = bring(path).json
    assert result["premises"] == 2
    assert [each["line"] for each in result["refused"]] == [3]
    assert Premise.objects.filter(public_id="7").exists()


def test_an_id_that_belongs_to_another_text_is_refused(corpus, tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": LINES[0], "id": "p"}, {"text": LINES[1], "id": "p"}])
    result = bring(path).json
    assert result["premises"] == 1
    assert result["refused"][0]["reason"] == 'the id "p" belongs to another premise'
    later = write_jsonl(tmp_path / "b.jsonl", [{"text": LINES[2], "id": "p"}])
    assert bring(later).failure.startswith("No line of b.jsonl is a valid premise.")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00"])
def test_a_file_with_nothing_to_take_fails_and_says_so(corpus, tmp_path, content):
    assert "Nothing was imported." in bring(text_file(tmp_path, content)).failure
    assert not Source.objects.exists()


def test_unknown_names_are_answered_with_the_known_ones(corpus, tmp_path):
    path = text_file(tmp_path, LINES[0])
    assert bring(path, genre="fictoin").failure == 'small has no genre "fictoin"; its genres are: fiction.'
    assert run("import_premises", "smal", path, genre="fiction").failure == (
        'There is no corpus "smal". The corpora are: small.'
    )


def test_without_any_corpus_the_way_to_one_is_named(tmp_path):
    path = text_file(tmp_path, LINES[0])
    assert "load_corpus FILE.toml" in run("import_premises", "small", path, genre="fiction").failure


def test_a_missing_file_and_a_folder_are_told_apart(corpus, tmp_path):
    assert "does not exist" in bring(tmp_path / "none.txt").failure
    assert "is a folder" in bring(tmp_path).failure


def test_a_licence_that_is_too_long_is_refused_before_anything_is_written(corpus, tmp_path):
    assert (
        "--licence: it is 101 characters long"
        in bring(text_file(tmp_path, LINES[0]), licence="x" * 101).failure
    )
    assert not Premise.objects.exists()


def test_the_number_of_queries_does_not_grow_with_the_lines(corpus, tmp_path, django_assert_max_num_queries):
    for count in (10, 1500):
        path = text_file(
            tmp_path, "\n".join(f"Dog {n} of {count} runs in the park." for n in range(count)), f"{count}.txt"
        )
        with django_assert_max_num_queries(28):
            assert bring(path).json["premises"] == count
