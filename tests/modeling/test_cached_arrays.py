"""Arrays that are read from a large file of a run are cached beside it."""

from pathlib import Path

import numpy as np
import pytest

from modeling.results.predicted import Read, cached


class Parser:
    def __init__(self) -> None:
        self.read = 0

    def __call__(self, path: Path) -> Read:
        self.read += 1
        return {"text": path.read_text()}, {"numbers": np.arange(3)}


def test_a_file_is_parsed_once_and_again_when_it_changes_with_one_cache(tmp_path):
    folder, parse = tmp_path / "run", Parser()
    folder.mkdir()
    path = folder / "predictions-test.jsonl"
    path.write_text("first")
    for _ in range(2):
        head, arrays = cached(path, "predicted", 1, parse)
        assert head == {"text": "first"}
        assert arrays["numbers"].tolist() == [0, 1, 2]
    assert parse.read == 1
    path.write_text("second, which is longer")
    assert cached(path, "predicted", 1, parse)[0]["text"].startswith("second")
    cached(path, "predicted", 2, parse)
    assert parse.read == 3
    assert sorted(each.name for each in folder.iterdir()) == [path.name, f"{path.name}.predicted.npz"]


def test_a_folder_that_cannot_be_written_is_read_all_the_same(tmp_path, monkeypatch):
    path = tmp_path / "predictions-test.jsonl"
    path.write_text("text")

    def refuse(target):
        raise PermissionError(target)

    monkeypatch.setattr("modeling.results.predicted.draft_file", refuse)
    assert cached(path, "predicted", 1, Parser())[0] == {"text": "text"}


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        cached(tmp_path / "nothing.jsonl", "predicted", 1, Parser())
