"""The papers' result tables from runs: the content of cells, what is missing, and how missing runs are queued."""

import csv
import io
import json
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.db.models import Case, Value, When
from django.test.utils import CaptureQueriesContext

from collection.models import PARTITIONS, Corpus, Pair
from modeling.baselines.catalogue import BASELINES
from modeling.folders import folder_of
from modeling.launching.actions import MOST_CHILDREN
from modeling.models import Breakdown, TrainingRun
from modeling.reports.definitions import L2_AGAIN, TABLES
from modeling.reports.filling import fill
from modeling.reports.rendering import notes_of
from modeling.reports.scores import Scores
from modeling.reports.unscored import Unscored
from modeling.results.actions import record_evaluation
from modeling.results.breakdowns import store_breakdowns, store_composition
from modeling.running import evaluating
from modeling.running.actions import record_result
from nli.labels import reading
from nli.lines import PARTITION_FILES
from snapshots.models import Snapshot
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import a_run, claimed, done_run, metrics, small_snapshot, write_predictions
from tests.snapshots.material import add_genre, add_premises, corpus_of, freeze, lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


snapshot = made_once(small_snapshot, 3)
LABELS = ("entailment", "neutral", "contradiction")


def scored(snapshot, baseline, *, wrong=0, accuracy=0.5, **fields) -> TrainingRun:
    """Makes a finished run with predictions and breakdowns on its own snapshot."""
    run = claimed(a_run(snapshot, baseline, **fields))
    record_result(run=run, metrics=metrics(accuracy))
    for partition in ("dev", "test"):
        write_predictions(run, partition, wrong=wrong)
    store_breakdowns(run, snapshot, folder_of(run), ("dev", "test"))
    return run


def cell(name, snapshots, row, column, **more):
    report = fill(name, snapshots, **more)
    return dict(report.rows)[row][report.columns.index(column)]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_filled_without_runs_counts_and_further_snapshots(name, snapshot):
    report = fill(name, [snapshot], tests=True)
    assert all(each.missing or each.mean is not None for _, cells in report.rows for each in cells)
    assert command("report", "small@1", name).failure == ""


@pytest.mark.parametrize("form", ["text", "csv", "latex", "html"])
def test_every_format_has_the_mean_over_seeds(snapshot, form):
    for seed, accuracy in ((1, 0.5), (2, 0.6)):
        scored(snapshot, "lstm", seed=seed, accuracy=accuracy)
    out = command("report", "small@1", "snli-6", "--format", form).out
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        found = next(row for row in rows if row["sentence model"] == "LSTM")
        assert float(found["test"]) == pytest.approx(0.55)
        assert float(found["test spread"]) == pytest.approx(0.0707, abs=1e-4)
        assert 0 < float(found["test p"]) <= 1
        assert (found["test against"], len(found["test runs"].split())) == ("majority", 2)
        missing = next(row for row in rows if row["sentence model"] == "RNN")
        assert (missing["test"], missing["test missing"]) == ("", "rnn on small@1")
    else:
        assert "55.0" in out
        assert "7.1" in out
        assert "rnn on small@1" in out, "what is missing is named"
        first, second = TrainingRun.objects.order_by("pk")
        assert f"Runs: LSTM: {first.pk}, {second.pk}." in out


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=pytest.mark.thorough if place % 5 else ())
        for place, each in enumerate(TABLES)
    ],
)
def test_what_is_missing_can_be_queued_for_every_table(name, snapshot):
    other = small_snapshot(3, slug="other")
    for one in (snapshot, other):
        for partition in PARTITIONS:
            store_composition(one, partition)
    report = fill(name, [snapshot, other])
    told = command("report", "small@1", "other@1", name, "--train-missing", "--seeds", "1")
    wanted = report.requests()
    assert (told.failure, TrainingRun.objects.count()) == ("", len(wanted))
    assert {run.baseline for run in TrainingRun.objects.all()} == {one["baseline"] for one in wanted}


def test_runs_on_single_genres_fill_the_table_of_genres(snapshot):
    store_composition(snapshot, "train")
    (genre,) = Scores([snapshot]).values(0, "train", "genre")
    of_genre = scored(snapshot, "cbow", regime={"genre": genre}, config={"dropout": "0.2"})
    of_all = scored(snapshot, "cbow")
    assert cell("multinli-5", [snapshot], genre, genre).runs == [of_genre.pk]
    assert cell("multinli-5", [snapshot], "all genres", genre).runs == [of_all.pk]


def test_runs_with_other_settings_or_regimes_do_not_count(snapshot):
    scored(snapshot, "lexicalized", accuracy=0.7)
    scored(snapshot, "lexicalized", accuracy=0.4, config={"cross_bigrams": "false"})
    scored(snapshot, "lexicalized", accuracy=0.1, regime={"collapse": True})
    scored(snapshot, "lexicalized", accuracy=0.2, regime={"most": 2})
    assert cell("snli-5", [snapshot], "Lexicalized", "small@1 test").mean == 0.7
    assert cell("snli-5", [snapshot], "Unigrams only", "small@1 test").mean == 0.4
    assert "cross_unigrams=false" in cell("snli-5", [snapshot], "Unlexicalized", "small@1 test").missing
    assert cell("figure-4", [snapshot], "2", "Lexicalized").mean == 0.2


def test_genres_are_matched_where_the_training_part_has_them(snapshot):
    store_composition(snapshot, "train")
    store_composition(snapshot, "test")
    run = scored(snapshot, "cbow", wrong=1)
    report = fill("multinli-4", [snapshot])
    assert report.columns == ["matched"]  # all genres of test are in train
    found = cell("multinli-4", [snapshot], "CBOW, trained on the first snapshot", "matched")
    assert (found.mean, found.runs) == (pytest.approx(2 / 3), [run.pk])
    assert cell("multinli-4", [snapshot], "Majority", "matched").mean == pytest.approx(1 / 3)


def test_what_is_counted_in_part_makes_no_number(snapshot):
    """A run counts dev and test; only `report` counts train. Until then no genre is mismatched, and no total is there."""
    run = scored(snapshot, "cbow")
    assert fill("multinli-4", [snapshot]).columns == []
    found = cell("hyponly-1", [snapshot], "small@1", "pairs")
    assert (found.mean, found.missing) == (
        None, "small@1 train: its pairs are not counted. The command `report` counts them",
    )  # fmt: skip
    store_composition(snapshot, "train")
    counted = cell("hyponly-1", [snapshot], "small@1", "pairs").mean
    assert counted == snapshot.pairs.exclude(gold_label=None).count()
    assert cell("multinli-4", [snapshot], "CBOW, trained on the first snapshot", "matched").runs == [run.pk]


def test_the_pairs_are_counted_by_a_run_that_read_the_snapshots_own_labels(snapshot):
    """A run with `collapse` reads three labels as two: its counts are not those of the pairs."""
    run = claimed(a_run(snapshot, "edit_distance", regime={"collapse": True}))
    record_result(run=run, metrics=metrics(0.5))
    rows = write_predictions(run, "test")
    read = reading("nli3", "entailed2")
    rows = [{**row, "gold": read[row["gold"]], "predicted": "entailed"} for row in rows]
    path = folder_of(run) / "predictions-test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store_breakdowns(run, snapshot, folder_of(run), ("test",))
    assert cell("hyponly-2", [snapshot], "small@1", "test majority").mean is None
    scored(snapshot, "cbow")
    assert cell("hyponly-2", [snapshot], "small@1", "test majority").mean == pytest.approx(1 / 3)


def test_gains_are_over_the_majority(snapshot):
    for partition in ("dev", "test"):
        store_composition(snapshot, partition)
    scored(snapshot, "hypothesis_only", accuracy=0.5)
    assert cell("hyponly-2", [snapshot], "small@1", "test majority").mean == pytest.approx(1 / 3)
    assert cell("hyponly-2", [snapshot], "small@1", "test gain").mean == pytest.approx(0.5 - 1 / 3)
    assert cell("hyponly-2", [snapshot], "small@1", "test gain, relative").mean == pytest.approx(0.5)


def test_the_two_class_majority_is_that_of_the_pairs_and_no_run(snapshot):
    """Snli-4: a third of the pairs are entailed, so the other class, read from two labels, has two thirds."""
    store_composition(snapshot, "test")
    found = cell("snli-4", [snapshot], "Majority", "small@1")
    assert (found.mean, found.missing) == (pytest.approx(2 / 3), "")
    wanted = [one["baseline"] for one in fill("snli-4", [snapshot]).requests()]
    assert wanted == ["edit_distance", "overlap_classifier", "wordnet_classifier"]


def test_labels_that_are_no_two_classes_ask_for_no_run(snapshot):
    graded = Snapshot.objects.get(pk=snapshot.pk)
    graded.corpus.scheme = "grammar3"
    report = fill("snli-4", [graded])
    assert report.missing == ["the labels of small@1 are not read as two classes"]
    assert report.requests() == []


def test_matched_genres_are_tested_on_their_own_pairs(snapshot):
    store_composition(snapshot, "train")
    scored(snapshot, "cbow")
    found = cell("multinli-4", [snapshot], "CBOW, trained on the first snapshot", "matched", tests=True)
    assert (found.mean, found.p, found.against) == (
        1.0,
        0.5,
        "majority",
    )  # two pairs more: heads twice, or tails


def test_a_cell_names_its_bar_where_there_are_two(snapshot):
    scored(snapshot, "infersent", accuracy=0.9)
    scored(snapshot, "hypothesis_only", wrong=3, accuracy=0.1)
    assert cell("dnc-3", [snapshot], "InferSent", "small@1", tests=True).against == "majority"
    TrainingRun.objects.filter(baseline="hypothesis_only").delete()
    scored(snapshot, "hypothesis_only", wrong=1, accuracy=0.8)
    assert cell("dnc-3", [snapshot], "InferSent", "small@1", tests=True).against == "hypothesis-only"
    out = command("report", "small@1", "dnc-3").out
    assert "90.0% (above hypothesis-only 66.7%, p = 1)" in out
    assert "80.0% (above majority 33.3%, p = 1)" in out
    assert "against hypothesis-only (its runs with the same seeds) or majority (" in out


def test_a_run_of_another_snapshot_is_named_until_it_is_evaluated_there(snapshot):
    other = small_snapshot(3, slug="other")
    run = scored(snapshot, "lstm")
    found = cell("snli-7", [snapshot, other], "First snapshot only", "test")
    assert found.missing == str(Unscored(run, other, "test"))
    assert str(found.unscored[0]).endswith(f": manage.py evaluate {run.pk} other@1 --partition test")
    after = done_run(other, "lstm", regime={"start": {"run": run.pk, "how": "transfer"}}, accuracy=0.8)
    assert cell("snli-7", [snapshot, other], "First and second (transfer)", "test").runs == [after.pk]


def test_a_seed_that_is_not_evaluated_yet_is_named_beside_the_mean_of_the_others(snapshot):
    other = small_snapshot(3, slug="other")
    scored_there, not_yet = (scored(snapshot, "lstm", seed=seed) for seed in (1, 2))
    record_evaluation(run=scored_there, snapshot=other, metrics={"test": metrics(0.7)["test"]})
    found = cell("snli-7", [snapshot, other], "First snapshot only", "test")
    assert (found.mean, found.runs) == (0.7, [scored_there.pk])
    assert found.missing == str(Unscored(not_yet, other, "test"))


def test_missing_scores_of_finished_runs_are_made_with_the_missing_runs(snapshot, monkeypatch):
    small_snapshot(3, slug="other")
    runs = [scored(snapshot, "lstm", seed=seed) for seed in (1, 2)]
    asked = []

    def evaluate(run, on, partitions, *, tell):
        asked.append((run.pk, str(on), partitions))
        return {"train_pairs": 3, **{name: metrics(0.7)[name] for name in partitions}}

    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    told = command("report", "small@1", "other@1", "snli-7", "--train-missing", "--seeds", "1")
    assert told.failure == ""
    assert sorted(asked) == [(run.pk, "other@1", ["train", "test"]) for run in runs]
    assert "70.0%" in told.out
    assert not any(f"run {run.pk} on other@1" in told.out for run in runs)


def test_missing_runs_are_queued_once_and_count_when_they_are_done(snapshot):
    told = command("report", "small@1", "snli-6", "--train-missing", "--seeds", "2")
    assert told.failure == ""
    children = TrainingRun.objects.filter(parent__isnull=False)
    assert sorted({(run.baseline, run.seed) for run in children}) == [
        (baseline, seed) for baseline in ("lstm", "rnn", "sum_of_words") for seed in (1, 2)
    ]
    assert children.count() == 6, "a cell of train and one of test ask for the same run"
    again = command("report", "small@1", "snli-6", "--train-missing", "--seeds", "2")
    assert TrainingRun.objects.filter(parent__isnull=False).count() == 6
    assert "rnn on small@1: run" in again.out
    assert "is queued" in again.out


def test_wrong_names_are_said(snapshot):
    assert "There is no table 'snli-9'" in command("report", "small@1", "snli-9").failure
    assert "Name a snapshot before the table" in command("report", "snli-6").failure
    assert "named twice" in command("report", "small@1", "small@1", "snli-7").failure
    assert "needs no runs" in command("report", "small@1", "genres", "--train-missing").failure


def test_report_takes_as_many_seeds_as_train(snapshot):
    bounds = f"'{MOST_CHILDREN + 1}' is not a whole number from 1 to {MOST_CHILDREN}"
    too_many = ("--seeds", str(MOST_CHILDREN + 1))
    assert bounds in command("report", "small@1", "snli-6", *too_many).failure
    assert bounds in command("train", "small@1", "--baseline", "cbow", *too_many).failure
    assert command("report", "small@1", "snli-6", "--seeds", str(MOST_CHILDREN)).failure == ""


def test_the_page_shows_all_tables_with_their_runs_and_what_is_missing(browser_of, rosa, snapshot):
    run = scored(snapshot, "lstm")
    page = browser_of(rosa).get(f"/snapshots/{snapshot.pk}/result-tables/").content.decode()
    assert all(f'id="{name}"' in page for name in TABLES)
    assert f'href="/runs/{run.pk}/"' in page
    assert "rnn on small@1" in page
    assert "50.0% (above 33.3%, p = 0.5)" in page
    assert '<a href="#snli-6">' in page  # 20 tables are found by a list of them
    assert "<code>train --sizes</code>" in page
    assert "`" not in page
    assert "of the runs of the row against majority (the commonest gold label of these pairs)" in page
    assert (
        browser_of(rosa).get(f"/snapshots/{snapshot.pk}/result-tables/?with=none@1&with=small@1").status_code
        == 200
    )


def test_the_page_asks_as_many_queries_for_many_runs_as_for_few(browser_of, rosa, snapshot):
    browser = browser_of(rosa)
    scored(snapshot, "lstm")
    few = queries(browser, snapshot)
    for seed in (2, 3):
        scored(snapshot, "lstm", seed=seed)
        scored(snapshot, "cbow", seed=seed)
    assert queries(browser, snapshot) == few


def queries(browser, snapshot) -> int:
    with CaptureQueriesContext(connection) as captured:
        browser.get(f"/snapshots/{snapshot.pk}/result-tables/")
    return len(captured)


def test_scores_are_read_once_for_all_tables(snapshot, django_assert_max_num_queries):
    scored(snapshot, "lstm")
    scores = Scores([snapshot])
    with django_assert_max_num_queries(14):
        for name in TABLES:
            fill(name, [snapshot], scores=scores)


def test_presets_are_told_apart_and_named(snapshot, browser_of, rosa):
    scored(snapshot, "lstm", accuracy=0.5)
    for seed in (1, 2):
        scored(snapshot, "lstm", accuracy=0.6, preset="paper", seed=seed)
    scored(snapshot, "lstm", accuracy=0.9, config={"epochs": "1"})
    for preset, mean in (("", 0.6), ("default", 0.5), ("paper", 0.6)):
        scores = Scores([snapshot], preset)
        assert cell("snli-6", [snapshot], "LSTM", "test", scores=scores).mean == pytest.approx(mean)
    report = fill("snli-6", [snapshot], scores=Scores([snapshot], "paper"))
    assert report.settings == {"lstm": "preset paper"}
    assert {request["preset"] for request in report.requests()} == {"paper"}
    assert "rnn on small@1 (preset paper)" in report.missing
    assert (
        "Settings: lstm preset default." in command("report", "small@1", "snli-6", "--preset", "default").out
    )
    page = browser_of(rosa).get(f"/snapshots/{snapshot.pk}/result-tables/?preset=default").content.decode()
    assert "Settings: lstm preset default." in page
    assert '<option value="default" selected>' in page


def test_missing_runs_are_queued_with_the_preset(snapshot):
    command("report", "small@1", "snli-6", "--preset", "paper", "--train-missing", "--seeds", "1")
    lstm = TrainingRun.objects.get(baseline="lstm")
    assert lstm.config == dict(sorted(BASELINES["lstm"].PAPER.items()))


def test_a_baseline_that_differs_in_a_part_alone_is_of_the_same_preset(snapshot):
    scored(snapshot, "lexicalized", accuracy=0.4, config={"cross_bigrams": "false"})
    scored(snapshot, "lexicalized", accuracy=0.9, config={"cross_bigrams": "false", "l2": "9"})
    scores = Scores([snapshot], "default")
    assert cell("snli-5", [snapshot], "Unigrams only", "small@1 test", scores=scores).mean == 0.4


def test_figure_4_is_data_for_a_chart(snapshot, browser_of, rosa):
    for seed, accuracy in ((1, 0.3), (2, 0.5)):
        scored(snapshot, "lstm", seed=seed, accuracy=accuracy, regime={"most": 2})
    run = scored(snapshot, "lstm", accuracy=0.7)
    scored(snapshot, "lexicalized", accuracy=0.6)
    told = browser_of(rosa).get(f"/api/v1/snapshots/{snapshot.pk}/learning-curves/").json()
    curves = {each["system"]: each["points"] for each in told}
    assert curves.keys() == {"LSTM", "Lexicalized"}
    small, large = curves["LSTM"]
    assert (small["pairs"], small["mean"], len(small["runs"])) == (2, pytest.approx(0.4), 2)
    assert small["spread"] == pytest.approx(0.1414, abs=1e-4)
    assert (large["pairs"], large["mean"], large["spread"], large["runs"]) == (18, 0.7, None, [run.pk])


def test_figure_4_is_drawn_as_svg_without_a_browser(snapshot):
    told = command("report", "small@1", "figure-4", "--format", "svg")
    assert "there is none yet" in told.failure
    assert "--sizes" in told.failure
    scored(snapshot, "lstm", accuracy=0.3, regime={"most": 2})
    scored(snapshot, "lstm", accuracy=0.7)
    picture = ElementTree.fromstring(command("report", "small@1", "figure-4", "--format", "svg").out)
    names = [one.tag.rpartition("}")[2] for one in picture.iter()]
    assert (names.count("polyline"), names.count("circle")) == (1, 2)
    assert "snli-6 is no picture" in command("report", "small@1", "snli-6", "--format", "svg").failure


def test_a_learning_curve_without_runs_names_them_by_tens():
    snapshot = small_snapshot(8)
    report = fill("figure-4", [snapshot])
    assert [title for title, _ in report.rows] == ["10", "all"], "there are 18 training pairs"
    assert {(one["baseline"], one["regime"].get("most")) for one in report.requests()} == {
        (baseline, size) for baseline in ("lexicalized", "lstm") for size in (10, None)
    }
    assert report.columns == ["Unlexicalized", "Lexicalized", "LSTM"], "the paper's three"
    scored(snapshot, "lstm", regime={"most": 2})
    assert [title for title, _ in fill("figure-4", [snapshot]).rows] == ["2", "all"]
    run = scored(snapshot, "cbow", regime={"most": 2})
    assert cell("figure-4", [snapshot], "2", "cbow").runs == [run.pk], "others follow once they have a curve"


def test_an_empty_table_says_why(snapshot, browser_of, rosa):
    why = "The table is empty: the snapshot has no values for it"
    assert why in command("report", "small@1", "mpe-7").out
    assert why not in command("report", "small@1", "snli-6").out
    assert why in browser_of(rosa).get(f"/snapshots/{snapshot.pk}/result-tables/").content.decode()


def test_a_note_stands_where_it_applies_alone(snapshot):
    other = small_snapshot(3, slug="other")
    notes = {
        count: {name: notes_of(fill(name, snapshots)) for name in TABLES}
        for count, snapshots in ((1, [snapshot]), (2, [snapshot, other]))
    }
    assert notes[1]["snli-7"] == ["Name two snapshots."], "and no other reason why it is empty"
    assert notes[2]["snli-7"] == [L2_AGAIN, "[ ]: published in SNLI, Table 7."]
    second = "With a second snapshot, the table has also"
    assert {name for name in TABLES if second in " ".join(notes[1][name])} == {
        "multinli-3", "multinli-4", "multinli-5", "multinli-6", "mpe-6", "mpe-7", "mpe-8", "mpe-8-1",
    }  # fmt: skip
    assert second not in str(notes[2])
    assert notes[1]["dnc-3"] != notes[2]["dnc-3"]
    empty = notes[2]["mpe-7"]
    assert ("further snapshot" in str(empty), len(empty)) == (False, 1)


def test_the_notes_of_figure_4_are_those_of_its_runs(snapshot):
    assert "go by tens" in str(notes_of(fill("figure-4", [snapshot])))
    scored(snapshot, "lstm", regime={"most": 2})
    assert "go by tens" not in str(notes_of(fill("figure-4", [snapshot])))
    assert "each other baseline" not in str(notes_of(fill("figure-4", [snapshot])))
    scored(snapshot, "cbow", regime={"most": 2})
    assert "each other baseline" in str(notes_of(fill("figure-4", [snapshot])))


def test_nothing_is_pre_trained_on_itself(snapshot):
    report = fill("dnc-3", [snapshot])
    assert [one["baseline"] for one in report.requests()] == ["infersent", "hypothesis_only"]
    assert "a further snapshot is not named" in report.missing


def with_labels(slug: str, scheme: str, *labels: str) -> Snapshot:
    """Makes a small snapshot in which each label of `LABELS` is one of another scheme, in its files, too."""
    found = small_snapshot(3, slug=slug)
    names = dict(zip(LABELS, labels, strict=True))
    own = Case(*(When(gold_label=old, then=Value(new)) for old, new in names.items()))
    found.pairs.update(gold_label=own, scheme=scheme)
    for partition in PARTITIONS:
        there = [{**line, "gold_label": names[line["gold_label"]]} for line in lines(found, partition)]
        path = found.folder / PARTITION_FILES[partition]
        path.chmod(0o600)
        path.write_text("".join(json.dumps(line) + "\n" for line in there))
    Corpus.objects.filter(pk=found.corpus_id).update(scheme=scheme)
    return Snapshot.objects.select_related("corpus").get(pk=found.pk)


def test_dnc_3_reads_snapshots_with_different_labels_as_two_classes(snapshot):
    """MultiNLI's three labels and a five-point scale beside two classes, as in the paper (footnote 17, appendix B.4)."""
    recast = with_labels("recast", "entailed2", "entailed", "not-entailed", "not-entailed")
    named = [snapshot, recast, with_labels("relations", "ordinal5", "5", "3", "1")]
    for one in named:
        store_composition(one, "test")
    majority = dict(fill("dnc-3", named).rows)["Majority"]
    assert [each.mean for each in majority] == [pytest.approx(2 / 3)] * 2
    assert "learnt and read as two" in str(notes_of(fill("dnc-3", named)))
    assert "learnt and read as two" not in str(notes_of(fill("dnc-3", named[:1])))
    for _ in range(3):  # the runs before an update come first
        assert command("report", *map(str, named), "dnc-3", "--train-missing", "--seeds", "1").failure == ""
        for run in TrainingRun.objects.filter(status="queued"):
            record_result(run=claimed(run), metrics=metrics())
    assert fill("dnc-3", named).requests() == []
    how = [(run.snapshot.corpus.slug, run.regime) for run in TrainingRun.objects.filter(baseline="infersent")]
    assert [regime.get("collapse", False) for slug, regime in how] == [slug != "recast" for slug, _ in how]
    assert len(how) == 5  # on each snapshot, and an update on each column


def test_dnc_3_has_rows_for_each_source_of_pre_training(snapshot):
    """The paper has two: the DNC as a whole, and MultiNLI."""
    named = [snapshot, small_snapshot(3, slug="second"), small_snapshot(3, slug="third")]
    update = "InferSent, pre-trained on second@1 (update)"
    assert update not in means(fill("dnc-3", named))
    before = scored(named[1], "infersent")
    after = scored(named[2], "infersent", regime={"start": {"run": before.pk, "how": "update"}}, accuracy=0.7)
    record_evaluation(run=before, snapshot=named[2], metrics={"test": metrics(0.6)["test"]})
    found = fill("dnc-3", named)
    assert means(found)[update] == [None, 0.7]
    assert means(found)["InferSent, trained on second@1 (fixed)"] == [None, 0.6]
    assert means(found)["InferSent, pre-trained on small@1 (update)"] == [None, None]
    assert cell("dnc-3", named, update, "third@1").runs == [after.pk]
    assert means(found)[f"{update}: points gained"] == [None, None]
    scored(named[2], "infersent", accuracy=0.5)
    found = fill("dnc-3", named)
    assert means(found)[f"{update}: points gained"] == [None, pytest.approx(0.2)]
    assert [one.mean for one in found.best()] == [0.7], "the best score, not the gain"


def counted(snapshot) -> None:
    for partition in PARTITIONS:
        store_composition(snapshot, partition)


def means(report) -> dict[str, list[object]]:
    return {title: [one.mean for one in cells] for title, cells in report.rows}


def test_mpe_6_has_each_label_of_each_regime(snapshot):
    run = scored(snapshot, "conditional_lstm", wrong=1, accuracy=2 / 3)
    scored(snapshot, "lstm", accuracy=0.9)  # SNLI's, which MPE's section 6 found worse
    report = fill("mpe-6", [snapshot], tests=True)
    found = means(report)
    assert list(found) == ["first snapshot only", *(f"first snapshot only: {each}" for each in LABELS)]
    place = report.columns.index("LSTM")
    assert found["first snapshot only"][place] == pytest.approx(2 / 3)
    by_label = [found[f"first snapshot only: {each}"][place] for each in LABELS]
    assert sorted(by_label) == [0, 1, 1], "one of three pairs is wrong"
    of_a_label = cell("mpe-6", [snapshot], "first snapshot only: neutral", "LSTM", tests=True)
    assert (of_a_label.runs, of_a_label.p) == ([run.pk], None), "within a label the majority is always right"
    assert cell("mpe-6", [snapshot], "first snapshot only", "LSTM", tests=True).p is not None
    both = fill("mpe-6", [snapshot, small_snapshot(3, slug="other")])
    assert [title for title, _ in both.rows if ":" not in title] == [
        "second snapshot only", "first snapshot only", "second, then first",
    ]  # fmt: skip


def test_mpe_7_and_8_also_show_readers_that_learnt_from_the_second_snapshot_first(snapshot):
    other = small_snapshot(3, slug="other")
    for name in ("mpe-7", "mpe-8"):
        alone, both = (fill(name, snapshots).columns for snapshots in ([snapshot], [snapshot, other]))
        assert set(both) - set(alone) == {
            f"{reader}, second then first" for reader in ("LSTM", "Sum of experts", "Attention")
        }


def test_hypothesis_only_by_label_stands_beside_the_share_of_the_label(snapshot):
    scored(snapshot, "hypothesis_only", wrong=1)
    counted(snapshot)
    found = list(means(fill("hyponly-3", [snapshot])).values())
    assert sorted(cells[0] for cells in found) == [0, 1, 1]
    assert all(cells[1] == pytest.approx(1 / 3) for cells in found)
    assert sorted(cells[2] for cells in found) == pytest.approx([-1, 2, 2])


def test_the_best_premise_reader_stands_beside_the_hypothesis_only_model(snapshot):
    column = "best model that reads premises"
    scored(snapshot, "hypothesis_only", accuracy=0.99)
    assert (
        cell("hyponly-2", [snapshot], "small@1", column).missing == "a model that reads premises on small@1"
    )
    best = [scored(snapshot, "esim", seed=seed, accuracy=0.6 + seed / 10) for seed in (1, 2)]
    scored(snapshot, "cbow", accuracy=0.7)
    scored(snapshot, "lstm", accuracy=0.98, regime={"most": 2})
    found = cell("hyponly-2", [snapshot], "small@1", column)
    assert (found.mean, sorted(found.runs)) == ("esim 75.0%", [run.pk for run in best])


def test_the_data_sets_are_named_with_their_creation_protocol(snapshot):
    assert cell("hyponly-1", [snapshot], "small@1", "creation protocol").mean == "elicited"


def test_sizes_of_further_snapshots_stand_below_those_of_phenomena(snapshot):
    other = small_snapshot(4, slug="other")
    for one in (snapshot, other):
        counted(one)
    found = means(fill("dnc-2", [snapshot, other]))
    assert found["small@1"] == [snapshot.pairs.exclude(gold_label=None).count(), None]
    assert found["other@1"] == [other.pairs.exclude(gold_label=None).count(), None]


def test_phenomena_that_one_part_alone_has_stand_in_the_tables_of_the_dnc(snapshot):
    corpus = corpus_of(4, slug="recast")
    Pair.objects.filter(corpus=corpus).update(metadata={"corpus": "VerbNet"})
    add_genre(corpus, "puns", in_training=False)
    held_out = add_premises(corpus, ["A pun.", "A second pun."], genre="puns")
    Pair.objects.filter(premise__in=held_out).update(metadata={"corpus": "SemEval"})
    recast = Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)
    counted(recast)
    rows = [row for row, _ in fill("dnc-2", [recast]).rows]
    assert rows == ["fiction", "puns", "VerbNet", "SemEval", "combined"]
    assert [row for row, _ in fill("dnc-1", [recast]).rows] == ["fiction", "puns"]


def test_dnc_2_says_how_the_pairs_were_recast_where_their_files_say_it(snapshot):
    corpus = corpus_of(4, slug="recast")
    ways = {"VerbNet": ("automatic",), "MegaVeridicality": ("automatic", "manual"), "FACC1": ()}
    told = [(name, way) for name, each in ways.items() for way in each or (None,)]
    for number, pair in enumerate(Pair.objects.filter(corpus=corpus).order_by("pk")):
        name, way = told[number % len(told)]
        pair.metadata = {"corpus": name} | ({"creation-approach": way} if way else {})
        pair.save(update_fields=["metadata"])
    recast = Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)
    out = command("report", str(recast), str(snapshot), "dnc-2", "--format", "csv").out
    rows = {row["phenomenon or data set"]: row for row in csv.DictReader(io.StringIO(out))}
    shown = {name: row["automated"] for name, row in rows.items()}
    assert shown == {
        "fiction": "automatic, manual", "VerbNet": "automatic", "MegaVeridicality": "automatic, manual", "FACC1": "",
        "combined": "automatic, manual", str(recast): "automatic, manual", str(snapshot): "",
    }  # fmt: skip
    assert "does not say how its pairs were recast" in rows["FACC1"]["automated missing"]


def test_how_pairs_were_recast_is_counted_for_a_snapshot_that_was_counted_before(snapshot):
    corpus = corpus_of(4, slug="recast")
    Pair.objects.filter(corpus=corpus).update(
        metadata={"corpus": "VerbNet", "creation-approach": "automatic"}
    )
    recast = Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)
    counted(recast)
    Breakdown.objects.filter(dimension__contains="approach").delete()
    assert "automatic" in command("report", str(recast), "dnc-2").out


def test_multinli_3_has_the_figures_of_the_table_genres(snapshot):
    counted(snapshot)
    assert "report small@1 genres" in fill("multinli-3", [snapshot]).rows[0][1][3].missing
    made = command("report", "small@1", "genres", "--format", "csv").out
    (genres,) = list(csv.DictReader(io.StringIO(made)))  # one genre, which is all there is
    run = scored(snapshot, "esim", accuracy=0.6)
    row = genres["genre"]
    for column in ("words a premise", "agreement"):
        found = cell("multinli-3", [snapshot], row, column)
        assert found.mean == pytest.approx(float(genres[column]))
    assert cell("multinli-3", [snapshot], row, "ESIM").runs == [run.pk]
    assert "which its files do not give" in cell("multinli-3", [snapshot], row, "S-rooted premises").missing
    other = small_snapshot(3, slug="other")
    assert next(title for title, _ in fill("multinli-3", [snapshot, other]).rows) == "other@1"


def test_the_command_counts_the_figures_that_multinli_3_needs(snapshot):
    out = command("report", "small@1", "multinli-3", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert float(rows[-1]["words a premise"]) > 0
    assert [row["genre"] for row in rows] == ["fiction"], "one genre is all there is"


def test_frequencies_of_tags_stand_beside_those_of_the_second_snapshot(snapshot):
    other = small_snapshot(3, slug="other")
    for one, wh, every in ((snapshot, 2, 4), (other, 1, 4)):
        for name, rows in (("label", every), ("tag_substring", wh)):
            value = "entailment" if name == "label" else "wh_words"
            Breakdown.objects.create(
                snapshot=one,
                partition="dev",
                dimension=name,
                rows=[[value, rows, None, {"entailment": rows}]],
            )
    report = fill("multinli-6", [snapshot, other])
    assert report.columns[:3] == ["frequency", "frequency in other@1", "difference"]
    found = means(report)
    assert found["all pairs"][:3] == [1, 1, 0]
    assert found["Wh-words (Penn)"][:3] == [0.5, 0.25, 0.25]
    Breakdown.objects.filter(snapshot=other, dimension="tag_substring").delete()
    assert cell("multinli-6", [snapshot, other], "Wh-words (Penn)", "frequency in other@1").mean is None


def test_a_part_without_pairs_has_none_and_misses_nothing():
    snapshot = small_snapshot(3, dev=0)
    counted(snapshot)
    found = dict(zip(("train", "dev", "test"), fill("multinli-3", [snapshot]).rows[0][1], strict=False))
    assert (found["dev"].mean, found["dev"].missing) == (0, "")
    no_bar = cell("hyponly-2", [snapshot], "small@1", "dev majority").missing
    assert no_bar == "small@1 has no pair with a gold label in dev"
    assert found["test"].mean == snapshot.pairs.filter(partition="test").count()
