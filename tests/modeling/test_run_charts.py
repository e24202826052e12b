"""Charts of runs: baselines beside the bars, where each fails, the seeds of a sweep in one chart."""

import pytest
from lxml import html

from collection.models import Genre, Prompt
from modeling.launching.actions import request_run, request_sweep
from modeling.models import Breakdown, RunProgress, TrainingRun
from modeling.watching.baseline_figures import FIGURES, compared_on
from modeling.watching.curves import DEV_ACCURACY, EPOCHS, chosen_runs, of_sweep
from shared.figures import shown
from shared.intervals import wilson
from snapshots.models import Snapshot
from tests.charted import charts_in
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot

pytestmark = pytest.mark.django_db


snapshot = made_once(small_snapshot)


def broken_down(run: TrainingRun, right: dict[str, int], pairs: int = 100) -> None:
    for dimension, values in (("label", ("entailment", "neutral")), ("genre", ("fiction",))):
        rows = [[value, pairs, right[value], {"entailment": pairs}] for value in values]
        Breakdown.objects.create(
            run=run, snapshot=run.snapshot, partition="test", dimension=dimension, rows=rows
        )


def told_by(client, address: str) -> dict:
    """Returns what REST has of a figure, without the time of its count."""
    return {key: value for key, value in client.get(address).json().items() if key != "made_at"}


def charts(snapshot: Snapshot) -> dict:
    return {each.table.key: each.table for each in shown(FIGURES, snapshot, compared_on(snapshot))}


def test_baselines_stand_in_order_with_their_intervals_and_both_bars(snapshot):
    best = done_run(snapshot, "cbow", accuracy=0.7)
    done_run(snapshot, "hypothesis_only", accuracy=0.5)
    broken_down(best, {"entailment": 80, "neutral": 60, "fiction": 70})
    chart = charts(snapshot)["baselines"]
    assert [row["baseline"] for row in chart.rows] == ["cbow", "hypothesis_only"]
    row, alone = chart.rows
    assert (row["low"], row["high"]) == wilson(0.7, 200)
    assert (row["pairs"], row["href"]) == (200, f"/runs/{best.pk}/")
    assert (alone["low"], alone["high"]) == (None, None), "nobody has counted its pairs"
    assert [line["name"].partition(" (")[0] for line in chart.lines] == ["majority class", "hypothesis only"]
    assert chart.title.startswith(
        "cbow is right in 70.0% of the test pairs, 20.0 points above the bar of 50.0%"
    )


@pytest.mark.parametrize(
    ("best", "title"),
    [
        (
            "hypothesis_only",
            "hypothesis_only is right in 70.0% of the test pairs, without the premise; no other baseline",
        ),
        ("majority", "majority is right in 70.0% of the test pairs."),
    ],
)
def test_a_bar_is_not_compared_with_itself(snapshot, best, title):
    done_run(snapshot, best, accuracy=0.7)
    done_run(snapshot, "cbow", accuracy=0.5)
    assert charts(snapshot)["baselines"].title.startswith(title)


def test_lowest_and_highest_seeds_are_marks_where_there_are_several(snapshot):
    for seed, accuracy in ((1, 0.6), (2, 0.8)):
        done_run(snapshot, "cbow", seed=seed, accuracy=accuracy)
    (row,) = charts(snapshot)["baselines"].rows
    assert (row["lowest"], row["accuracy"], row["highest"]) == (0.6, pytest.approx(0.7), 0.8)


def test_the_grid_says_where_a_baseline_fails(snapshot):
    broken_down(done_run(snapshot, "cbow"), {"entailment": 80, "neutral": 10, "fiction": 45})
    chart = charts(snapshot)["baselines-by-part"]
    (row,) = chart.rows
    assert (row["label: entailment"], row["label: neutral"], row["genre: fiction"]) == (0.8, 0.1, 0.45)
    assert chart.title == (
        "The accuracy of cbow is highest for Definitely correct (80.0%) and lowest for Maybe correct (10.0%)."
    )
    assert [column.name for column in chart.columns][1:] == ["Definitely correct", "Maybe correct", "Fiction"]


def test_a_run_is_drawn_by_genre_the_lowest_first_without_the_small_ones(snapshot, browser_of, rosa):
    run = done_run(snapshot, "cbow")
    Genre.objects.create(corpus=snapshot.corpus, slug="mail", name="Letters", prompt=Prompt.objects.get())
    rows = [
        ["fiction", 100, 80, {"neutral": 100}],
        ["mail", 50, 10, {"neutral": 50}],
        ["tiny", 19, 0, {"neutral": 19}],
    ]
    Breakdown.objects.create(run=run, snapshot=snapshot, partition="test", dimension="genre", rows=rows)
    client = browser_of(rosa)
    chart = charts_in(client.get(f"/runs/{run.pk}/").content)["by-genre-test"]
    assert [(row["genre"], row["pairs"], row["accuracy"]) for row in chart["rows"]] == [
        ("tiny", 19, 0), ("Letters", 50, 0.2), ("Fiction", 100, 0.8),
    ]  # fmt: skip
    assert chart["draw"]["least"] == {"pairs": 20}
    assert "Of 3 genres, 2 are drawn." in chart["note"]
    assert (chart["rows"][1]["low"], chart["rows"][1]["high"]) == pytest.approx(wilson(0.2, 50))
    assert chart["title"] == (
        "On test, accuracy is highest for Fiction (80.0%) and lowest for Letters (20.0%),"
        " among those with 30 pairs or more."
    )
    told = client.get(f"/api/v1/runs/{run.pk}/figures/by-genre?partition=test&as=csv").text
    low, high = wilson(0.0, 19)
    assert told.splitlines()[:2] == [
        "genre,pairs,accuracy,low,high,majority",
        f"tiny,19,0.0,{low},{high},1.0",
    ]


def test_runs_of_other_settings_have_names_of_their_own(snapshot):
    done_run(snapshot, "cbow")
    done_run(snapshot, "cbow", config={"hidden": "8"})
    names = [row["baseline"] for row in charts(snapshot)["baselines"].rows]
    assert len(set(names)) == 2


def test_the_page_and_its_files_show_the_charts(snapshot, browser_of, rosa):
    broken_down(done_run(snapshot, "cbow"), {"entailment": 80, "neutral": 10, "fiction": 45})
    client = browser_of(rosa)
    found = charts_in(client.get("/runs/").content)
    assert list(found) == [f"baselines-{snapshot.pk}", f"baselines-by-part-{snapshot.pk}"]
    for key, drawn in found.items():
        name = key.removesuffix(f"-{snapshot.pk}")
        address = f"/api/v1/snapshots/{snapshot.pk}/figures/{name}"
        assert told_by(client, address) | {"key": key} == drawn
        assert client.get(f"{address}?as=csv").content.startswith(b"baseline,")


def test_seeds_of_a_sweep_lie_over_each_other_by_epoch(snapshot, browser_of, rosa):
    sweep = request_sweep(snapshot=snapshot, baseline="cbow", seeds=[1, 2])
    assert not list(shown((EPOCHS,), sweep, of_sweep(sweep)))
    first, second = sweep.children.order_by("pk")
    for run, scores in ((first, (0.4, 0.6)), (second, (0.5,))):
        for epoch, accuracy in enumerate(scores, start=1):
            RunProgress.objects.create(run=run, step=10 * epoch, epoch=epoch, dev_accuracy=accuracy)
    (chart,) = (each.table for each in shown((EPOCHS,), sweep, of_sweep(sweep)))
    one, other = f"run-{first.pk}", f"run-{second.pk}"
    assert chart.rows == [{"epoch": 1, one: 0.4, other: 0.5}, {"epoch": 2, one: 0.6, other: None}]
    assert chart.title == "The best epoch of each reaches 50.0% (seed 2) to 60.0% (seed 1) on dev."
    client = browser_of(rosa)
    (drawn,) = charts_in(client.get(f"/runs/{sweep.pk}/").content).values()
    assert drawn == told_by(client, f"/api/v1/runs/{sweep.pk}/figures/dev-by-epoch")


@pytest.mark.parametrize(
    ("scores", "varies"),
    [
        ({1: (0.3, 0.5), 2: (0.6, 0.61), 3: (0.604, 0.6), 4: (0.2,)}, "20.0"),
        ({1: (0.3,), 2: (0.5,), 3: (0.61,), 4: (0.6,), 5: (0.3,)}, "11.0"),
    ],
)
def test_dev_accuracy_says_by_how_much_it_varies_near_its_best(snapshot, scores, varies):
    """From the evaluations of the best epoch and those beside it; a run with a single one says nothing of it."""
    run = done_run(snapshot, "lstm")
    step = run.lines.create(step=1, epoch=1, dev_accuracy=0.1).step
    (first,) = (each.table for each in shown((DEV_ACCURACY,), run, run.lines.curve()))
    assert first.title == "Accuracy on dev reaches up to 10.0% (at step 1)."
    for epoch, accuracies in scores.items():
        for accuracy in accuracies:
            step = run.lines.create(step=step + 1, epoch=epoch, dev_accuracy=accuracy).step
    (table,) = (each.table for each in shown((DEV_ACCURACY,), run, run.lines.curve()))
    assert f"two evaluations that follow each other differ by up to {varies} points (SNLI," in table.title
    assert table.title.endswith("the end of its LSTM: up to 0.5).")


def test_chosen_runs_lie_over_each_other_with_what_differs(snapshot, browser_of, rosa):
    one, other = (done_run(snapshot, "cbow", config={"hidden": hidden}) for hidden in ("4", "8"))
    for run, scores in ((one, (0.4, 0.6)), (other, (0.5,))):
        for epoch, accuracy in enumerate(scores, start=1):
            RunProgress.objects.create(run=run, step=10 * epoch, epoch=epoch, dev_accuracy=accuracy)
            RunProgress.objects.create(run=run, step=10 * epoch - 5, loss=1 / epoch)
    client = browser_of(rosa)
    address = f"/runs/curves/?run={other.pk}&run={one.pk}&run=99999&run=x"
    page = client.get(address)
    found = charts_in(page.content)
    assert list(found) == ["dev-by-epoch", "loss-by-step"]
    ours, theirs = f"run-{one.pk}", f"run-{other.pk}"
    assert [(row["epoch"], row[ours], row[theirs]) for row in found["dev-by-epoch"]["rows"]] == [
        (1, 0.4, 0.5),
        (2, 0.6, None),
    ]
    assert found["dev-by-epoch"]["title"].startswith(
        f"The best epoch of each reaches 50.0% (run {other.pk}: cbow) to 60.0% (run {one.pk}: cbow) on dev"
    )
    assert list(found["loss-by-step"]["rows"][0]) == ["step", ours, "faint"], "of one value there is no line"
    table = html.fromstring(page.content).xpath('//div[@aria-label="Where the runs differ"]//tbody/tr')
    assert [[cell.text_content() for cell in row] for row in table] == [["hidden", "8", "4"]]
    for name, drawn in found.items():
        there = f"/api/v1/runs/{other.pk}/figures/{name}?beside={one.pk}"
        assert told_by(client, there) == drawn
        assert client.get(f"{there}&as=csv").text.partition(",")[2].startswith("run-")
    assert client.get(f"/api/v1/runs/{other.pk}/figures/loss-by-step?beside=all").status_code == 422
    assert "No run is chosen" in client.get("/runs/curves/").text
    boxes = html.fromstring(client.get("/runs/").content).xpath('//input[@form="act"][@name="run"]/@value')
    assert boxes == [str(other.pk), str(one.pk)]


def test_a_chosen_run_without_a_line_is_named_with_why(snapshot, browser_of, rosa):
    drawn, fitted, ended = (done_run(snapshot, name) for name in ("cbow", "lexicalized", "lstm"))
    waiting = request_run(snapshot=snapshot, baseline="cbow", seed=2)
    RunProgress.objects.create(run=drawn, step=10, epoch=1, dev_accuracy=0.4)
    chosen = "&".join(f"run={run.pk}" for run in (drawn, fitted, ended, waiting))
    page = html.fromstring(browser_of(rosa).get(f"/runs/curves/?{chosen}").content)
    assert page.xpath('string(//p[@class="notice"])') == (
        f"Without a line: run {fitted.pk} (lexicalized), because it does not learn in epochs; "
        f"run {ended.pk} (lstm), because it has stored neither an epoch nor two losses; "
        f"run {waiting.pk} (cbow), because it has not ended its first epoch yet."
    )


def test_of_a_chosen_sweep_its_runs_are_drawn_six_at_most(snapshot):
    sweep = request_sweep(snapshot=snapshot, baseline="cbow", seeds=range(1, 9))
    assert [run.seed for run in chosen_runs([str(sweep.pk)])] == [1, 2, 3, 4, 5, 6]


def test_curves_of_systems_are_drawn_where_they_have_two_sizes(snapshot, browser_of, rosa):
    for most, accuracy in ((4, 0.4), (9, 0.5)):
        done_run(snapshot, "lexicalized", regime={"most": most}, accuracy=accuracy)
    done_run(snapshot, "lstm", accuracy=0.6)
    address = f"/snapshots/{snapshot.pk}/result-tables/"
    (chart,) = charts_in(browser_of(rosa).get(address).content).values()
    (system,) = chart["draw"]["series"]
    assert system.lower() == "lexicalized"
    assert [(row["pairs"], row[system]) for row in chart["rows"]] == [(4, 0.4), (9, 0.5)]
    assert browser_of(rosa).get(address, {"chart": "learning-curves"}).text.startswith(f"pairs,{system}")
