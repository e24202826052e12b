"""Tables over the runs and pairs of snapshots: by the command, on pages, as CSV and over REST."""

import csv
import io
import json

import pytest
from lxml import html

from modeling.folders import folder_of, predictions_in
from modeling.reports.overviews import OVERVIEWS, overview
from modeling.reports.scores import Scores
from modeling.results.beside_twin import beside_twin
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot
from tests.modeling.test_error_browser import answers
from tests.snapshots.material import lines
from validation.questions.lookup import labels_named, names_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
snapshot = made_once(small_snapshot, 9, test=9)


def wrong_at(*places):
    return [(place not in places, 0.8) for place in range(9)]


def rows_of(table):
    return list(table.rows)


def test_pairs_that_all_runs_miss_come_first_with_their_baselines(snapshot):
    first, second, other = (done_run(snapshot), done_run(snapshot, seed=2), done_run(snapshot, "bilstm"))
    ids = answers(first, wrong_at(3, 5, 7))
    answers(second, wrong_at(5, 7))
    answers(other, wrong_at(5))
    answers(done_run(snapshot, "majority"), wrong_at(*range(9)))
    done_run(snapshot, "esim")  # its predictions are on another machine
    made = overview("missed", [snapshot], "test", 50)
    rows = rows_of(made)
    assert [(row["pair"], row["missed by"], row["runs"]) for row in rows] == [
        (ids[5], 3, 3),
        (ids[7], 2, 3),
        (ids[3], 1, 3),
    ]
    assert rows[0]["baselines that miss it"] == "cbow 2, bilstm"
    line = lines(snapshot, "test")[5]
    assert (rows[0]["premise"], rows[0]["gold"]) == (line["sentence1"], line["gold_label"])
    assert rows[0]["labels"] == f"{line['gold_label']} 5"
    assert "1 of 9 pairs are missed by all 3 runs." in made.notes


def test_the_page_names_labels_as_the_corpus_does_and_the_file_as_the_scheme_does(browser, snapshot):
    answers(done_run(snapshot), wrong_at(3, 5))
    address = f"/snapshots/{snapshot.pk}/tables/missed"
    line, words = lines(snapshot, "test")[5], names_in(snapshot.corpus)["label"]
    page = html.fromstring(browser.get(f"{address}/").content)
    rows = [[cell.text_content() for cell in row.xpath("td")] for row in page.xpath("//tbody/tr")]
    gold, predicted, votes = next(row[3:6] for row in rows if row[0] == line["pairID"])
    assert (gold, votes) == (words[line["gold_label"]], f"{words[line['gold_label']]} 5")
    assert predicted in words.values()
    assert f"{line['gold_label']} 5" in b"".join(browser.get(f"{address}.csv")).decode()


def test_a_table_says_how_many_rows_it_has_and_where_the_others_are(browser, snapshot, monkeypatch):
    answers(done_run(snapshot), [(place > 3, 0.8) for place in range(9)])
    address = f"/snapshots/{snapshot.pk}/tables/missed/"
    number = len(browser.get(address).context["table"].rows)
    assert number > 3
    assert f"<p>{number} rows.</p>" in browser.get(address).content.decode()
    monkeypatch.setattr("modeling.reports.views.ROWS_SHOWN", 3)
    assert "<p>The first 3 rows: CSV has more.</p>" in browser.get(address).content.decode()


def test_runs_on_the_same_pairs_share_a_list_of_ids_and_those_in_another_order_have_their_own(snapshot):
    first, second, other = (done_run(snapshot, seed=seed) for seed in (1, 2, 3))
    ids = answers(first, wrong_at(3, 5))
    answers(second, wrong_at(5))
    answers(other, wrong_at(0, 1))
    path = predictions_in(folder_of(other), "test")
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    scores = Scores([snapshot])
    one, two, three = (scores.predicted(run, 0, "test") for run in (first, second, other))
    assert one.ids is two.ids
    assert three.ids == ids[::-1]
    assert three.in_order_of(one).right.tolist() == [place not in (0, 1) for place in range(9)]
    rows = rows_of(overview("missed", [snapshot], "test", 50))
    assert {row["pair"]: row["missed by"] for row in rows} == {ids[5]: 2, ids[3]: 1, ids[0]: 1, ids[1]: 1}


def test_where_no_run_has_predictions_the_table_says_so(snapshot):
    made = overview("missed", [snapshot], "dev", 50)
    assert made.rows == []
    assert f"No finished run on {snapshot} has predictions for dev" in made.notes[-1]


def test_labels_in_a_text_get_their_names():
    names = {"label": {"entailment": "Yes", "neutral": "Perhaps, or not", "contradiction": "No"}}
    for text, shown in (
        ("E N C E", "Yes, Perhaps, or not, No, Yes"),
        ("E E E N E", "Yes ×3, Perhaps, or not, Yes"),
        ("neutral 3, contradiction", "Perhaps, or not 3, No"),
        ("entailment, -, contradiction", "Yes, -, No"),
        ("contradiction", "No"),
        ("-", "-"),
        ("", ""),
    ):
        assert labels_named(names, text) == shown
    assert labels_named({}, "E N") == "E N"


def test_a_run_beside_its_twin_has_gains_and_pvi_by_label_genre_and_author(snapshot):
    run, twin = done_run(snapshot), done_run(snapshot, regime={"hypothesis_only": True})
    answers(run, [(place != 0, 0.8) for place in range(9)])
    answers(twin, [(place < 4, 0.4) for place in range(9)])
    found = beside_twin(run, twin, "test")
    whole = found.whole
    assert (whole.pairs, whole.full, whole.twin, whole.majority) == (9, 8 / 9, 4 / 9, 1 / 3)
    assert (whole.gain, whole.relative) == (pytest.approx(4 / 9), pytest.approx(1))
    # Right in both: 0.8 against 0.4. Right alone: 0.8 against 0.3. Pair 0 was wrong with 0.8: 0.1 against 0.4.
    assert whole.pvi == pytest.approx((3 * 1 + 5 * 1.415037 - 2) / 9)
    assert list(found.by)[:3] == ["label", "genre", "author"]
    assert sum(part.pairs for part in found.by["label"]) == 9
    assert [part.majority for part in found.by["label"]] == pytest.approx([1 / 3] * 3)  # of all pairs
    assert sum(part.pairs * part.pvi for part in found.by["label"]) == pytest.approx(9 * whole.pvi)
    (row,) = rows_of(overview("twins", [snapshot], "test", 50))
    assert (row["run"], row["twin"], row["gain"]) == (str(run.pk), str(twin.pk), pytest.approx(4 / 9))


def test_the_table_of_twins_says_why_it_is_empty(snapshot):
    done_run(snapshot)
    assert "No finished run on small@1 has such a twin" in overview("twins", [snapshot], "test", 50).notes[-1]


def test_both_runs_show_the_twin_and_a_run_without_one_offers_to_train_it(browser, snapshot):
    run = done_run(snapshot, config={"epochs": "3"}, regime={"genre": "fiction"})
    page = html.fromstring(browser.get(f"/runs/{run.pk}/").content)
    asked = page.xpath('//a[contains(., "Train the hypothesis-only twin")]/@href')[0]
    form = html.fromstring(browser.get(asked).content).xpath(
        "//form[@method='post' and .//*[@name='baseline']]"
    )[0]
    given = {name: value for name, value in form.form_values() if name != "csrfmiddlewaretoken"}
    assert (given["hypothesis_only"], given["genre"], given["set-epochs"]) == (
        "on",
        "fiction",
        "3",
    )
    started = browser.post(f"/runs/start/{snapshot.pk}/", given)
    assert started.status_code == 302
    twin = done_run(snapshot, config={"epochs": "3"}, regime={"genre": "fiction", "hypothesis_only": True})
    answers(run, wrong_at(1))
    answers(twin, wrong_at(1, 2))
    for one, other in ((run, twin), (twin, run)):
        page = html.fromstring(browser.get(f"/runs/{one.pk}/").content)
        table = page.xpath('//div[@aria-label="Full model and hypothesis-only twin on test"]//tbody/tr')[0]
        assert [cell.text_content() for cell in table][:6] == ["all", "9", "88.9%", "77.8%", "33.3%", "11.1"]
        assert f"run {other.pk}" in page.text_content()
    majority = done_run(snapshot, "majority")
    assert "hypothesis-only twin" not in browser.get(f"/runs/{majority.pk}/").content.decode()


def test_top_features_stand_on_the_page_of_their_run_and_in_the_table(browser, snapshot):
    run = done_run(snapshot, "lexicalized")
    folder_of(run).mkdir()
    one = {"feature": "sleeping", "kind": "word of the hypothesis", "weight": 1.25}
    (folder_of(run) / "top_features.json").write_text(json.dumps({"contradiction": [one]}))
    page = html.fromstring(browser.get(f"/runs/{run.pk}/").content)
    row = page.xpath('//div[@aria-label="Top features for Definitely incorrect"]//tbody/tr')[0]
    assert [cell.text_content() for cell in row] == ["sleeping", "word of the hypothesis", "1.25"]
    assert list(overview("features", [snapshot], "test", 50).cells()) == [
        ["contradiction", "sleeping", "word of the hypothesis", 1.25]
    ]
    (folder_of(run) / "top_features.json").write_text("not json")
    assert list(overview("features", [snapshot], "test", 50).cells()) == []
    assert browser.get(f"/runs/{run.pk}/").status_code == 200


@pytest.mark.parametrize("name", OVERVIEWS)
def test_every_table_is_a_page_a_file_a_command_and_rest_also_where_nothing_is_there(browser, snapshot, name):
    address = f"/snapshots/{snapshot.pk}/tables/{name}"
    page = browser.get(f"{address}/?partition=dev")
    assert page.status_code == 200
    tree = html.fromstring(page.content)
    assert OVERVIEWS[name].about in tree.text_content()
    # A partition can be chosen only where the table is of one.
    assert bool(tree.xpath("//select[@name='partition']")) == (name not in ("leaks", "features"))
    told = browser.get(f"/api/v1{address}/?partition=dev").json()
    rows = list(csv.reader(io.StringIO(browser.get(f"{address}.csv?partition=dev").content.decode())))
    assert [column["name"] for column in told["columns"]] == rows[0]
    assert len(told["rows"]) == len(rows) - 1
    assert told["title"] in command("report", str(snapshot), name, "--partition", "dev").out
    assert f'href="{address}/"' in browser.get(f"/snapshots/{snapshot.pk}/result-tables/").content.decode()


def test_a_table_that_does_not_exist_and_a_wrong_number_are_named(browser, snapshot):
    assert browser.get(f"/snapshots/{snapshot.pk}/tables/nothing/").status_code == 404
    assert browser.get(f"/snapshots/{snapshot.pk}/tables/nothing.csv").status_code == 404
    address = f"/api/v1/snapshots/{snapshot.pk}/tables"
    assert "There is no table 'nothing'" in browser.get(f"{address}/nothing/").json()["detail"]
    refused = browser.get(f"{address}/missed/?with=none@3")
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {"with"})
    other = small_snapshot(3, slug="other")
    assert "is of one snapshot" in command("report", str(snapshot), str(other), "missed").failure
    assert (
        "'0' is not a whole number from 1 to 10,000"
        in command("report", str(snapshot), "missed", "--most", "0").failure
    )
