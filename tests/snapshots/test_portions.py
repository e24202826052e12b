"""Files of lines read in portions: complete, in order, and without processes left behind."""

import multiprocessing
import os
import signal
import time

import pytest

from snapshots.exports.formats import FORMATS, export
from snapshots.exports.limits import ExportError
from snapshots.files import parallel
from snapshots.files.parallel import in_order, portions_of
from tests.corpora import make_corpus, make_premise
from tests.snapshots.material import add_pair, corpus_of, folder, freeze, label_pair

LINES = [b"a\n", b"\n", b"long line with \xc3\xa9\n", b"b\n", b"the last has no line break"]


def test_each_line_stands_in_one_portion_wherever_it_is_cut(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    path.write_bytes(b"".join(LINES))
    for size in range(1, 60):
        monkeypatch.setattr(parallel, "PORTION", size)
        cut = portions_of(path)
        assert len(cut) == -(-path.stat().st_size // size), size
        assert [line for portion in cut for line in portion.lines()] == LINES, size


def test_an_empty_file_has_no_portions(tmp_path):
    (tmp_path / "empty").touch()
    assert portions_of(tmp_path / "empty") == []


@pytest.fixture
def _three_cores(monkeypatch):
    monkeypatch.setattr(parallel, "_cores", lambda: 3)


@pytest.mark.usefixtures("_three_cores")
def test_results_come_in_order_though_several_processes_work():
    def work(number):
        time.sleep(0.02 * (number % 3 == 0))  # the first of each three comes last
        return number, os.getpid()

    results = list(in_order(work, range(10)))
    assert [number for number, _ in results] == list(range(10))
    assert len({process for _, process in results} - {os.getpid()}) == 3


@pytest.mark.usefixtures("_three_cores")
def test_what_a_process_raises_is_raised_and_nobody_is_left():
    def work(number):
        if number == 4:
            raise ExportError("Line 4 cannot be written.")
        return number

    seen: list[int] = []
    with pytest.raises(ExportError, match=r"Line 4 cannot be written\."):
        seen += in_order(work, range(100))
    assert seen == [0, 1, 2, 3]
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("_three_cores")
def test_a_killed_process_is_an_error_and_no_end():
    def work(number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(RuntimeError, match="was killed"):
        list(in_order(work, range(6)))


@pytest.mark.usefixtures("_three_cores")
def test_who_stops_reading_leaves_no_process_behind():
    results = in_order(lambda number: number, range(1000))
    assert next(results) == 0
    results.close()
    assert not multiprocessing.active_children()


def scenes():
    corpus = make_corpus(slug="scenes")
    for number in range(4):
        premise = make_premise(corpus, f"A dog runs.\nDogs play.\nBall {number}.\nTwo.", sentence_count=4)
        label_pair(add_pair(premise, "e", f"Dogs\tmove {number}.", public_id=str(number)), "eenec")
    return corpus


def stories():
    corpus = corpus_of(5)
    for number in range(3):
        premise = make_premise(corpus, f"Split “{number}”,\nin two lines.")
        label_pair(add_pair(premise, "e", f"Who knows \\ {number}?", public_id=f"z{number}"), "eennc")
    return corpus


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_cores")
@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=() if each == "snli_jsonl" else pytest.mark.thorough) for each in FORMATS],
)
def test_an_export_has_the_same_bytes_however_its_files_are_cut(tmp_path, monkeypatch, name):
    snapshot = freeze(scenes() if name == "mpe" else stories())
    for size in (1 << 20, 1500, 100):
        monkeypatch.setattr(parallel, "PORTION", size)
        export(folder(snapshot), str(snapshot), name, tmp_path / str(size))
    whole = {path.name: path.read_bytes() for path in (tmp_path / str(1 << 20)).iterdir()}
    assert len(whole) > 1
    for size in (1500, 100):
        assert whole == {path.name: path.read_bytes() for path in (tmp_path / str(size)).iterdir()}
