"""The order of jobs is that of their rows, whatever messages come, get lost or wait: the queues here are not empty."""

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu import Connection

from jobs import tasks
from jobs.claims import Claim, claim_next
from jobs.templatetags.waiting import when_it_begins
from modeling.launching.actions import resume_run, stop_run
from modeling.models import RunProgress, TrainingRun
from modeling.querysets import WAITS_FOR_ITS_HOST
from modeling.reports.leak_audits import request_audits, stop_audits
from modeling.running.actions import Progress, record_progress, record_start, record_warnings
from snapshots.exports.job import request_export
from snapshots.freezing.job import request_freeze, stop_freeze
from tests.cast import rosa
from tests.concurrency.processes import in_processes
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus
from tests.jobs.material import LONG_AGO, age, messages, silence
from tests.modeling.material import a_run, claimed, small_snapshot
from tests.snapshots.material import corpus_of, freeze
from validation.models import Question
from validation.statistics import cached

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS, RUNS = 6, 30


def order(queue: str = "training", worker: str = "second@here") -> list[Any]:
    """Returns the jobs in the order in which a worker claims them."""
    return list(iter(lambda: tasks.next_job(queue, worker=worker), None))


def test_an_abandoned_job_comes_first_then_one_that_was_given_back_then_the_oldest() -> None:
    """Each interrupted run is claimed next, not after all others, though it was asked for last."""
    snapshot = small_snapshot(3)
    waiting = [a_run(snapshot, seed=seed) for seed in range(5)]
    given_back, abandoned = a_run(snapshot, seed=8), a_run(snapshot, seed=9)
    claimed(abandoned)
    silence(TrainingRun)
    Claim(claimed(given_back)).release(blameless=True)
    assert order() == [abandoned, given_back, *waiting]


def test_a_new_run_does_not_overtake_and_a_resumed_one_keeps_its_place() -> None:
    snapshot = small_snapshot(3)
    first, second, third = (a_run(snapshot, seed=seed) for seed in range(3))
    stop_run(run=first)
    resumed = resume_run(run=first)
    assert order() == [resumed, second, third]


def test_a_run_that_is_resumed_or_given_back_does_not_wait_in_vain_at_once() -> None:
    run = a_run(small_snapshot(3))
    age(TrainingRun)
    run.refresh_from_db()
    assert run.waits_in_vain
    stop_run(run=run)
    assert not resume_run(run=run).waits_in_vain
    assert timezone.now() - run.requested_at > LONG_AGO
    TrainingRun.objects.update(queued_at=timezone.now() - LONG_AGO)
    Claim(claimed(run)).release()
    run.refresh_from_db()
    assert not run.waits_in_vain


def test_of_several_kinds_the_oldest_comes_first_and_what_the_site_counts_by_itself_last() -> None:
    counted = cached.request_statistics(
        question=Question.objects.get(corpus=make_corpus(slug="judged", protocol="judged")),
        kind=cached.Kind.PAIRWISE,
    )
    snapshot = freeze(corpus_of(2, dev=3, test=0))
    export = request_export(snapshot=snapshot, format_name="dnc")
    (audit,) = request_audits([snapshot])
    later = request_export(snapshot=snapshot, format_name="snli_txt")
    assert order("general") == [export, audit, later, counted]


def test_workers_that_look_at_once_get_each_job_once_and_the_best_first() -> None:
    """In processes: each locks another row, and none waits for the others or goes away without a job."""
    snapshot = small_snapshot(3)
    runs = [a_run(snapshot, seed=seed) for seed in range(RUNS)]

    def worker(name: str) -> list[tuple[int, str]]:
        claim_one = partial(claim_next, TrainingRun, worker=name)
        return [(row.pk, row.claimed_by) for row in iter(claim_one, None)]

    found = in_processes([partial(worker, f"{number}@here") for number in range(WORKERS)])
    taken = [one for each in found for one in each]
    assert sorted(pk for pk, _ in taken) == [run.pk for run in runs]
    assert dict(taken) == dict(TrainingRun.objects.values_list("pk", "claimed_by"))
    assert set(TrainingRun.objects.values_list("attempts", flat=True)) == {1}


def test_a_row_that_another_worker_is_about_to_claim_is_passed_over() -> None:
    snapshot = small_snapshot(3)
    first, second = (a_run(snapshot, seed=seed) for seed in range(2))
    with transaction.atomic():
        assert claim_next(TrainingRun, worker="first@here") == first
        other = at_once([lambda: claim_next(TrainingRun, worker="second@here")])
    assert other == [second]


def test_one_message_starts_as_many_workers_as_there_is_work_for() -> None:
    snapshot = small_snapshot(3)
    for seed in range(3):
        request_export(snapshot=snapshot, format_name=["dnc", "snli_txt", "parquet"][seed])
    with messages() as sent:
        tasks.work("general")
        assert sent == ["general"]
        tasks.work("general")
        assert sent == ["general"] * 2
        tasks.work("general")
        tasks.work("general")
        assert sent == ["general"] * 2


def test_a_worker_that_gives_its_job_back_tells_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    a_run(small_snapshot(3))
    monkeypatch.setattr("modeling.running.runner.carry_out", lambda run: Claim(run).release() and run)
    with messages() as sent:
        tasks.work("training")
    assert sent == ["training"]


@pytest.fixture
def producer(tmp_path: Path) -> Iterator[Any]:
    """Returns a producer of the embedded broker, in a folder of the test."""
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    folders = {"data_folder_in": "messages", "data_folder_out": "messages", "control_folder": "control"}
    options = {key: str(tmp_path / name) for key, name in folders.items()}
    with Connection("filesystem://", transport_options=options) as link, link.Producer() as made:
        made.connection.folder = tmp_path / "messages"
        yield made


def test_messages_do_not_pile_up_behind_a_long_training(producer: Any) -> None:
    for _ in range(5 * tasks.MOST_MESSAGES):
        with tasks.work.app.amqp.Producer(producer.connection) as one:
            tasks.work.apply_async(("training",), producer=one, queue="training")
    assert len(list(producer.connection.folder.iterdir())) == tasks.MOST_MESSAGES


def test_a_sweep_sends_nothing_where_no_job_can_be_claimed() -> None:
    run = a_run(small_snapshot(3))
    with messages() as sent:
        tasks.sweep("general")
        assert sent == []
        tasks.sweep("training")
        assert sent == ["training"]
        claimed(run)
        tasks.sweep("training")
        assert sent == ["training"]
        silence(TrainingRun)
        tasks.sweep("training")
        assert sent == ["training"] * 2


def trained_on(host: str, steps: int, *, warnings: str = "") -> TrainingRun:
    """Returns a run that trained for some steps on a machine whose folders are not here."""
    run = claimed(a_run(small_snapshot(3), "cbow"), f"first@{host}")
    record_start(run=run, step=0, train_pairs=9)
    record_progress(run=run, lines=[Progress(step=step, loss=1 / step) for step in range(1, steps + 1)])
    record_warnings(run=run, warnings=[warnings] if warnings else [])
    return run


@pytest.mark.parametrize("how", ["given back", "abandoned"])
def test_a_training_waits_some_minutes_for_the_machine_of_its_checkpoint(how: str) -> None:
    run = trained_on("there", 3)
    behind = a_run(run.snapshot, seed=2)
    if how == "given back":
        Claim(run).release(blameless=True)
        column = "queued_at"
    else:
        silence(TrainingRun)
        column = "heartbeat_at"
        TrainingRun.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=90))
    assert tasks.next_job("training", worker="second@here") == behind
    assert tasks.next_job("training", worker="second@here") is None, "it still waits for its machine"
    with messages() as sent:
        tasks.sweep("training")
    assert sent == ["training"], "its machine must hear of it"
    late = timezone.now() - WAITS_FOR_ITS_HOST - timedelta(seconds=90)
    if how == "given back":
        assert tasks.next_job("training", worker="again@there") == run
        Claim(TrainingRun.objects.get(pk=run.pk)).release()
    TrainingRun.objects.filter(pk=run.pk).update(**{column: late})
    assert tasks.next_job("training", worker="second@here") == run


def test_a_machine_that_has_the_checkpoint_need_not_have_its_name() -> None:
    """A container has a new name after each upgrade, and machines may share their folders."""
    run = trained_on("there", 3)
    Claim(run).release(blameless=True)
    assert tasks.next_job("training", worker="second@here") is None
    (settings.RUN_ROOT / run.folder / "checkpoint").mkdir(parents=True)
    assert tasks.next_job("training", worker="second@here") == run


def test_what_a_move_to_another_machine_loses_is_said_and_its_curve_kept() -> None:
    run = trained_on("there", 17)
    Claim(run).release(blameless=True)
    ours = claimed(run, "second@here")
    warning = record_start(run=ours, step=5, train_pairs=9)
    assert warning.startswith("12 steps are lost: there trained this run up to step 17")
    lines = RunProgress.objects.filter(run=run)
    assert list(lines.kept().values_list("step", flat=True)) == [1, 2, 3, 4, 5]
    assert list(lines.filter(is_lost=True).values_list("step", flat=True)) == list(range(6, 18))
    Claim(ours).release()
    again = claimed(run, "third@here")
    assert record_start(run=again, step=5, train_pairs=9) == "", (
        "it is the same machine, which loses nothing more"
    )
    assert lines.filter(is_lost=True).count() == 12


def test_nobody_is_named_by_user_name_in_the_error_of_a_job(caplog: pytest.LogCaptureFixture) -> None:
    by = rosa()
    corpus = corpus_of(2, dev=3, test=0)
    stop_freeze(snapshot=request_freeze(corpus=corpus, by=by), by=by)
    snapshot = freeze(corpus)
    audits = request_audits([snapshot])
    stop_audits([snapshot], by=by)
    errors = [type(row).objects.get(pk=row.pk).error for row in audits]
    errors += [line for line in caplog.text.splitlines() if "Stopped" in line]
    assert len(errors) == 3
    for error in errors:
        assert f"Stopped by {by.code}." in error
        assert by.username not in error


def test_a_job_that_waits_says_when_it_begins_or_that_no_worker_is_there() -> None:
    snapshot = small_snapshot(3)
    first, second, third = (a_run(snapshot, seed=seed) for seed in range(3))
    assert when_it_begins(first) == "A worker begins within a minute."
    TrainingRun.objects.update(queued_at=timezone.now() - LONG_AGO)
    first.refresh_from_db()
    assert "No worker has claimed it: none works for the queue training" in when_it_begins(first)
    held = claimed(first)
    begun = timezone.now() - timedelta(minutes=10)
    TrainingRun.objects.filter(pk=held.pk).update(started_at=begun, share=0.5)
    assert re.search(r"This one is next, in about 1[01] minutes\.$", when_it_begins(second))
    assert "1 job waits before this one" in when_it_begins(third)
    silence(TrainingRun)
    second.refresh_from_db()
    assert "No worker has claimed it" in when_it_begins(second), "whose worker is gone works on nothing"
    first.refresh_from_db()
    assert when_it_begins(first) == ""
