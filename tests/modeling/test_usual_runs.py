"""The usual sets of runs, the clone of a run, and the list of runs with its filters and columns."""

from urllib.parse import parse_qs, urlsplit

import pytest
from lxml import html

from modeling.launching.actions import request_sweep, request_usual
from modeling.launching.usual import USUAL, done_runs, offers
from modeling.models import TrainingRun
from modeling.results.trials import with_scores
from modeling.running.actions import record_result
from tests.made_once import made_once
from tests.modeling.material import claimed, done_run, metrics, small_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

snapshot = made_once(small_snapshot, 8)


def trained() -> list[tuple[str, int, int | None]]:
    runs = TrainingRun.objects.exclude(status="sweep").order_by("pk")
    return list(runs.values_list("baseline", "seed", "most"))


def test_the_form_begins_with_the_usual_runs_and_says_how_many_each_starts(browser, snapshot):
    page = html.fromstring(browser.get(f"/runs/new/{snapshot.pk}/").content)
    found = [
        (card.findtext("h3"), card.xpath(".//button/text()")[0])
        for card in page.xpath("//ul[@class='usual-runs']/li")
    ]
    assert found == [
        ("Bias check", "Start 3 runs"),
        ("The paper’s table", "Start 10 runs"),
        ("Learning curve", "Start 15 runs"),
        ("Pretrained", "Start 3 runs"),
    ]


@pytest.mark.parametrize("name", USUAL)
def test_as_many_runs_are_requested_as_the_button_says(rosa, snapshot, name):
    pairs = snapshot.pairs.filter(partition="train").count()
    said = next(offer.runs for offer in offers(pairs, []) if offer.usual.name == name)
    request_usual(snapshot=snapshot, usual=USUAL[name], by=rosa, key="one")
    assert len(trained()) == said


def test_the_same_form_starts_a_set_once(browser, snapshot):
    address = f"/runs/start/{snapshot.pk}/bias/"
    for _ in range(2):
        answer = browser.post(address, {"key": "same"})
        assert answer.url == f"/runs/?corpus={snapshot.corpus.slug}"
    assert [baseline for baseline, _, _ in trained()] == ["majority", "hypothesis_only", "cbow"]
    assert browser.post(f"/runs/start/{snapshot.pk}/other/").status_code == 404


def test_the_form_says_which_runs_wait_or_train_already(browser, snapshot):
    address = f"/runs/new/{snapshot.pk}/"
    assert "that wait or train now" not in browser.get(address).content.decode()
    browser.post(f"/runs/start/{snapshot.pk}/bias/", {"key": "k"})
    page = browser.get(address).content.decode()
    assert f"Runs on {snapshot} that wait or train now: majority, hypothesis_only, cbow." in page
    TrainingRun.objects.filter(baseline="cbow").delete()
    assert "now: majority, hypothesis_only." in browser.get(address).content.decode()


def test_a_learning_curve_has_sizes_up_to_all_pairs(rosa, snapshot):
    pairs = snapshot.pairs.filter(partition="train").count()
    request_usual(snapshot=snapshot, usual=USUAL["curve"], by=rosa, key="one")
    sizes = sorted({most for _, _, most in trained()})
    assert sizes[-1] == pairs
    assert sizes[-2] == round(pairs / 2)


def test_a_set_says_its_minutes_once_runs_with_its_settings_are_done(snapshot):
    assert offers(1000, done_runs())[0].minutes is None
    for baseline in USUAL["bias"].baselines:
        done_run(snapshot, baseline)
    run = TrainingRun.objects.latest("pk")
    TrainingRun.objects.update(seconds=60, train_pairs=500)
    assert run.seconds is not None
    assert offers(1000, done_runs())[0].minutes == pytest.approx(6)


def duration(browser, snapshot, **fields: str) -> str:
    page = html.fromstring(browser.get(f"/runs/new/{snapshot.pk}/", fields).content)
    return " ".join(page.xpath("string(//div[@id='duration'])").split())


def test_the_form_of_one_baseline_says_how_many_runs_and_minutes_its_fields_ask_for(browser, snapshot):
    asked = {"baseline": "cbow", "seeds": "1, 2"}
    assert duration(browser, snapshot, **asked) == "2 runs."
    done_run(snapshot)
    pairs = snapshot.pairs.filter(partition="train").count()
    TrainingRun.objects.update(seconds=60 * pairs, train_pairs=pairs)
    usual = f"2 runs: about {2 * pairs} minutes on one worker, by earlier runs."
    assert duration(browser, snapshot, **asked) == usual
    of_sizes = "3 runs: about 6 minutes on one worker, by earlier runs."
    assert duration(browser, snapshot, baseline="cbow", seeds="1,2,3", sizes="2") == of_sizes
    half = f"2 runs: about {pairs} minute{'s' if pairs != 1 else ''} on one worker, by earlier runs."
    assert duration(browser, snapshot, **asked, config="epochs=10") == half
    assert duration(browser, snapshot, **asked, **{"set-epochs": "10"}) == half
    assert duration(browser, snapshot, **asked, preset="paper") == "2 runs."
    for wrong in ({"seeds": "x"}, {"sizes": "x"}, {"config": "epochs=x"}, {"genre": "fiction"}):
        assert duration(browser, snapshot, **(asked | wrong)) == ""


def test_a_clone_fills_the_form_as_the_run_was_asked_for(browser, snapshot):
    sweep = request_sweep(
        snapshot=snapshot, baseline="cbow", seeds=[2, 4], sizes=[3, 6], config={"epochs": "3"},
        regime={"soft_labels": True},
    )  # fmt: skip
    page = html.fromstring(browser.get(f"/runs/{sweep.pk}/").content)
    address = urlsplit(page.xpath("//a[text()='Clone with changes']/@href")[0])
    assert parse_qs(address.query) == {
        "baseline": ["cbow"], "seeds": ["2, 4"], "sizes": ["3, 6"], "vectors": [sweep.vectors],
        "config": ["epochs=3"], "soft_labels": ["all"],
    }  # fmt: skip
    form = html.fromstring(browser.get(f"{address.path}?{address.query}").content)
    assert form.xpath("//input[@name='seeds']/@value") == ["2, 4"]
    assert form.xpath("//select[@name='baseline']/option[@selected]/@value") == ["cbow"]
    assert form.xpath("//details[@open]//input[@name='sizes']/@value") == ["3, 6"]


def test_the_list_of_runs_has_the_columns_and_passes_the_filters_of_its_address(browser, snapshot):
    cbow, majority = done_run(snapshot, accuracy=0.6), done_run(snapshot, "majority", accuracy=0.4)
    page = html.fromstring(browser.get("/runs/?baseline=cbow&column=test&column=seconds").content)
    table = page.xpath("//table[.//input[@name='run']]")[0]
    heads = [" ".join(head.text_content().split()) for head in table.xpath(".//th[@scope='col']")]
    assert heads == ["Choose", "Run ▼", "Test accuracy", "Seconds"]
    assert [row.xpath("string(td[2])") for row in table.xpath(".//tbody/tr")] == ["60.0%"]
    csv = page.xpath("//*[@class='list-bar']/a[text()='CSV']")[0].get("href")
    lines = b"".join(browser.get(csv).streaming_content).decode().splitlines()
    assert [line.split(",")[0] for line in lines] == ["run", str(cbow.pk)]
    others = browser.get(f"/runs/?status=done&snapshot={snapshot}").content.decode()
    assert f"Choose run {majority.pk}" in others
    for unknown in ("status=failed", "snapshot=none@x", "snapshot=x"):
        assert "No run passes these filters" in browser.get(f"/runs/?{unknown}").content.decode()


def test_test_scores_of_a_trial_that_dev_did_not_choose_are_in_no_list(snapshot):
    sweep = request_sweep(
        snapshot=snapshot, baseline="cbow", seeds=[1], search={"learning_rate": ["0.1", "0.2"]}
    )
    for run, accuracy in zip(sweep.children.order_by("pk"), (0.4, 0.5), strict=True):
        record_result(run=claimed(run), metrics=metrics(accuracy))
    found = with_scores(TrainingRun.objects.filter(parent=sweep)).order_by("pk")
    assert [(run.on_dev, run.on_test) for run in found] == [(0.4, None), (0.5, 0.5)]


def test_a_run_begins_with_dev_and_test_and_leads_to_the_predictions_of_each_part(browser, snapshot):
    run = done_run(snapshot, accuracy=0.6)
    page = html.fromstring(browser.get(f"/runs/{run.pk}/").content)
    head = [
        (each.findtext("dt"), each.findtext("dd")) for each in page.xpath("//dl[@class='number-row']/div")
    ]
    assert head[:2] == [("Dev accuracy", "60.0%"), ("Test accuracy", "60.0%")]
    rows = page.xpath("//div[@aria-label='Accuracy']//tbody/tr")
    assert [row.findtext("th") for row in rows][-2:] == ["dev", "test"]
    assert rows[-1].xpath("td[1]/a/@href") == [f"/runs/{run.pk}/predictions/test/"]
    told = browser.get(f"/api/v1/runs/{run.pk}/figures/scores").json()["rows"]
    assert [row.xpath("string(td[3])") for row in rows] == [f"{100 * row['low']:.1f}%" for row in told]
