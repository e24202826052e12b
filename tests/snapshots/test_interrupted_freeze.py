"""A freeze that is killed, fails or loses its claim leaves no snapshot, and the next one finishes."""

import pytest

from jobs import tasks
from snapshots.freezing import job, writing
from snapshots.freezing.job import (
    FreezeFailed,
    FreezeInProgress,
    folders_without_row,
    freeze_snapshot,
    request_freeze,
)
from snapshots.models import Placement, Snapshot, SnapshotFile, SnapshotPair
from snapshots.verify import verify
from tests.commands import run
from tests.jobs.material import age, silence, sweep, work
from tests.made_once import made_once
from tests.snapshots.material import add_premise, corpus_of, folder, freeze, where

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """Simulates a killed process: no handler catches it."""


@made_once
def corpus():
    return corpus_of(8)


def die_after(monkeypatch, lines: int, error: BaseException) -> None:
    """Lets the writer of files raise `error` after this number of lines."""
    real, count = writing.HashedFile.add, 0

    def add(file, line):
        nonlocal count
        count += 1
        if count > lines:
            raise error
        real(file, line)

    monkeypatch.setattr(writing.HashedFile, "add", add)


def killed(corpus, monkeypatch) -> Snapshot:
    """Runs a freeze whose process dies while it writes the files."""
    requested = request_freeze(corpus=corpus)
    with monkeypatch.context() as patch:
        die_after(patch, 5, Killed())
        with pytest.raises(Killed):
            freeze_snapshot(snapshot_id=requested.pk)
    requested.refresh_from_db()
    return requested


def test_nothing_is_published_by_a_freeze_that_was_killed(corpus, monkeypatch):
    left = killed(corpus, monkeypatch)
    assert left.status == "freezing"
    assert left.sha256 == ""
    assert not folder(left).exists()
    assert not SnapshotFile.objects.exists()


def test_the_sweep_takes_it_up_once_it_is_stale_and_the_result_is_the_same(
    corpus, monkeypatch, settings, tmp_path
):
    left = killed(corpus, monkeypatch)
    age(Snapshot)
    sweep()
    left.refresh_from_db()
    assert left.status == "freezing", "its last heartbeat is fresh"
    silence(Snapshot)
    sweep()
    left.refresh_from_db()
    assert left.status == "frozen"
    assert verify(folder(left)).ok
    assert SnapshotPair.objects.count() == left.pair_count == 24
    assert [path.name for path in folder(left).parent.iterdir()] == ["1"]


def test_a_fresh_freeze_is_not_taken_from_its_worker(corpus, monkeypatch):
    left = killed(corpus, monkeypatch)
    with pytest.raises(FreezeInProgress, match="small@1: pairs copied"):
        freeze_snapshot(snapshot_id=left.pk)


def test_a_worker_that_was_overtaken_stops_and_leaves_the_other_alone(corpus, monkeypatch):
    requested = request_freeze(corpus=corpus)
    real = writing.HashedFile.add
    overtaken: list[bool] = []

    def add(file, line):
        if not overtaken:
            overtaken.append(True)
            silence(Snapshot)
            freeze_snapshot(snapshot_id=requested.pk)
        real(file, line)

    monkeypatch.setattr(writing.HashedFile, "add", add)
    assert freeze_snapshot(snapshot_id=requested.pk).status == "frozen", "it answers what the other one made"
    assert verify(folder(requested)).ok
    assert [path.name for path in folder(requested).parent.iterdir()] == ["1"]


def test_death_between_rename_and_commit_leaves_a_folder_that_the_next_one_replaces(corpus, monkeypatch):
    requested = request_freeze(corpus=corpus)
    real = job.give_name

    def move_and_die(*args):
        real(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(job, "give_name", move_and_die)
        with pytest.raises(Killed):
            freeze_snapshot(snapshot_id=requested.pk)
    requested.refresh_from_db()
    assert requested.status == "freezing"
    assert folder(requested).exists()
    (folder(requested) / "train.jsonl").write_text("torn")
    silence(Snapshot)
    assert verify(folder(freeze_snapshot(snapshot_id=requested.pk))).ok


def test_a_full_disk_is_said_on_the_row_and_the_same_number_is_used_again(corpus, monkeypatch):
    requested = request_freeze(corpus=corpus, seed=1)
    with monkeypatch.context() as patch:
        die_after(patch, 5, OSError(28, "No space left on device"))
        with pytest.raises(FreezeFailed, match="No space left on device"):
            freeze_snapshot(snapshot_id=requested.pk)
    requested.refresh_from_db()
    assert requested.status == "failed"
    assert requested.error.endswith("No space left on device. Make room, then freeze again.")
    assert not Placement.objects.exists()
    assert not SnapshotPair.objects.exists()
    again = freeze(corpus, seed=2)
    assert (again.pk, again.version, again.error, again.seed) == (requested.pk, 1, "", 2)


def test_a_fault_of_the_software_is_said_on_the_row_too(corpus, monkeypatch):
    requested = request_freeze(corpus=corpus)
    die_after(monkeypatch, 5, KeyError("surprise"))
    with pytest.raises(FreezeFailed, match="KeyError"):
        freeze_snapshot(snapshot_id=requested.pk)
    assert Snapshot.objects.get().status == "failed"


def test_a_failed_freeze_leaves_earlier_snapshots_as_they_were(corpus, monkeypatch):
    first = freeze(corpus)
    before = where(first)
    add_premise(corpus, "New.")
    with monkeypatch.context() as patch:
        die_after(patch, 3, OSError(5, "Input/output error"))
        with pytest.raises(FreezeFailed):
            freeze(corpus)
    assert where(first) == before
    assert Placement.objects.count() == 8


def test_a_lost_message_is_made_good_by_the_sweep(corpus):
    requested = request_freeze(corpus=corpus)
    sweep()
    requested.refresh_from_db()
    assert requested.status == "frozen"


def test_the_same_message_twice_freezes_once(corpus):
    requested = request_freeze(corpus=corpus)
    work(requested)
    before = folder(requested).stat().st_mtime_ns
    work(requested)
    requested.pk += 1
    work(requested)
    requested.pk -= 1
    assert folder(requested).stat().st_mtime_ns == before


def test_without_a_broker_the_request_stands(corpus, monkeypatch, caplog, django_capture_on_commit_callbacks):
    from kombu.exceptions import OperationalError

    def refuse(*args, **options):
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.work, "apply_async", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.enqueue(request_freeze(corpus=corpus))
    assert "the sweep will send the message for general" in caplog.text


def restored_from_an_older_backup(snapshot: Snapshot) -> None:
    """Deletes the snapshot from the database; its folder stays."""
    Snapshot.objects.filter(pk=snapshot.pk).update(status="failed", error="gone", sha256="", frozen_at=None)
    job.forget_freeze(snapshot)
    SnapshotFile.objects.filter(snapshot=snapshot).delete()
    Snapshot.objects.filter(pk=snapshot.pk).delete()


def test_a_folder_that_the_database_does_not_know_is_never_deleted_and_its_number_never_given_again(corpus):
    lost = freeze(corpus)
    there = folder(lost)
    files = {path.name: path.read_bytes() for path in there.iterdir()}
    restored_from_an_older_backup(lost)
    add_premise(corpus, "Another pair.")
    assert freeze(corpus).version == 2
    assert verify(there).ok
    assert {path.name: path.read_bytes() for path in there.iterdir()} == files
    assert folders_without_row() == [there]
    told = run("doctor", json=True).json["parts"]["folders"]
    assert (told["state"], told["without_row"]) == ("attention", 1)
    assert "small/1" in told["says"]


def test_a_folder_that_comes_back_while_a_freeze_works_is_kept_under_another_name(corpus, caplog):
    lost = freeze(corpus)
    hidden = folder(lost).rename(folder(lost).with_name("away"))
    restored_from_an_older_backup(lost)
    add_premise(corpus, "Another pair.")
    requested = request_freeze(corpus=corpus)
    assert requested.version == 1
    hidden.rename(folder(requested))
    assert verify(folder(freeze_snapshot(snapshot_id=requested.pk))).ok
    (kept,) = folders_without_row()
    assert kept.name == f"1.lost-{lost.sha256[:12]}"
    assert verify(kept).ok
    assert "is another snapshot" in caplog.text
    add_premise(corpus, "One more.")
    assert freeze(corpus).version == 2
