"""A failed export leaves no files and says why; a repeated request finishes it."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from snapshots.exports import formats
from snapshots.exports.formats import FORMATS, export
from snapshots.files.hashes import content_sha256, manifest_sha256
from snapshots.verify import verify
from tests.commands import run
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, folder, freeze, published_pair

pytestmark = pytest.mark.django_db


@made_once
def snapshot():
    return freeze(corpus_of(4))


def full_after(monkeypatch, files: int) -> None:
    """Simulates a full disk once this number of files is open for writing."""
    real, opened = Path.open, 0

    def open_(self, mode="r", *args, **kwargs):
        nonlocal opened
        if "w" in mode:
            opened += 1
            if opened > files:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return real(self, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", open_)


@pytest.mark.parametrize("format_name", ["snli_txt", "multinli_txt", "dnc"])
def test_a_full_disk_is_named_and_nothing_is_left(snapshot, tmp_path, monkeypatch, format_name):
    with monkeypatch.context() as patch:
        full_after(patch, 0)
        failed = run("export_snapshot", "small@1", format=format_name, out=tmp_path / "out" / "here")
    assert failed.failure == f"{tmp_path / 'out' / 'here'} cannot be written: No space left on device."
    assert list((tmp_path / "out").iterdir()) == []
    assert run("export_snapshot", "small@1", format=format_name, out=tmp_path / "out" / "here").failure == ""


def test_a_disk_that_fills_up_in_the_middle_of_a_copy_leaves_nothing(snapshot, tmp_path, monkeypatch):
    real, copied = formats.shutil.copyfile, 0

    def copyfile(*args, **kwargs):
        nonlocal copied
        copied += 1
        if copied > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(formats.shutil, "copyfile", copyfile)
        failed = run("export_snapshot", "small@1", format="jsonl", out=tmp_path / "out" / "here")
    assert "No space left on device" in failed.failure
    assert list((tmp_path / "out").iterdir()) == []


KILLED = """
import sys, time
from pathlib import Path
from snapshots.exports import formats
def slow(source, manifest, out):
    (out / "half.txt").write_text("half")
    print("writing", flush=True)
    time.sleep(60)
formats.FORMATS["snli_txt"] = slow
formats.export(Path(sys.argv[1]), "small@1", "snli_txt", Path(sys.argv[2]))
"""


def test_an_export_whose_process_is_killed_publishes_nothing_and_the_next_one_finishes(snapshot, tmp_path):
    out = tmp_path / "out" / "here"
    program = [sys.executable, "-c", KILLED, str(folder(snapshot)), str(out)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert not out.exists()
    assert run("export_snapshot", "small@1", format="snli_txt", out=out).failure == ""
    assert not (out / "half.txt").exists()
    assert (out / "export.json").exists()


def test_two_exports_to_one_folder_at_once_leave_one_whole_export(snapshot, tmp_path):
    source, out = folder(snapshot), tmp_path / "out"
    answers = at_once([lambda: export(source, "small@1", "jsonl", out)] * 4)
    assert any(isinstance(answer, list) for answer in answers)
    assert all(isinstance(answer, list | OSError) for answer in answers)
    assert verify(out).ok
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []


@pytest.mark.parametrize("name", ["../stolen.txt", "/etc/hostname", "sub/train.jsonl", ".."])
def test_a_manifest_that_names_a_path_outside_its_folder_is_refused(snapshot, tmp_path, name):
    path = folder(snapshot)
    (path.parent / "stolen.txt").write_text("not yours")
    told = json.loads((path / "manifest.json").read_bytes())
    told["files"][name] = {"sha256": "0" * 64, "bytes": 9, "lines": None}
    told["sha256"] = content_sha256({file: entry["sha256"] for file, entry in told["files"].items()})
    told["manifest_sha256"] = manifest_sha256(told)
    (path / "manifest.json").write_text(json.dumps(told))
    failed = run("export_snapshot", "small@1", format="jsonl", out=tmp_path / "a" / "b")
    assert f"lists {name!r}, which is outside its folder" in failed.failure
    assert list(tmp_path.glob("a/**/*")) == []
    assert any(f"lists {name!r}, which is outside" in each.text for each in verify(path).findings)


def test_a_folder_that_cannot_be_one_is_named(snapshot, tmp_path):
    (tmp_path / "file").write_text("I am a file.")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        failed = run("export_snapshot", "small@1", format="jsonl", out=out).failure
        assert str(out) in failed
        assert "Traceback" not in failed
    assert (tmp_path / "file").read_text() == "I am a file."


def test_every_format_that_cannot_hold_the_scheme_says_so(tmp_path):
    corpus = make_corpus(slug="two", scheme="entailed2")
    published_pair(corpus, make_premise(corpus, "It rains."), "entailed", "train", "1")
    freeze(corpus)
    for name in set(FORMATS) - {"jsonl", "dnc", "parquet"}:
        failed = run("export_snapshot", "two@1", format=name, out=tmp_path / name).failure
        assert "entailed2. Use jsonl." in failed
        assert not (tmp_path / name).exists()
