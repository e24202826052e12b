"""One worker for each run: claims, lost claims, and runs that no worker can finish."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from jobs import claims
from jobs.claims import Claim, ClaimLost, claim
from modeling.models import RunProgress, TrainingRun
from modeling.running.actions import (
    Progress,
    record_progress,
    record_result,
    record_start,
    record_warnings,
)
from tests.concurrency.threads import at_once
from tests.jobs.material import silence
from tests.modeling.material import a_run, claimed, metrics, small_snapshot


@pytest.fixture
def run(transactional_db):
    return a_run(small_snapshot(3))


def went_silent(run: TrainingRun) -> None:
    silence(TrainingRun)


def claim_by_looking_first(run: TrainingRun, worker: str) -> bool:
    """Reads first, then writes without a condition: the race that the conditional UPDATE prevents."""
    found = TrainingRun.objects.get(pk=run.pk)
    if found.status != "queued":
        return False
    time.sleep(0.1)
    now = timezone.now()
    claim = {"claimed_by": worker, "heartbeat_at": now, "started_at": now}
    TrainingRun.objects.filter(pk=run.pk).update(status="running", worker=worker, **claim)
    return True


def test_without_the_conditional_update_two_workers_take_one_run(run):
    taken = at_once([lambda name=name: claim_by_looking_first(run, name) for name in ("a", "b")])
    assert taken == [True, True]


def test_of_many_workers_one_gets_the_run(run):
    taken = at_once([lambda name=name: claim(TrainingRun, run.pk, worker=name) for name in "abcdefgh"])
    assert sum(isinstance(each, TrainingRun) for each in taken) == 1
    assert sum(each is None for each in taken) == 7
    run.refresh_from_db()
    assert run.attempts == 1


def test_of_many_workers_one_takes_an_abandoned_run_up(run):
    claimed(run)
    went_silent(run)
    taken = at_once([lambda name=name: claim(TrainingRun, run.pk, worker=name) for name in "abcdefgh"])
    assert sum(isinstance(each, TrainingRun) for each in taken) == 1
    run.refresh_from_db()
    assert run.attempts == 2


def test_a_running_run_is_nobody_elses(run):
    claimed(run)
    assert claim(TrainingRun, run.pk, worker="second@here") is None


def test_a_run_that_does_not_exist_is_not_claimed(run):
    assert claim(TrainingRun, run.pk + 1, worker="a") is None


def test_a_worker_that_was_thought_dead_changes_nothing_any_more(run):
    late = claimed(run)
    went_silent(run)
    claimed(run, "second@here")
    with pytest.raises(ClaimLost):
        Claim(late).stop_asked()
    assert not record_progress(run=late, lines=[Progress(step=1)])
    record_start(run=late, step=0, train_pairs=1)
    assert not record_warnings(run=late, warnings=["late"])
    with pytest.raises(ClaimLost):
        record_result(run=late, metrics=metrics())
    assert not Claim(late).fail("late")
    assert not Claim(late).stopped()
    assert not Claim(late).release(blameless=True)
    run.refresh_from_db()
    assert (run.status, run.worker, run.error) == ("running", "second@here", "")
    assert not RunProgress.objects.exists()
    assert not run.evaluations.exists()


def test_after_five_attempts_a_run_is_failed_with_a_sentence(run):
    for _ in range(claims.MOST_ATTEMPTS):
        claimed(run)
        went_silent(run)
    assert claim(TrainingRun, run.pk, worker="sixth@here") is None
    run.refresh_from_db()
    assert run.status == "failed"
    assert "Given up after 5 attempts" in run.error
    assert run.finished_at > timezone.now() - timedelta(minutes=1)


def test_a_pause_that_was_asked_for_is_no_attempt_and_a_crash_is_one(run):
    Claim(claimed(run)).release(blameless=True)
    run.refresh_from_db()
    assert (run.status, run.attempts) == ("queued", 0)
    Claim(claimed(run)).release(blameless=False)
    run.refresh_from_db()
    assert (run.status, run.attempts) == ("queued", 1)


def test_going_on_from_a_checkpoint_forgets_what_will_be_told_again(run):
    ours = claimed(run)
    record_progress(run=ours, lines=[Progress(step=step, loss=1.0) for step in (10, 20, 30)])
    record_start(run=ours, step=20, train_pairs=9)
    assert list(RunProgress.objects.values_list("step", flat=True)) == [10, 20]
    record_start(run=ours, step=0, train_pairs=9)
    assert not RunProgress.objects.exists()


def test_the_curve_of_a_long_run_is_thinned_and_keeps_its_ends(run):
    ours = claimed(run)
    record_progress(
        run=ours,
        lines=[
            Progress(step=n, loss=1 / n, dev_accuracy=0.5 if n % 50 == 0 else None) for n in range(1, 1002)
        ],
    )
    lines = run.lines.curve(100)
    assert 100 <= len(lines) <= 130
    assert (lines[0].step, lines[-1].step) == (1, 1001)
    assert [line.step for line in lines] == sorted(line.step for line in lines)
    assert sum(line.dev_accuracy is not None for line in lines) == 20
