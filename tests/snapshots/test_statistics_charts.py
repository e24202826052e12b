"""Charts of a snapshot's statistics: their findings, and the same numbers in table, CSV and REST."""

import csv
import io
import json
import math
from itertools import chain

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from shared.figures import FIGURES
from shared.intervals import wilson
from snapshots.models import SnapshotStatistics
from snapshots.statistics import artifacts, corpus
from snapshots.statistics.job import compute_statistics, request_statistics
from snapshots.statistics.pairs import Pair
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


def figures(snapshot, source):
    """Returns name -> the table of each figure that is drawn, as pages show it."""
    counted = data(snapshot, source)
    shown = {name: each.shown(snapshot, counted) for name, each in FIGURES.items() if each.source == source}
    return {name: table for name, table in shown.items() if table.kind}


def test_page_rest_and_csv_have_the_same_numbers(snapshot, browser_of, api_of, rosa):
    on_page = charts_in(browser_of(rosa).get(f"/snapshots/{snapshot.pk}/statistics/").content)
    assert set(on_page) >= {
        *("genres", "length-distribution", "overlap", "labels", "votes", "words", "answerable"),
        "agreement-by-label",
    }
    api, address = api_of(rosa), f"/api/v1/snapshots/{snapshot.pk}/figures/"
    assert set(on_page) < {each["name"] for each in api.get(address).json()}
    for name, chart in on_page.items():
        told = api.get(f"{address}{name}").json()
        assert told.pop("made_at", None) is None
        assert told == chart
        file = api.get(f"{address}{name}", {"as": "csv"})
        header, *rows = csv.reader(io.StringIO(file.content.decode()))
        assert [key.removeprefix("'") for key in header] == [column["key"] for column in chart["columns"]]
        assert len(rows) == len(chart["rows"])
        for row, shown in zip(rows, chart["rows"], strict=True):
            numbers = [
                (value, shown[column["key"]])
                for value, column in zip(row, chart["columns"], strict=True)
                if column["kind"] != "text"
            ]
            assert [value for value, _ in numbers] == [
                "" if each is None else str(each) for _, each in numbers
            ]
    assert api.get(f"{address}lengths", {"as": "latex"}).content.startswith(b"\\begin{table}")
    assert api.get(f"{address}nonsense").status_code == 404
    assert api.get(f"{address}lengths", {"as": "pdf"}).status_code == 422
    assert api.get(f"{address}lengths", {"days": "30"}).status_code == 422


def test_an_svg_is_drawn_by_a_browser_and_a_program_is_told_so(snapshot, browser_of, api_of, rosa):
    address = f"/api/v1/snapshots/{snapshot.pk}/figures/"
    look = {"accept": "text/html,*/*;q=0.8"}
    page = browser_of(rosa).get(f"{address}votes", {"as": "svg"}, headers=look)
    assert list(charts_in(page.content)) == ["votes"]
    assert "data-saves" in page.text
    program = api_of(rosa).get(f"{address}votes", {"as": "svg"})
    assert program.status_code == 406
    assert "open this address in one" in program.json()["detail"]
    table = browser_of(rosa).get(f"{address}agreement", {"as": "svg"}, headers=look)
    assert table.status_code == 404, table.content


def test_the_command_prints_what_the_address_returns(snapshot, api_of, rosa):
    out = io.StringIO()
    call_command("figure", "overlap", str(snapshot), format="json", stdout=out)
    told = api_of(rosa).get(f"/api/v1/snapshots/{snapshot.pk}/figures/overlap").json()
    told.pop("made_at")
    assert json.loads(out.getvalue()) == told
    for name, scope, what in (
        ("nonsense", str(snapshot), "There is no figure 'nonsense'"),
        ("overlap", "charted@9", "There is no frozen snapshot"),
    ):
        with pytest.raises(CommandError, match=what):
            call_command("figure", name, scope)


def test_sizes_and_votes_are_those_of_the_snapshot(snapshot):
    charts = figures(snapshot, "corpus")
    sizes = {row["genre"]: row["train"] for row in charts["genres"].rows}
    assert sizes == {"Fiction": 90, "Telephone": 72, "all": 162}
    assert charts["genres"].title.startswith(
        "162 pairs of 2 genres: the most frequent genres are Fiction (55.6%) and Telephone (44.4%)"
    )
    whole = charts["votes"].rows[0]
    assert sum(value for key, value in whole.items() if key.endswith(", share")) == pytest.approx(1)
    assert charts["votes"].title.endswith("(SNLI, Table 3: 58.3%; MultiNLI, Table 2: 58.2%).")
    faint = {row["gold label"]: row["faint"] for row in charts["votes"].as_json()["rows"]}
    assert (faint["all"], faint["no gold label"]) == (False, True), "four pairs have no gold label"


def test_agreement_by_gold_label_is_counted_from_the_votes(snapshot):
    rows = {
        row["gold label"]: row for row in FIGURES["agreement-by-label"].table(data(snapshot, "corpus")).rows
    }
    groups = {each["label"]: each for each in data(snapshot, "corpus")["groups"] if each["genre"] is None}
    for label in LABELS:
        given = groups[label]["individual_labels"]
        assert rows[label]["agreement"] == pytest.approx(given[label] / sum(given.values()))
    assert [row["MPE"] for row in rows.values()] == [0.70, 0.82, 0.42, 0.78]


def test_give_away_words_by_prompt_version_are_measured_by_the_same_words():
    def pairs(version, giveaway):
        for number in range(40):
            yield Pair(
                ("P.",),
                f"{'Nobody' if number < giveaway else 'Somebody'} sleeps {number}.",
                "contradiction" if number < giveaway else LABELS[number % 3],
                prompt_version=version,
            )

    counted = artifacts.measure(lambda: chain(pairs("a 1", 30), pairs("a 2", 3)), labels=LABELS)
    made = FIGURES["artifacts-by-prompt"].table(counted)
    assert {row["prompt version"]: row["given away"] for row in made.rows} == {"a 1": 0.75, "a 2": 0.075}
    finding = FIGURES["artifacts-by-prompt"].finding(made)
    assert finding == (
        "The share of hypotheses with a give-away word is highest for a 1 (75.0%) and lowest for a 2 (7.5%)."
    )
    one = artifacts.measure(lambda: pairs("", 30), labels=LABELS)
    assert FIGURES["artifacts-by-prompt"].table(one).rows == []


@pytest.mark.parametrize(("premises", "said"), [(4, ", by gold label."), (31, " is 0.75 in each label.")])
def test_equal_overlaps_are_said_to_be_equal_of_enough_pairs(premises, said):
    found = freeze(corpus_of(premises))
    compute_statistics(statistics_id=request_statistics(snapshot=found, kind="corpus").pk)
    title = figures(found, "corpus")["overlap"].title
    assert title == f"The mean share of a hypothesis’s words that occur in its premise{said}"


def test_the_curve_of_give_away_words_divides_the_significant_from_the_others(snapshot):
    counted = data(snapshot, "artifacts")
    chart = figures(snapshot, "artifacts")["words"]
    assert chart.title.startswith(
        "At least one word goes with a label more often than chance allows, above all “nobody”"
    )
    pairs, tests = counted["pairs"], counted["listed_words"] * 3
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


def test_a_snapshot_without_pairs_has_no_pictures():
    for counted in (corpus.measure([], labels=LABELS, seats=5), artifacts.measure(lambda: [], labels=LABELS)):
        for figure in FIGURES.values():
            if figure.source == ("corpus" if "groups" in counted else "artifacts"):
                assert not figure.table(counted).kind, figure.name
