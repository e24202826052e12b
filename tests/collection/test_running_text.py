"""Running text is split into sentences, each with the line in which it begins; no text is lost."""

import pytest

from collection.formats.lines import BadLine
from collection.premises import files
from collection.premises.files import read_premises, sentences_of_lines

NOVEL = """CHAPTER I

It was late. He went
home with Mr.
Jones. "Yes!" she said. No.
  Then he left

The End"""


def split(text, language="en"):
    found = sentences_of_lines(iter(enumerate(text.split("\n"), start=1)), language)
    return [(each.line, each.place, each.text) for each in found]


def test_sentences_know_their_line_and_their_place_in_it():
    assert split(NOVEL) == [
        (1, 1, "CHAPTER I"),
        (3, 1, "It was late."),
        (3, 2, "He went home with Mr. Jones."),
        (5, 1, '"Yes!" she said.'),
        (5, 2, "No."),
        (6, 1, "Then he left"),
        (8, 1, "The End"),
    ]


def test_a_paragraph_too_long_to_hold_is_split_all_the_same(monkeypatch):
    whole = split(NOVEL)
    monkeypatch.setattr(files, "LONGEST_PARAGRAPH", 30)
    assert split(NOVEL) == whole


def test_no_word_is_lost_or_moved():
    text = "\n".join(f"Line {n} says so. And line {n}\ngoes on for a while" for n in range(500))
    assert " ".join(words for _, _, words in split(text)).split() == text.split()


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("de", "Am 5. Mai kam Herr Dr. Müller nach Berlin. Er blieb.", 2),
        ("ar", "كيف حالك؟ أنا بخير. شكرا.", 3),
        ("zh", "你好。你是谁？", 2),
        ("en-GB", "She left at 5 p.m. on Friday. Dr. Ames stayed.", 2),
    ],
)
def test_the_rules_are_those_of_the_language(language, text, count):
    assert len(split(text, language)) == count


def test_a_bad_line_ends_the_paragraph_and_comes_in_its_place():
    bad = BadLine(2, "byte 3 (0xff) is not UTF-8")
    found = list(sentences_of_lines(iter([(1, "It was late. He went"), bad, (3, "home at last.")]), "en"))
    assert [each.line for each in found] == [1, 1, 2, 3]
    assert found[2] is bad


def read(tmp_path, name, content, **options):
    path = tmp_path / name
    path.write_text(content)
    return list(read_premises(path, **options))


def test_records_of_running_text_are_split_too_and_their_ids_numbered(tmp_path):
    found = read(
        tmp_path,
        "texts.tsv",
        "id\tsource\ttext\n7\tbook\tIt was late. He went home.\n8\tbook\tOne only.\n",
        split="en",
    )
    assert [(each.line, each.place, each.public_id, each.document) for each in found] == [
        (2, 1, "7.1", "book"),
        (2, 2, "7.2", "book"),
        (3, 1, "8", "book"),
    ]


def test_the_sentences_of_one_scene_are_never_split(tmp_path):
    (scene,) = read(tmp_path, "s.jsonl", '{"premise": ["A dog. It runs.", "A cat."]}\n', split="en")
    assert scene.sentences == ("A dog. It runs.", "A cat.")


def test_premises_of_a_document_stay_together_unless_told_otherwise(tmp_path):
    texts = "It was late.\nHe went home.\n"
    assert {each.group for each in read(tmp_path, "a.txt", texts, document="book")} == {"book"}
    alone = read(tmp_path, "a.txt", texts, document="book", alone=True)
    assert [(each.document, each.group) for each in alone] == [("book", "")] * 2
    named = read(tmp_path, "b.jsonl", '{"text": "It was late.", "group": "g"}\n', document="book", alone=True)
    assert named[0].group == "g"
