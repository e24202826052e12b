"""Charts of a snapshot's statistics: their findings, and the same numbers in table, CSV and REST."""

import csv
import io
import math

import pytest

from shared.intervals import wilson
from snapshots.models import SnapshotStatistics
from snapshots.statistics import artifacts, corpus
from snapshots.statistics.charts import charts_of
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.charted import charted_corpus, charts_in
from tests.corpora import LABELS
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db


@made_once
def snapshot():
    found = freeze(charted_corpus(extra=False))
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=found, kind=kind).pk)
    return found


def data(snapshot, kind):
    return SnapshotStatistics.objects.get(snapshot=snapshot, kind=kind).data


def without_links(chart):
    """The page links the rows of a chart to their pairs."""
    rows = [{key: row[key] for key in row if key not in ("href", "hrefs")} for row in chart["rows"]]
    return {**chart, "rows": rows}


def test_page_rest_and_csv_have_the_same_numbers(snapshot, browser_of, api_of, rosa):
    address = f"/snapshots/{snapshot.pk}/statistics/"
    on_page = charts_in(browser_of(rosa).get(address).content)
    assert set(on_page) >= {
        "genres",
        "length_distribution",
        "overlap",
        "labels",
        "votes",
        "words",
        "answerable",
    }
    for kind in ("corpus", "artifacts"):
        told = (
            api_of(rosa).get(f"/api/v1/snapshots/{snapshot.pk}/statistics/{kind}/", {"as": "charts"}).json()
        )
        for chart in told["charts"]:
            assert without_links(on_page[chart["key"]]) == without_links(chart)
            file = browser_of(rosa).get(f"{address}{chart['key']}.csv", {"of": "chart"})
            header, *rows = csv.reader(io.StringIO(file.content.decode()))
            assert header == [column["key"] for column in chart["columns"]]
            assert len(rows) == len(chart["rows"])
            shown = ["" if (value := chart["rows"][0].get(key)) is None else str(value) for key in header]
            assert rows[0] == shown
    assert browser_of(rosa).get(f"{address}lengths.csv", {"of": "chart"}).status_code == 404


def test_sizes_and_votes_are_those_of_the_snapshot(snapshot):
    charts = {chart.key: chart for chart in charts_of("corpus", data(snapshot, "corpus"), {})}
    assert {row["genre"]: row["train"] for row in charts["genres"].rows} == {"fiction": 90, "telephone": 72}
    assert charts["genres"].title == "162 pairs of 2 genres: the most frequent genre is fiction (55.6%)."
    whole = charts["votes"].rows[0]
    splits = [key for key in whole if key not in ("gold label", "pairs")]
    assert sum(whole[split] for split in splits) == pytest.approx(1)
    assert charts["votes"].title.endswith("(SNLI 58.3%, MultiNLI 58.2%).")
    faint = {row["gold label"]: row["faint"] for row in charts["votes"].as_json()["rows"]}
    assert (faint["all"], faint["no gold label"]) == (False, True), "four pairs have no gold label"


@pytest.mark.parametrize(("premises", "said"), [(4, ", by gold label."), (31, " is 0.75 in each label.")])
def test_equal_overlaps_are_said_to_be_equal_of_enough_pairs(premises, said):
    found = freeze(corpus_of(premises))
    compute_statistics(statistics_id=request_statistics(snapshot=found, kind="corpus").pk)
    charts = {chart.key: chart for chart in charts_of("corpus", data(found, "corpus"), {})}
    title = charts["overlap"].title
    assert title == f"The mean share of a hypothesis’s words that occur in its premise{said}"


def test_the_curve_of_give_away_words_divides_the_significant_from_the_others(snapshot):
    figures = data(snapshot, "artifacts")
    (chart,) = [chart for chart in charts_of("artifacts", figures, {}) if chart.key == "words"]
    assert chart.title.startswith(
        "At least one word goes with a label more often than chance allows, above all “nobody”"
    )
    pairs, tests = figures["pairs"], figures["listed_words"] * 3
    share = round(pairs["contradiction"] / sum(pairs.values()), 2)
    curve = next(
        each
        for each in chart.draw["curves"]
        if "contradiction" in each["name"] or " for " not in each["name"]
    )
    for n, p in curve["lines"][0]:
        z = (p - share) / math.sqrt(share * (1 - share) / n)
        assert math.erfc(z / math.sqrt(2)) * tests == pytest.approx(0.05, rel=1e-6)
    assert {row["word"] for row in chart.rows if row["significant"] == "yes"} == {"nobody"}


def test_wilsons_interval_is_that_of_a_library():
    from statsmodels.stats.proportion import proportion_confint

    for hits, number in ((0, 12), (3, 10), (50, 50), (400, 1000)):
        ends = proportion_confint(hits, number, alpha=0.05, method="wilson")
        assert wilson(hits / number, number) == pytest.approx(ends, abs=1e-4)
    assert wilson(None, 5) == wilson(0.5, 0) == (None, None)


def test_a_snapshot_without_pairs_has_no_empty_charts():
    whole = corpus.measure([], labels=LABELS, seats=5)
    assert charts_of("corpus", whole, {}) == []
    words = artifacts.measure(lambda: [], labels=LABELS)
    assert charts_of("artifacts", words, {}) == []
