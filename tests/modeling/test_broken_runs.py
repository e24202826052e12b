"""Failures of runs and their errors: damaged files, programs that crash, hang or print nonsense."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys

import pytest
from django.db import OperationalError

from modeling.folders import CHILD, CONFIG, LOG, folder_of, log_tail
from modeling.launching.actions import resume_run
from modeling.models import RunProgress, TrainingRun
from modeling.running import runner
from modeling.running.actions import record_progress
from tests.made_once import made_once
from tests.modeling.material import SAY, a_run, claimed, metrics, program, small_snapshot
from tests.snapshots.material import folder

pytestmark = pytest.mark.django_db


snapshot = made_once(small_snapshot, 3)


@pytest.fixture
def run(snapshot):
    return claimed(a_run(snapshot))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(runner, "TICK_SECONDS", 0.05)


def test_a_missing_snapshot_file_is_named_with_what_to_do(run, snapshot):
    path = folder(snapshot) / "train.jsonl"
    path.unlink()
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert f"{path} is missing" in ended.error
    assert "Restore the folder from a backup" in ended.error


def test_a_torn_snapshot_file_is_named_with_both_sizes(run, snapshot):
    path = folder(snapshot) / "train.jsonl"
    size = path.stat().st_size
    os.truncate(path, size - 7)
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert f"{path} has {size - 7} bytes instead of {size}" in ended.error


@pytest.mark.usefixtures("programs_start_at_once")
def test_a_snapshot_file_of_the_same_size_with_other_bytes_is_refused_by_its_hash(run, snapshot):
    path = folder(snapshot) / "train.jsonl"
    path.write_bytes(path.read_bytes().replace(b"entailment", b"entailmenT", 1))
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert "it is incomplete or was changed" in ended.error


@pytest.mark.usefixtures("programs_start_at_once")
def test_once_the_file_is_back_the_run_can_be_resumed(run, snapshot):
    path = folder(snapshot) / "train.jsonl"
    kept = path.read_bytes()
    path.unlink()
    runner.carry_out(run)
    path.write_bytes(kept)
    resume_run(run=run)
    assert runner.carry_out(claimed(run)).status == "done"


def test_the_message_of_a_failed_child_is_kept_with_the_end_of_its_log(run, monkeypatch, tmp_path):
    program(
        monkeypatch,
        tmp_path,
        SAY
        + "sys.stderr.write('all about it\\n')\nsay(event='error', message='The loss is nan.')\nsys.exit(1)",
    )
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert (
        ended.error
        == f"The loss is nan.\nIts folder: {folder_of(run)}\nThe last lines of its log:\nall about it"
    )


def test_a_child_that_crashes_without_a_word_is_told_by_its_exit_code_and_log(run, monkeypatch, tmp_path):
    program(monkeypatch, tmp_path, "raise ValueError('what nobody foresaw')")
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert "ended with exit code 1 and no message" in ended.error
    assert "what nobody foresaw" in ended.error


def test_lines_that_are_no_events_go_to_the_log_and_torn_ones_do_no_harm(run, monkeypatch, tmp_path):
    program(
        monkeypatch,
        tmp_path,
        SAY + f"print('[1]\\nhello')\nsay(event='done', metrics={metrics()!r})\nprint('{{')",
    )
    assert runner.carry_out(run).status == "done"
    assert log_tail(run) == ["[1]", "hello", "{"]


KILLED = "os.kill(os.getpid(), signal.SIGKILL)"


def test_a_child_killed_once_goes_back_on_the_list_for_it_may_have_been_a_person(run, monkeypatch, tmp_path):
    program(monkeypatch, tmp_path, KILLED)
    ended = runner.carry_out(run)
    assert (ended.status, ended.attempts) == ("queued", 1)


@pytest.mark.parametrize(
    ("baseline", "anew"),
    [
        (
            "esim",
            "a new run with a smaller batch_size or hidden or states, or free memory and resume this one",
        ),
        ("rnn", "a new run with a smaller batch_size or hidden or size, or free"),
        ("pretrained", "a new run with a smaller batch_size, or free"),
        ("lexicalized", "a new run with a larger minimum_count, or free"),
        (
            "majority",
            "ran out of memory: free memory and resume this one, which continues from its checkpoint.",
        ),
    ],
)
def test_a_child_killed_again_is_out_of_memory_and_told_what_to_make_smaller(
    snapshot, monkeypatch, tmp_path, baseline, anew
):
    program(monkeypatch, tmp_path, KILLED)
    run = claimed(a_run(snapshot, baseline))
    checkpoint = folder_of(run) / "checkpoint"
    checkpoint.mkdir(parents=True)
    runner.carry_out(run)
    ended = runner.carry_out(claimed(run))
    assert (ended.status, ended.attempts) == ("failed", 2)
    assert "The training program was killed by signal 9. Most likely it ran out of memory: " in ended.error
    assert anew in ended.error
    assert checkpoint.is_dir()
    resume_run(run=run)
    assert runner.carry_out(claimed(run)).status == "queued"


def test_a_killed_child_in_front_of_a_person_is_told_at_once(run, monkeypatch, tmp_path):
    program(monkeypatch, tmp_path, KILLED)
    ended = runner.carry_out(run, requeue=False)
    assert ended.status == "failed"
    assert "Most likely it ran out of memory" in ended.error


def test_a_second_ctrl_c_ends_a_child_that_hangs_and_blames_no_memory(run, monkeypatch, tmp_path):
    program(
        monkeypatch,
        tmp_path,
        SAY + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay(event='started')\ntime.sleep(600)",
    )

    def press_ctrl_c_twice(event: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    assert runner.carry_out(run, tell=press_ctrl_c_twice, requeue=False).status == "stopped"


def test_a_crash_of_another_kind_is_tried_as_often_as_a_lost_worker(run, monkeypatch, tmp_path):
    program(monkeypatch, tmp_path, "os.kill(os.getpid(), signal.SIGSEGV)")
    runner.carry_out(run)
    assert runner.carry_out(claimed(run)).status == "queued"


@pytest.mark.parametrize("name", [CONFIG, CHILD])
def test_a_full_disk_ends_the_run_with_a_sentence_that_names_the_folder(run, monkeypatch, tmp_path, name):
    program(monkeypatch, tmp_path, "time.sleep(60)")
    folder_of(run).mkdir(parents=True)
    (folder_of(run) / name).symlink_to("/dev/full")
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert ended.error == (
        f"{folder_of(run)}: No space left on device. Make room there or move QUINTET_VAR to a larger disk, "
        "then resume the run."
    )


def test_a_line_that_the_log_has_no_room_for_costs_no_training(run, monkeypatch, tmp_path):
    folder_of(run).mkdir(parents=True)
    (folder_of(run) / LOG).symlink_to("/dev/full")
    program(monkeypatch, tmp_path, SAY + f"print('no event')\nsay(event='done', metrics={metrics()!r})")
    assert runner.carry_out(run).status == "done"


def test_a_folder_that_cannot_be_written_to_is_named(run):
    folder_of(run).write_text("somebody put a file here")
    ended = runner.carry_out(run)
    assert ended.status == "failed"
    assert (
        ended.error
        == f"{folder_of(run)}: File exists. Repair the disk or the permissions, then resume the run."
    )


def test_a_child_that_was_paused_goes_back_on_the_list_without_blame(run, monkeypatch, tmp_path):
    program(monkeypatch, tmp_path, SAY + "say(event='stopped', step=4)\nsys.exit(3)")
    ended = runner.carry_out(run)
    assert (ended.status, ended.attempts) == ("queued", 0)


def test_a_child_that_will_not_stop_is_killed(run, monkeypatch, tmp_path, quick):
    monkeypatch.setattr(runner, "STOP_SECONDS", 0.3)
    program(monkeypatch, tmp_path, SAY + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)")
    TrainingRun.objects.update(stop_requested=True)
    assert runner.carry_out(run).status == "stopped"


def test_a_run_that_was_taken_over_is_left_alone_and_its_child_ended(run, monkeypatch, tmp_path, quick):
    program(monkeypatch, tmp_path, SAY + "say(event='started')\ntime.sleep(60)")
    TrainingRun.objects.update(worker="second@here", claimed_by="another token")
    ended = runner.carry_out(run)
    assert (ended.status, ended.worker) == ("running", "second@here")


def test_many_lines_in_a_second_are_few_rows(run, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "TICK_SECONDS", 60)  # a second that lasts on a busy machine, too
    program(
        monkeypatch,
        tmp_path,
        SAY
        + "for step in range(500): say(event='progress', step=step, loss=1.0, pairs_per_second=9.0)\n"
        + f"say(event='done', metrics={metrics()!r})",
    )
    assert runner.carry_out(run).status == "done"
    assert 1 <= RunProgress.objects.count() <= 5
    assert RunProgress.objects.last().step == 499


def test_a_database_that_does_not_answer_for_a_moment_costs_nothing(run, monkeypatch, tmp_path, quick):
    failures = iter([True, True])
    real = record_progress

    recorded = tmp_path / "recorded"

    def shaky(**given):
        if next(failures, False):
            raise OperationalError("the server went away")
        recorded.touch()
        return real(**given)

    monkeypatch.setattr(runner.actions, "record_progress", shaky)
    monkeypatch.setattr(runner.connection, "close", lambda: None)
    program(
        monkeypatch,
        tmp_path,
        SAY
        + f"say(event='progress', step=5, loss=1.0)\nwhile not os.path.exists({str(recorded)!r}): time.sleep(0.02)\n"
        + f"say(event='done', metrics={metrics()!r})",
    )
    assert runner.carry_out(run).status == "done"
    assert RunProgress.objects.get().step == 5


@pytest.mark.usefixtures("programs_start_at_once")
def test_a_program_left_behind_by_a_dead_worker_is_ended_before_the_run_goes_on(run):
    folder_of(run).mkdir()
    left = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, os, sys, time\nfcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)\n"
            "print('locked', flush=True)\ntime.sleep(60)",
            str(folder_of(run)),
        ],
        stdout=subprocess.PIPE,
    )
    with left:
        left.stdout.readline()
        (folder_of(run) / CHILD).write_text(json.dumps({"pid": left.pid, "host": socket.gethostname()}))
        assert runner.carry_out(run).status == "done"
        assert left.wait(timeout=60) < 0


def test_a_folder_that_another_machine_works_in_is_left_alone(run):
    folder_of(run).mkdir()
    (folder_of(run) / CHILD).write_text(json.dumps({"pid": 1, "host": "elsewhere"}))
    handle = os.open(folder_of(run), os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        ended = runner.carry_out(run)
    finally:
        os.close(handle)
    assert ended.status == "failed"
    assert "Another machine or process trains in" in ended.error
