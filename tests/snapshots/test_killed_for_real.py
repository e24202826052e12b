"""Processes that are killed and disks that are full, for real: SIGKILL, and a limit on the size of files."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import connection

from snapshots.exports.formats import FORMATS
from snapshots.freezing.job import request_freeze
from snapshots.models import Snapshot, SnapshotFile
from snapshots.verify import verify
from tests.commands import run
from tests.jobs.material import silence
from tests.snapshots.material import corpus_of, folder, freeze

pytestmark = pytest.mark.django_db(transaction=True)

FREEZE = """
import os, sys, time
from pathlib import Path
import django
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.SNAPSHOT_ROOT = Path(sys.argv[2])
from snapshots.freezing import job
from snapshots.freezing import writing
if sys.argv[4] == "writing":
    real, count = writing.HashedFile.add, 0
    def add(*args):
        global count
        count += 1
        if count == 5:
            print("there", flush=True)
            time.sleep(60)
        real(*args)
    writing.HashedFile.add = add
else:
    real = job.give_name
    def move(*args):
        real(*args)
        print("there", flush=True)
        time.sleep(60)
    job.give_name = move
job.freeze_snapshot(snapshot_id=int(sys.argv[3]))
"""


def kill_a_freeze(requested: Snapshot, *, when: str) -> None:
    """Runs the freeze in a process that is killed in the middle of it."""
    database, root = connection.settings_dict["NAME"], str(django_settings.SNAPSHOT_ROOT)
    program = [sys.executable, "-c", FREEZE, str(database), root, str(requested.pk), when]
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=django_settings.BASE_DIR) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["renamed", "writing"])
def test_a_freeze_that_is_killed_publishes_nothing_and_the_next_one_finishes_it(when):
    corpus = corpus_of(6)
    requested = request_freeze(corpus=corpus)
    kill_a_freeze(requested, when=when)
    requested.refresh_from_db()
    assert (requested.status, requested.sha256) == ("freezing", "")
    assert not SnapshotFile.objects.exists()
    if when == "writing":
        assert not folder(requested).exists()
    refused = run("freeze_snapshot", "small").failure
    assert "under way" in refused, "its last heartbeat is fresh"
    silence(Snapshot)
    taken_up = run("freeze_snapshot", "small")
    assert "Continues small@1, whose process has died" in taken_up.err
    assert verify(folder(requested)).findings == []
    assert [path.name for path in folder(requested).parent.iterdir()] == ["1"]
    assert run("freeze_snapshot", "small", json=True).json["snapshot"] == "small@1"


@pytest.fixture
def full_disk():
    """Limits the size of files: Python then gets an OSError, as from a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_without_room_ends_a_freeze_with_a_sentence_and_leaves_nothing(full_disk):
    corpus = corpus_of(6)
    full_disk(3000)
    failure = run("freeze_snapshot", "small").failure
    full_disk(resource.RLIM_INFINITY)
    failed = Snapshot.objects.get()
    assert (failed.status, failed.error) == ("failed", failure)
    assert failure == "The files could not be written: File too large. Make room, then freeze again."
    assert list(folder(failed).parent.iterdir()) == []
    assert verify(folder(freeze(corpus))).ok


@pytest.mark.parametrize(
    "format_name",
    [
        pytest.param(each, marks=() if each in ("jsonl", "parquet") else pytest.mark.thorough)
        for each in sorted(set(FORMATS) - {"mpe"})
    ],
)
def test_a_disk_without_room_ends_an_export_with_a_sentence_and_leaves_nothing(
    format_name, full_disk, tmp_path: Path
):
    freeze(corpus_of(6))
    out = tmp_path / "out" / "here"
    full_disk(1500)
    failure = run("export_snapshot", "small@1", format=format_name, out=out).failure
    full_disk(resource.RLIM_INFINITY)
    assert failure.startswith(f"{out} cannot be written: ")
    assert failure.endswith("File too large.")
    assert list(out.parent.iterdir()) == []
    assert run("export_snapshot", "small@1", format=format_name, out=out).failure == ""
