"""Annotation tags over pairs of MultiNLI's dev set, compared with its Tables 6 and 7 (see docs/statistics.md)."""

import sys
from collections import Counter
from itertools import islice

import pytest

from snapshots.statistics import tags
from snapshots.statistics.spacy_tagger import annotate
from snapshots.statistics.tags import KEY_WORDS, LONG, MULTINLI_TABLE_6, SUBSTRING, WORD, substring_tags
from snapshots.statistics.words import tokens
from tests.replication.published_tags import GENRES, LABELS, TABLE_7, main, read


@pytest.fixture(scope="module")
def matched_dev(shared_data):
    return list(read(shared_data, "multinli_dev"))


@pytest.fixture(scope="module")
def tagged(shared_data):
    """Tags every eighth pair of the five genres: 625."""
    some = islice(read(shared_data, "multinli_dev_half"), 0, None, 8)
    return tags.measure(some, annotate, labels=LABELS)["groups"][0]


@pytest.mark.thorough
def test_key_words_fit_the_paper_as_substrings_and_not_as_words(matched_dev):
    """`if`: 5.8 percent by word, 15.0 by substring; the paper has 15."""
    number = len(matched_dev)
    by_word = sum(
        "if" in {token.lower() for text in (pair.premise[0], pair.hypothesis) for token in tokens(text)}
        for pair in matched_dev
        if "if" in f"{pair.premise[0]} {pair.hypothesis}".lower()
    )
    by_substring = Counter(
        tag for pair in matched_dev for tag in substring_tags(pair.premise, pair.hypothesis)
    )
    assert number == 9277
    assert round(100 * by_word / number, 1) == 5.8
    assert round(100 * by_substring["conditionals"] / number, 1) == 15.0
    for tag in KEY_WORDS:
        assert abs(100 * by_substring[tag] / number - MULTINLI_TABLE_6[tag][1]) < 4.5, tag


@pytest.mark.thorough
def test_more_than_twenty_words_fits_hypotheses_and_not_premises(matched_dev):
    long = [
        sum(len(tokens(text)) > LONG for text in texts) / len(matched_dev)
        for texts in ((pair.hypothesis for pair in matched_dev), (pair.premise[0] for pair in matched_dev))
    ]
    assert [round(100 * share, 1) for share in long] == [3.7, 43.5]  # published: 5


@pytest.mark.thorough
def test_tags_by_genre_are_near_table_7_but_for_the_figures_that_no_reading_gives(tagged):
    """Each genre has some 125 pairs, so fourteen points are about three standard errors."""
    far = set()
    for tag, published in TABLE_7.items():
        how = SUBSTRING if tag in KEY_WORDS else WORD
        for genre, paper in zip(GENRES, published, strict=True):
            if genre in tagged["genres"]:
                found = 100 * tagged["tags"][tag][how]["genres"].get(genre, 0) / tagged["genres"][genre]
                if abs(found - (paper or 0)) > 14:
                    far.add((tag, genre))
    assert {("pronouns", "government"), ("interjections", "telephone")} <= far
    assert far <= {
        ("pronouns", "government"),
        ("interjections", "telephone"),
        ("tense_match", "telephone"),
    }


def test_the_tables_are_printed_for_a_folder_of_published_files(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "xnli_en"
    folder.mkdir()
    for part in ("dev", "test"):
        (folder / f"xnli_en_genre_{part}.tsv").write_text(
            "genre\tlabel\tsentence1\tsentence2\n"
            "oup\tneutral\tHe may know different things.\tNobody does.\n"
            "letters\tneutral\tDogs bark.\tDogs bark.\n"
        )
    monkeypatch.setattr(sys, "argv", ["tests.replication.published_tags", "--data", str(tmp_path), "xnli"])
    main()
    told = capsys.readouterr().out
    assert "## xnli: 4 pairs" in told
    assert "| Conditionals | 0.0 | 50.0 | 15 |" in told
    assert "| Pronouns (Penn) | 100 (54) | 0 (60) |" in told
