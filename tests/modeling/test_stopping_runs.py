"""Stopping and resuming runs on request."""

import pytest

from jobs.claims import Claim, claim
from modeling.launching.actions import RunIsOver, resume_run, stop_run
from modeling.models import TrainingRun
from tests.jobs.material import silence
from tests.made_once import made_once
from tests.modeling.material import a_run, claimed, done_run, small_snapshot

pytestmark = pytest.mark.django_db


snapshot = made_once(small_snapshot, 3)


def test_a_waiting_run_stops_at_once(snapshot):
    assert stop_run(run=a_run(snapshot)).status == "stopped"


def test_a_running_run_is_asked_and_its_worker_learns_it(snapshot):
    ours = claimed(a_run(snapshot))
    asked = stop_run(run=TrainingRun.objects.get(pk=ours.pk))
    assert (asked.status, asked.stop_requested) == ("running", True)
    assert Claim(ours).stop_asked()


def test_a_run_whose_worker_is_gone_stops_at_once(snapshot):
    ours = claimed(a_run(snapshot))
    silence(TrainingRun)
    assert stop_run(run=ours).status == "stopped"
    assert claim(TrainingRun, ours.pk, worker="second@here") is None


def test_stopping_twice_is_stopping_once(snapshot):
    run = a_run(snapshot)
    stop_run(run=run)
    assert stop_run(run=run).status == "stopped"


def test_a_run_that_is_done_is_neither_stopped_nor_resumed(snapshot):
    run = done_run(snapshot)
    with pytest.raises(RunIsOver, match="is done: there is nothing to stop"):
        stop_run(run=run)
    with pytest.raises(RunIsOver, match="is done: there is nothing to resume"):
        resume_run(run=run)


def test_a_failed_run_is_resumed_with_all_its_attempts(snapshot):
    ours = claimed(a_run(snapshot))
    Claim(ours).fail("The disk is full.")
    again = resume_run(run=ours)
    assert (again.status, again.attempts, again.error, again.finished_at) == ("queued", 0, "", None)


def test_a_run_that_is_still_stopping_cannot_be_resumed_yet(snapshot):
    ours = claimed(a_run(snapshot))
    stop_run(run=ours)
    with pytest.raises(RunIsOver, match="still writing its checkpoint"):
        resume_run(run=ours)


def test_resuming_a_run_that_goes_on_changes_nothing(snapshot):
    ours = claimed(a_run(snapshot))
    assert resume_run(run=ours).status == "running"
