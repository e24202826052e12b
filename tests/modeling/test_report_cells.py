"""What stands in one cell of the papers' tables: runs alike in all but their seed, and the paper's own regime."""

import pytest

from annotation_site.intake.jobs import work
from collection.models import Pair, PairImportJob
from modeling.launching.actions import request_sweep
from modeling.models import Breakdown, TrainingRun
from modeling.reports.cells import Selection
from modeling.reports.definitions import TABLES
from modeling.reports.filling import entries, fill
from modeling.reports.rendering import notes_of, rendered, texts_of
from modeling.reports.scores import Scores
from modeling.results.breakdowns import store_composition
from modeling.running import evaluating
from modeling.running.actions import record_result
from snapshots.models import Snapshot
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import claimed, done_run, metrics, small_snapshot
from tests.modeling.test_reports import cell, counted, scored, with_labels
from tests.snapshots.material import add_genre, add_premises, corpus_of, freeze

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

snapshot = made_once(small_snapshot, 3)


def runs_of(name, snapshots, row, column, **more):
    return sorted(cell(name, snapshots, row, column, **more).runs)


OTHER_REGIMES = [
    {"most": 2},
    {"genre": "fiction"},
    {"hypothesis_only": True},
    {"soft_labels": True},
    {"collapse": True},
    {"mixed": [{"snapshot": "other@1"}]},
]


@pytest.mark.parametrize("regime", OTHER_REGIMES, ids=lambda regime: next(iter(regime)))
def test_a_run_of_any_other_regime_is_not_in_the_cell_of_a_plain_one(snapshot, regime):
    other = small_snapshot(3, slug="other")
    plain = done_run(snapshot, "cbow", accuracy=0.5)
    done_run(snapshot, "cbow", accuracy=0.9, seed=2, regime=regime)
    where = ("multinli-4", [snapshot, other], "CBOW, trained on the first snapshot", "other@1")
    assert [one.pk for one in Scores([snapshot, other]).matching(cell_of(*where))] == [plain.pk]


def cell_of(name, snapshots, row, column):
    """Returns the selection of a cell."""
    scores = Scores(snapshots)
    rows, columns = (dict(entries(axis, scores)) for axis in (TABLES[name].rows, TABLES[name].columns))
    return Selection(**{**columns[column], **rows[row]})


def test_both_mixed_is_the_papers_regime_and_no_other(snapshot):
    """MultiNLI, section 3: 15% of SNLI, drawn anew each epoch."""
    other = small_snapshot(3, slug="other")
    for entry in ({}, {"share": 0.5}, {"share": 0.15, "most": 4}, {"most": 4}):
        done_run(snapshot, "cbow", regime={"mixed": [{"snapshot": "other@1", **entry}]}, accuracy=0.9)
    report = fill("multinli-4", [snapshot, other])
    assert "cbow on small@1 (with 15% of other@1)" in report.missing
    wanted = [one for one in report.requests() if "mixed" in one["regime"]]
    assert {str(one["regime"]) for one in wanted} == {"{'mixed': [{'snapshot': 'other@1', 'share': 0.15}]}"}
    assert "15% of the second, drawn anew for each epoch" in str(notes_of(report))
    ours = done_run(snapshot, "cbow", regime={"mixed": [{"snapshot": "other@1", "share": 0.15}]})
    assert Scores([snapshot, other]).matching(
        cell_of("multinli-4", [snapshot, other], "CBOW, both mixed", "other@1")
    ) == [ours]


def test_single_genres_have_the_papers_dropout_and_one_sample_of_the_second_snapshot(snapshot):
    """MultiNLI, section 3 and footnote 1: a single sample of 15% of SNLI, dropout .2."""
    other = small_snapshot(9, slug="other")
    for one in (snapshot, other):
        store_composition(one, "train")
        store_composition(one, "test")
    report = fill("multinli-5", [snapshot, other])
    pairs = other.pairs.filter(partition="train", gold_label__isnull=False).count()
    wanted = {str(one["snapshot"]): one for one in report.requests() if one["config"]}
    assert wanted["other@1"]["regime"] == {"most": round(0.15 * pairs)}
    assert wanted["small@1"]["regime"] == {"genre": "fiction"}
    assert [one["config"] for one in wanted.values()] == [{"dropout": "0.2"}] * 2
    scored(snapshot, "cbow", regime={"genre": "fiction"})
    assert cell("multinli-5", [snapshot, other], "fiction", "fiction").runs == []
    ours = scored(snapshot, "cbow", regime={"genre": "fiction"}, config={"dropout": "0.2"})
    found = cell("multinli-5", [snapshot, other], "fiction", "fiction")
    assert (found.runs, found.other) == ([ours.pk], ""), "the row's own settings need no mark"


def test_what_a_run_starts_from_is_part_of_the_cell(snapshot):
    """An update of a run that learnt from two pairs, or with other settings, is another experiment."""
    other = small_snapshot(3, slug="other")
    starts = [
        done_run(other, "lstm"),
        done_run(other, "lstm", config={"epochs": "3"}),
        done_run(other, "lstm", regime={"most": 2}),
    ]
    after = [
        done_run(snapshot, "lstm", regime={"start": {"run": one.pk, "how": "transfer"}}, seed=seed)
        for seed, one in enumerate(starts, start=1)
    ]
    named = [other, snapshot]
    assert runs_of("snli-7", named, "First and second (transfer)", "test") == [after[0].pk]


def test_a_later_search_changes_no_table(snapshot):
    plain = done_run(snapshot, "lstm", accuracy=0.5)
    before = rendered(fill("snli-6", [snapshot]), "csv")
    sweep = request_sweep(snapshot=snapshot, baseline="lstm", seeds=(1, 2), search={"dropout": ["0", "0.5"]})
    for child in sweep.children.all():
        record_result(run=claimed(child), metrics=metrics(0.9 if child.config["dropout"] else 0.6))
    done_run(snapshot, "lstm", accuracy=0.9, config={"l2": "0.5"})
    assert rendered(fill("snli-6", [snapshot]), "csv") == before
    plain.delete()
    TrainingRun.objects.filter(config__has_key="l2").delete()
    chosen = cell("snli-6", [snapshot], "LSTM", "test")
    assert (chosen.mean, len(chosen.runs), chosen.other) == (0.9, 2, "lstm dropout=0.5")


def test_where_the_paper_tunes_l2_again_the_row_has_the_run_that_dev_chose(snapshot):
    """SNLI, section 4: the transfer alone has an L2 of its own. Searches over other settings are not the paper's."""
    other = small_snapshot(3, slug="other")
    named, row = [other, snapshot], ("First and second (transfer)", "test")
    regime = {"start": {"run": done_run(other, "lstm").pk, "how": "transfer"}}
    plain = done_run(snapshot, "lstm", regime=regime)

    def search(**values):
        asked = {"snapshot": snapshot, "baseline": "lstm", "seeds": (1,), "regime": regime}
        sweep = request_sweep(**asked, search=values)
        for place, child in enumerate(sweep.children.order_by("pk")):
            record_result(run=claimed(child), metrics=metrics(0.6 + place / 10))

    search(dropout=["0", "0.5"])
    assert runs_of("snli-7", named, *row) == [plain.pk]
    search(l2=["0", "0.001"])
    found = cell("snli-7", named, *row)
    assert (found.mean, found.other) == (0.7, "")
    search(l2=["0", "0.01"])
    assert cell("snli-7", named, *row).runs == found.runs, "a later search changes no table"
    assert runs_of("snli-7", named, "Second snapshot only", "test") == []
    with_preset = fill("snli-7", named, scores=Scores(named, "default"))
    assert dict(with_preset.rows)["First and second (transfer)"][1].runs == found.runs


@pytest.mark.parametrize("first", [0, 1])
def test_of_equally_many_seeds_those_of_a_preset_are_shown(snapshot, first):
    made = [{"config": {"epochs": "3"}}, {"preset": "paper"}]
    runs = [done_run(snapshot, "lstm", **made[place]) for place in (first, 1 - first)]
    assert runs_of("snli-6", [snapshot], "LSTM", "test") == [runs[1 - first].pk]


def test_cells_with_other_settings_are_marked_and_say_which(snapshot):
    done_run(snapshot, "rnn")
    done_run(snapshot, "lstm", config={"dropout": "0.5"})
    report = fill("snli-6", [snapshot])
    texts = dict(texts_of(report))
    assert texts["LSTM"][1] == "50.0% † [77.6%]"
    assert texts["RNN"][1] == "50.0% [72.2%]"
    notes = str(notes_of(report))
    assert "† Other settings than a preset's or the paper's. LSTM: lstm dropout=0.5." in notes
    assert "Settings: rnn preset default." in notes


def test_a_p_value_says_on_which_side_of_the_bar_it_is(snapshot):
    """An accuracy below the commonest label must not read as a success."""
    scored(snapshot, "lstm", wrong=3, accuracy=0.0)
    scored(snapshot, "rnn", wrong=0, accuracy=1.0)
    texts = dict(texts_of(fill("snli-6", [snapshot], tests=True)))
    assert texts["LSTM"][1] == "0.0% (below 33.3%, p = 1) [77.6%]"
    assert texts["RNN"][1] == "100.0% (above 33.3%, p = 0.5) [72.2%]"
    assert "test bar" in rendered(fill("snli-6", [snapshot], tests=True), "csv").splitlines()[0]


def test_train_missing_says_when_to_repeat_it(snapshot):
    told = command("report", "small@1", "snli-6", "--train-missing", "--seeds", "1").err
    assert "Repeat this command when they are done" in told
    assert "Repeat" in command("report", "small@1", "snli-6", "--train-missing", "--seeds", "1").err
    for run in TrainingRun.objects.filter(status="queued"):
        record_result(run=claimed(run), metrics=metrics())
    assert "Repeat" not in command("report", "small@1", "snli-6", "--train-missing", "--seeds", "1").err


def asked(browser, address, **form) -> PairImportJob:
    """Has a page complete a table, does the work, and returns the job."""
    answer = browser.post(address, {"do": "import", **form})
    job = PairImportJob.objects.latest("pk")
    assert answer["Location"] == f"/imports/{job.pk}/"
    work(job.pk)
    job.refresh_from_db()
    return job


def test_a_page_completes_a_table_as_the_command_does(snapshot, browser_of, rosa, sent):
    second, browser = small_snapshot(3, slug="second"), browser_of(rosa)
    tables = f"/snapshots/{snapshot.pk}/result-tables/?with=second@1"
    address = f"/snapshots/{snapshot.pk}/tables/snli-7/complete/?with=second%401"
    assert address in browser.get(tables).text
    job = asked(browser, address, seeds="2")
    assert (job.kind, job.status, job.dry_run) == ("table", "done", False)
    runs = TrainingRun.objects.filter(status="queued")
    assert {run.seed for run in runs} == {1, 2}
    assert {run.snapshot for run in runs} == {snapshot, second}
    page = browser.get(f"/imports/{job.pk}/").text
    assert f"Queued run {job.report['runs'][0]}: lstm on small@1" in page
    assert "Start this again when they are done" in page
    again = asked(browser, f"/imports/{job.pk}/")
    assert (again.report["runs"], again.report["lines"][0].partition(" are under way")[0]) == (
        [],
        "Some runs",
    )
    for run in runs:
        record_result(run=claimed(run), metrics=metrics())
    third = asked(browser, f"/imports/{job.pk}/").report["runs"]
    starts = TrainingRun.objects.filter(pk__in=third).values_list("regime__start__how", flat=True)
    assert set(starts) == {"transfer"}


def test_a_page_scores_what_a_table_over_runs_lacks(snapshot, browser_of, rosa, monkeypatch):
    second, run = small_snapshot(3, slug="second"), done_run(snapshot, "cbow", accuracy=0.5)
    evaluated = []

    def evaluate(run, on, partitions, *, tell):
        evaluated.append((run.pk, str(on), partitions))
        raise evaluating.EvaluationFailed("The evaluation was killed.")

    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    address = f"/snapshots/{snapshot.pk}/tables/challenge/complete/?with=second@1&partition=dev"
    job = asked(browser_of(rosa), address)
    assert evaluated == [(run.pk, str(second), ["dev"])]
    assert job.report["lines"] == [f"run {run.pk} on second@1 dev: The evaluation was killed."]


def test_a_table_that_no_run_completes_is_refused(snapshot, browser_of, rosa, ana):
    browser = browser_of(rosa)
    for name, form, said in (
        ("leaks", {}, "Choose one of: "),
        ("snli-6", {"seeds": "0"}, "“Seeds of each run”: it must be a whole number from 1 to"),
    ):
        address = f"/snapshots/{snapshot.pk}/tables/{name}/complete/"
        assert said in browser.post(address, form, follow=True).text
        assert browser_of(ana).post(address, form).status_code == 403
    assert not PairImportJob.objects.exists()


def test_each_missing_seed_starts_from_the_run_of_its_own_seed(snapshot):
    """Three transfers from one run differ less than transfers from three, as the papers' seeds are."""
    second = small_snapshot(3, slug="second")
    firsts = {seed: scored(snapshot, "lstm", seed=seed).pk for seed in (1, 2)}
    command("report", "small@1", "second@1", "snli-7", "--train-missing", "--seeds", "3")
    runs = TrainingRun.objects.filter(regime__start__how="transfer").exclude(status="sweep")
    starts = {run.seed: run.regime["start"]["run"] for run in runs}
    assert starts in [{**firsts, 3: first} for first in firsts.values()]
    for run in runs:
        record_result(run=claimed(run), metrics=metrics())
    assert runs_of("snli-7", [snapshot, second], "First and second (transfer)", "train") == [
        run.pk for run in runs
    ]


def test_each_phenomenon_of_every_snapshot_has_an_entailed_and_a_not_entailed_example(snapshot):
    """DNC, Tables 1 and 4."""
    corpus = corpus_of(4, slug="recast")
    add_genre(corpus, "puns", in_training=False)
    add_premises(corpus, ["A pun.", "A second pun."], genre="puns")
    recast = Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)
    graded = with_labels("graded", "ordinal5", "5", "3", "1")
    Pair.objects.filter(corpus=graded.corpus).update(hypothesis="Graded.")
    for one in (snapshot, recast, graded):
        counted(one)
    report = fill("dnc-1", [snapshot, recast, graded])
    assert [title for title, _ in report.rows] == ["fiction", "puns"]
    assert report.columns == [
        f"{label}: {side}" for label in ("entailed", "not-entailed") for side in ("context", "hypothesis")
    ]
    for _, cells in report.rows:
        yes, no = cells[1].mean, cells[3].mean
        assert (Pair.objects.filter(hypothesis=yes).exists(), yes != no) == (True, True)
    gold = dict(recast.pairs.values_list("pair__hypothesis", "gold_label"))
    puns = dict(report.rows)["puns"]
    assert gold[puns[1].mean] == "entailment"
    assert gold[puns[3].mean] != "entailment"
    alone = dict(fill("dnc-1", [graded]).rows)["fiction"]
    assert [one.mean for one in alone][1::2] == ["Graded.", "Graded."]


def test_a_snapshot_that_a_table_does_not_show_is_named(snapshot):
    other = small_snapshot(3, slug="other")
    for one in (snapshot, other):
        counted(one)
    told = {name: "Not in this table: other@1." in notes_of(fill(name, [snapshot, other])) for name in TABLES}
    assert {name for name in ("snli-6", "hyponly-3") if told[name]} == {"snli-6", "hyponly-3"}
    assert not any(told[name] for name in ("snli-5", "snli-7", "multinli-4", "dnc-1", "dnc-2", "hyponly-2"))


def test_sizes_are_summed_over_all_snapshots(snapshot):
    """DNC, Table 2: the row Combined."""
    other = small_snapshot(4, slug="other")
    for one in (snapshot, other):
        counted(one)
    found = {title: cells[0].mean for title, cells in fill("dnc-2", [snapshot, other]).rows}
    sizes = [one.pairs.exclude(gold_label=None).count() for one in (snapshot, other)]
    assert found == {"fiction": sum(sizes), "small@1": sizes[0], "other@1": sizes[1], "combined": sum(sizes)}


def test_properties_are_those_of_one_key(snapshot, browser_of, rosa):
    """Hypothesis-only, Table 4, is of one key: the property."""
    rows = [[f"{key}: {value}", 2, None, {"entailment": 2}] for key, value in
            (("xtag", "0.2"), ("property", "aware"), ("property", "moved"), ("secondary", "NP"))]  # fmt: skip
    Breakdown.objects.create(snapshot=snapshot, partition="dev", dimension="property", rows=rows)
    report = fill("hyponly-4", [snapshot])
    assert [title for title, _ in report.rows] == ["aware", "moved"]
    assert "Rows are the values of property; `--key` takes another: secondary, xtag." in notes_of(report)
    chosen = fill("hyponly-4", [snapshot], scores=Scores([snapshot], key="xtag"))
    assert [title for title, _ in chosen.rows] == ["0.2"]
    page = browser_of(rosa).get(f"/snapshots/{snapshot.pk}/result-tables/?key=xtag").content.decode()
    assert "<option selected>xtag</option>" in page
    assert "Rows are the values of xtag" in page
    assert (
        "No pair of dev has the key nothing"
        in command("report", "small@1", "hyponly-4", "--key", "nothing").out
    )


def test_tags_are_named_as_in_the_table_of_tags_and_in_its_order(snapshot):
    tags = ("belief_verbs", "long_sentences", "wh_words", "pronouns")
    for dimension, values in (("label", ("entailment",)), ("tag_substring", tags)):
        rows = [[value, 4, None, {"entailment": 4}] for value in values]
        Breakdown.objects.create(snapshot=snapshot, partition="dev", dimension=dimension, rows=rows)
    report = fill("multinli-6", [snapshot])
    assert [title for title, _ in report.rows] == [
        "all pairs", "Pronouns (Penn)", "Wh-words (Penn)", "Belief verbs", "More than 20 words",
    ]  # fmt: skip
    assert "More than 20 words: of the hypothesis." in str(notes_of(report))
