"""The predictions of one run or two: chosen by any dimension, sorted, paged, on the page, as CSV and over REST."""

import csv
import io
import json

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from collection.models import Pair, Premise
from modeling.folders import evaluation_folder, folder_of
from modeling.marking.actions import begin_marking
from modeling.models import Evaluation
from modeling.results.breakdowns import store_breakdowns
from modeling.results.predicted import read_predicted
from modeling.results.predictions import (
    OUTCOMES,
    OUTCOMES_OF_TWO,
    SORTS,
    SORTS_OF_TWINS,
    SORTS_OF_TWO,
    BadChoice,
    BadPlace,
    Choice,
    Predictions,
    PredictionsMissing,
)
from modeling.results.run_scores import evaluations
from modeling.results.texts import frozen_pairs
from modeling.results.twins import full_run_of, twin_of
from shared.intervals import wilson
from tests.cast import person
from tests.charted import charts_in
from tests.commands import run as run_command
from tests.corpora import WORDINGS, new_label
from tests.listed import cells, listed
from tests.made_once import made_once
from tests.modeling.material import done_run, metrics, small_snapshot, write_predictions
from tests.query_counts import query_count
from tests.snapshots.material import corpus_of, freeze, lines
from validation.models import Label, Question

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
snapshot = made_once(small_snapshot, 9, test=9)

LABELS = ("entailment", "neutral", "contradiction")


def answers(run, given, *, folder=None, snapshot=None):
    """Writes predictions for test: the label and its probability for each pair, in the order of the file."""
    folder = folder or folder_of(run)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = lines(snapshot or run.snapshot, "test")
    assert len(pairs) == len(given)
    with (folder / "predictions-test.jsonl").open("w") as stream:
        for line, (right, share) in zip(pairs, given, strict=True):
            gold = line["gold_label"]
            predicted = gold if right else next(label for label in LABELS if label != gold)
            rest = (1 - share) / 2
            row = {
                "pairID": line["pairID"],
                "gold": gold,
                "predicted": predicted,
                "probabilities": {label: share if label == predicted else rest for label in LABELS},
                "genre": line["genre"],
            }
            stream.write(json.dumps(row) + "\n")
    return [line["pairID"] for line in pairs]


def of(rows):
    return [row.pair_id for row in rows]


FIRST = [
    (True, 0.9), (False, 0.5), (False, 0.8), (True, 0.4), (True, 0.9), (False, 0.6), (True, 0.7), (True, 0.9),
    (False, 0.9),
]  # fmt: skip
SECOND = [
    (True, 0.9), (True, 0.5), (False, 0.8), (False, 0.4), (True, 0.9), (True, 0.6), (True, 0.7), (True, 0.9),
    (False, 0.9),
]  # fmt: skip


def test_wrong_and_sure_come_first_then_right_and_unsure(snapshot):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    page = Predictions(run, "test").page(Choice(), "", 9)
    assert of(page.rows) == [ids[n] for n in (8, 2, 5, 1, 3, 6, 0, 4, 7)]
    assert (page.next, page.pairs) == ("", 9)


def test_pages_go_on_after_a_pair_also_where_that_pair_is_filtered_out(snapshot):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    predictions = Predictions(run, "test")
    seen, after = [], ""
    while True:
        page = predictions.page(Choice(outcome="wrong"), after, 3)
        seen += of(page.rows)
        if not page.next:
            break
        after = page.next
    assert seen == [ids[n] for n in (8, 2, 5, 1)]
    right = predictions.page(Choice(outcome="right"), ids[1], 3)
    assert of(right.rows) == [ids[n] for n in (3, 6, 0)]
    with pytest.raises(BadPlace, match="cursor is invalid"):
        predictions.page(Choice(), "nobody", 3)


def test_the_least_probable_gold_label_comes_first(snapshot):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    page = Predictions(run, "test").page(Choice(sort="gold"), "", 3)
    assert of(page.rows) == [ids[n] for n in (8, 2, 5)]


@pytest.mark.parametrize(
    ("outcome", "places"),
    [
        ("all", range(9)),
        ("wrong", (1, 2, 5, 8)),
        ("right", (0, 3, 4, 6, 7)),
        ("only-first", (3,)),
        ("only-second", (1, 5)),
        ("both-wrong", (2, 8)),
        ("both-right", (0, 4, 6, 7)),
        ("different", (1, 3, 5)),
    ],
)
def test_two_runs_are_compared_pair_by_pair_whatever_the_order_of_their_files(snapshot, outcome, places):
    run, other = done_run(snapshot), done_run(snapshot, seed=2)
    ids = answers(run, FIRST)
    answers(other, SECOND)
    path = folder_of(other) / "predictions-test.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    predictions = Predictions(run, "test", beside=other)
    page = predictions.page(Choice(outcome=outcome, sort="file"), "", 9)
    assert of(page.rows) == [ids[n] for n in places]
    assert all(row.second is not None and row.pvi is None for row in page.rows)
    assert set(predictions.outcomes) == {*OUTCOMES, *OUTCOMES_OF_TWO}
    assert set(predictions.sorts) >= {*SORTS, *SORTS_OF_TWO}


def test_the_largest_difference_between_two_runs_comes_first(snapshot):
    run, other = done_run(snapshot), done_run(snapshot, seed=2)
    ids = answers(run, [(True, 0.5)] * 9)
    answers(other, [(True, 0.5)] * 6 + [(True, 0.9), (False, 0.9), (True, 0.6)])
    page = Predictions(run, "test", beside=other).page(Choice(sort="gap"), "", 3)
    assert of(page.rows) == [ids[7], ids[6], ids[8]]


def test_a_run_beside_its_twin_shows_what_the_premise_adds(snapshot):
    run = done_run(snapshot)
    twin = done_run(snapshot, regime={"hypothesis_only": True})
    done_run(snapshot, seed=2, regime={"hypothesis_only": True})
    assert (twin_of(run), full_run_of(twin)) == (twin, run)
    assert (twin_of(twin), full_run_of(run)) == (None, None)
    ids = answers(run, [(True, 0.8)] * 8 + [(True, 0.4)])
    answers(twin, [(True, 0.4)] * 8 + [(True, 0.8)])
    predictions = Predictions(run, "test", beside=twin)
    assert set(predictions.sorts) >= {*SORTS, *SORTS_OF_TWO, *SORTS_OF_TWINS}
    page = predictions.page(Choice(sort="pvi"), "", 2)
    assert of(page.rows) == [ids[8], ids[0]]
    assert [row.pvi for row in page.rows] == pytest.approx([-1, 1])


def test_each_dimension_that_is_stored_chooses_exactly_the_pairs_that_it_counted(snapshot, tmp_path):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    marks = tmp_path / "marks.csv"
    marks.write_text(f"{ids[2]},negation\n{ids[3]},negation\n")
    store_breakdowns(run, snapshot, folder_of(run), ["test"], own={"phenomenon": marks})
    predictions = Predictions(run, "test")
    (test,) = [one for one in evaluations(run) if one.partition == "test"]
    dimensions = {one.dimension for one in test.breakdowns}
    assert {
        "label",
        "predicted",
        "confidence",
        "genre",
        "author",
        "agreement",
        "file:phenomenon",
    } <= dimensions
    for breakdown in test.breakdowns:
        for part in breakdown.parts:
            rows = predictions.chosen(Choice(values={breakdown.dimension: part.value}))
            assert len(rows) == part.pairs
            assert float(np.mean(predictions.first.right[rows])) == part.accuracy
    both = Choice(values={"file:phenomenon": "negation"}, outcome="wrong")
    assert of(predictions.page(both, "", 9).rows) == [ids[2]]
    assert not len(predictions.chosen(Choice(values={"genre": "unheard-of"})))


def test_a_second_file_of_ones_own_stands_beside_the_first(snapshot, tmp_path):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"{ids[0]},{name}\n")
        store_breakdowns(run, snapshot, folder_of(run), ["test"], own={name: tmp_path / name})
    assert {"file:one", "file:two"} <= Predictions(run, "test").dimensions.keys()


def test_without_the_snapshots_files_the_predictions_alone_can_be_chosen_by(snapshot):
    run = done_run(snapshot)
    write_predictions(run, "test")
    path = folder_of(run) / "predictions-test.jsonl"
    path.write_text(path.read_text().replace('"pairID": "', '"pairID": "x'))
    predictions = Predictions(run, "test")
    assert predictions.dimensions.keys() == {"label", "predicted", "confidence"}
    row = predictions.page(Choice(), "", 1).rows[0]
    assert (row.genre, row.premise, row.labels) == ("", None, [])


def test_what_there_is_not_is_named(snapshot):
    run, other = done_run(snapshot), done_run(snapshot, seed=2)
    with pytest.raises(PredictionsMissing, match="no partition 'all'"):
        Predictions(run, "all")
    with pytest.raises(
        PredictionsMissing, match=f"Run {run.pk} has no predictions for test here: the files are on"
    ):
        Predictions(run, "test")
    answers(run, FIRST)
    with pytest.raises(PredictionsMissing, match=f"Run {other.pk} has no predictions"):
        Predictions(run, "test", beside=other)
    with pytest.raises(PredictionsMissing, match=f"manage.py evaluate {run.pk} small@1 --partition train"):
        Predictions(run, "train")
    elsewhere = small_snapshot(3, slug="other")
    with pytest.raises(PredictionsMissing, match=f"manage.py evaluate {run.pk} other@1"):
        Predictions(run, "test", on=elsewhere)
    for choice, key in ((Choice(outcome="both-wrong"), "outcome"), (Choice(sort="gap"), "sort")):
        with pytest.raises(BadChoice) as refused:
            Predictions(run, "test").chosen(choice)
        assert refused.value.key == key
    with pytest.raises(BadChoice, match="no dimension 'file:none' here"):
        Predictions(run, "test").chosen(Choice(values={"file:none": "x"}))


def test_arrays_are_read_again_when_the_file_is_another(snapshot):
    run = done_run(snapshot)
    answers(run, FIRST)
    path = folder_of(run) / "predictions-test.jsonl"
    assert read_predicted(path).right.tolist() == [right for right, _ in FIRST]
    answers(run, SECOND)
    assert read_predicted(path).right.tolist() == [right for right, _ in SECOND]


def test_calibration_is_of_ten_bins_and_its_error_weighs_them_by_pairs(snapshot):
    run = done_run(snapshot)
    answers(run, FIRST)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    whole = Evaluation.objects.get(run=run, partition="test")
    told = [(one["lower"], one["pairs"], round(one["probability"], 6), one["accuracy"]) for one in whole.bins]
    assert told == [
        (0.3, 1, 0.4, 1.0), (0.4, 1, 0.5, 0.0), (0.5, 1, 0.6, 0.0), (0.6, 1, 0.7, 1.0),
        (0.7, 1, 0.8, 0.0), (0.8, 4, 0.9, 0.75),
    ]  # fmt: skip
    assert whole.calibration_error == pytest.approx((0.6 + 0.5 + 0.6 + 0.3 + 0.8 + 4 * 0.15) / 9)
    assert Evaluation.objects.get(run=run, partition="dev").calibration_error is None


def test_the_runs_page_has_confusion_and_calibration_and_rest_has_the_latter(browser, snapshot):
    run = done_run(snapshot)
    answers(run, FIRST)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    page = browser.get(f"/runs/{run.pk}/").content
    charts = charts_in(page)
    table = [
        [row["gold"], *(row[f"predicted: {label}"] for label in LABELS), row["recall"]]
        for row in charts["confusion-test"]["rows"]
    ]
    given = [
        (line["gold_label"], right) for line, (right, _) in zip(lines(snapshot, "test"), FIRST, strict=True)
    ]
    for place, label in enumerate(LABELS):
        right = sum(gold == label and is_right for gold, is_right in given)
        assert (table[place][0], table[place][1 + place]) == (WORDINGS[label], right)
        assert table[place][-1] == right / 3
        assert sum(table[place][1:-1]) == 3
    row = charts["confusion-test"]["rows"][0]
    wrong = next(label for label in LABELS[1:] if row[f"predicted: {label}"])
    behind = browser.get(row["hrefs"][f"predicted: {wrong}"])
    assert len(listed(behind).rows) == row[f"predicted: {wrong}"]
    assert (
        f"error, the mean distance of the two over pairs: {340 / 9:.1f} points"
        in charts["calibration-test"]["note"]
    )
    sure = [
        (bin["pairs"], bin["accuracy"], bin["low"], bin["high"]) for bin in charts["calibration-test"]["rows"]
    ]
    assert all((low, high) == wilson(share, pairs) for pairs, share, low, high in sure)
    address = f"/api/v1/runs/{run.pk}/figures/"
    assert browser.get(f"{address}calibration?as=csv").content.startswith(b"bin,pairs,probability")
    assert list(charts) == ["confusion-test", "calibration-test"]
    for key, drawn in charts.items():
        told = browser.get(address + key.removesuffix("-test"), {"partition": "test"}).json()
        assert told | {"key": key} == {**drawn, "made_at": None}
    assert (
        "no scores to show on test of other@1"
        in browser.get(f"{address}confusion?on=other@1").json()["detail"]
    )
    assert browser.post(f"{address}confusion").status_code == 409
    told = run_command("figure", "confusion", f"{run.pk}/test", "--format", "csv")
    assert told.out.startswith("gold,predicted: entailment,")
    (told,) = [
        row["calibration"]
        for row in browser.get(f"/api/v1/runs/{run.pk}/").json()["evaluations"]
        if row["partition"] == "test" and not row["genre"] and not row["gold_label"]
    ]
    assert told["error"] == pytest.approx(3.4 / 9)
    assert len(told["bins"]) == 6


def test_the_page_shows_texts_all_labels_and_both_runs(browser, snapshot):
    run, other = done_run(snapshot), done_run(snapshot, "bilstm", seed=2)
    answers(other, SECOND)
    ids = answers(run, FIRST)
    address = f"/runs/{run.pk}/predictions/test/"
    answer = browser.get(f"{address}?with={other.pk}&outcome=both-wrong")
    page = html.fromstring(answer.content)
    rows = page.xpath('//table[contains(@class, "list-table")]/tbody/tr')
    assert [row.get("id") for row in rows] == [f"pair-{ids[8]}", f"pair-{ids[2]}"]
    line = lines(snapshot, "test")[8]
    said = rows[0].text_content()
    assert line["sentence1"] in said
    assert line["sentence2"] in said
    assert f"5 {WORDINGS[line['gold_label']]}" in said
    assert f"Run {other.pk}" in page.xpath("//thead")[0].text_content()
    assert rows[0].xpath(".//a[@data-pair]/@href") == [f"/corpora/small/pairs/{ids[8]}/"]
    assert [value.number for value in listed(answer).facets[0].values if value.is_chosen] == [2]
    assert "2 pairs." in page.text_content()
    assert "The run predicted 9." in page.text_content()
    assert browser.get(f"{address}?genre=fiction&sort=nothing").status_code == 422
    assert "no run" not in page.text_content()
    assert browser.get(f"{address}?with=99999").status_code == 422


def test_predictions_are_searched_by_words_too(browser, snapshot):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    line = lines(snapshot, "test")[3]
    words = line["sentence2"][2:].upper()
    page = browser.get(f"/runs/{run.pk}/predictions/test/", {"text": words})
    assert ids[3] in listed(page).names
    assert len(listed(page).names) < 9
    assert "<mark>" in page.content.decode()
    assert listed(page).search is not None
    assert listed(page).facets[0].name == "Which"
    assert sum(value.number for value in listed(page).facets[0].values) == len(listed(page).names)
    assert listed(browser.get(f"/runs/{run.pk}/predictions/test/", {"text": "nowhere"})).names == []


def test_several_premises_are_a_numbered_list(browser, rosa):
    corpus = corpus_of(6, test=9)
    Premise.objects.update(text="A dog.\nTwo cats.", sentence_count=2)
    snapshot = freeze(corpus)
    run = done_run(snapshot)
    answers(run, FIRST)
    begin_marking(snapshot=snapshot, partition="test", number=1, phenomena=["negation"], seed=1, by=rosa)
    for address in (f"/runs/{run.pk}/predictions/test/", f"/snapshots/{snapshot.pk}/marking/test/"):
        page = html.fromstring(browser.get(address).content)
        found = page.xpath('//main//li[.="A dog."]/following-sibling::li[1]')
        assert [one.text_content() for one in found[:1]] == ["Two cats."]


def test_labels_beyond_the_seats_are_shown_as_they_are_filtered_by(browser):
    """Five labels decided, four more count as votes: the filter says 5-4, and so do page, CSV and REST."""
    corpus = corpus_of(3)
    question = Question.objects.get(corpus=corpus)
    Label.objects.bulk_create(
        new_label(
            question,
            pair,
            "neutral" if pair.author_label == "contradiction" else "contradiction",
            position=position,
            origin=Label.Origin.IMPORTED,
            annotator=person(f"more{position}"),
        )
        for pair in Pair.objects.filter(corpus=corpus)
        for position in (6, 7, 8, 9)
    )
    run = done_run(freeze(corpus))
    answers(run, FIRST[:3])
    line = lines(run.snapshot, "test")[0]
    gold, counts = line["gold_label"], line["all_label_counts"]
    (other,) = (label for label in counts if counts[label] == 4)
    assert Predictions(run, "test").page(Choice(values={"agreement": "5-4"}), "", 9).pairs == 3
    page = browser.get(f"/runs/{run.pk}/predictions/test/?agreement=5-4")
    votes, _, _, below = cells(page, "votes")[line["pairID"]]
    assert (votes, below) == ({gold: 5, other: 4}, f"5 {WORDINGS[gold]} decided")
    assert f"5 {WORDINGS[gold]}, 4 {WORDINGS[other]}" in page.content.decode()
    told = browser.get(f"/api/v1/runs/{run.pk}/predictions/").json()["results"][0]
    assert (told["annotator_labels"], told["votes"]) == ([gold] * 5, {gold: 5, other: 4})
    answer = browser.get(f"/runs/{run.pk}/predictions/test.csv?sort=file")
    row = next(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert row["votes"] == f"5 {gold}, 4 {other}"


@pytest.mark.parametrize("left_out", [0, 2])
def test_pages_with_votes_say_how_many_answers_are_left_out_where_some_are(browser, left_out):
    corpus = corpus_of(3)
    Pair.objects.filter(corpus=corpus).update(answers_left_out=left_out)
    snapshot = freeze(corpus)
    run = done_run(snapshot)
    answers(run, FIRST[:3])
    Evaluation.objects.filter(run=run).update(voted_pairs=3, kl=0.1, jsd=0.1)
    one = lines(snapshot, "test")[0]["pairID"]
    for address, said in {
        f"/corpora/{corpus.slug}/pairs/": "2 left out",
        f"/corpora/{corpus.slug}/pairs/{one}/": "2 answers that name several labels",
        f"/snapshots/{snapshot.pk}/pairs/": "2 left out",
        f"/runs/{run.pk}/predictions/test/": "2 left out",
        f"/runs/{run.pk}/": "18 answers that name several labels",
    }.items():
        page = browser.get(address, follow=True).content.decode()
        assert (said in page) == bool(left_out), address
        assert ("left out" in page or "name several" in page) == bool(left_out), address


def test_the_number_of_queries_does_not_grow_with_the_pairs(browser, snapshot):
    run = done_run(snapshot)
    answers(run, FIRST)
    address = f"/runs/{run.pk}/predictions/test/"
    for asked in ("?predicted=neutral&outcome=wrong", ""):
        with query_count("predictions of a run"):
            assert browser.get(address + asked).status_code == 200


def test_csv_has_the_whole_choice(browser, snapshot):
    run, other = done_run(snapshot), done_run(snapshot, seed=2)
    ids = answers(run, FIRST)
    answers(other, SECOND)
    answer = browser.get(f"/runs/{run.pk}/predictions/test.csv?with={other.pk}&outcome=different&sort=file")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [row["pairID"] for row in rows] == [ids[1], ids[3], ids[5]]
    assert rows[0]["predicted"] != rows[0]["gold"] == rows[0][f"run {other.pk}: predicted"]
    assert float(rows[0][rows[0]["predicted"]]) == 0.5
    assert browser.get(f"/runs/{run.pk}/predictions/test.csv?sort=x").status_code == 404


def test_rest_has_the_same_choice_in_the_order_of_the_file_by_default(browser, snapshot):
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    address, seen = f"/api/v1/runs/{run.pk}/predictions/?outcome=wrong&page_size=3", []
    while address:
        told = browser.get(address).json()
        assert told["pairs"] == 4
        seen += [row["pairID"] for row in told["results"]]
        address = told["next"]
    assert seen == [ids[n] for n in (1, 2, 5, 8)]
    surest = browser.get(f"/api/v1/runs/{run.pk}/predictions/?sort=surest&page_size=1").json()["results"]
    assert surest[0]["pairID"] == ids[8]
    assert surest[0]["hypothesis"] == lines(snapshot, "test")[8]["sentence2"]
    refused = browser.get(f"/api/v1/runs/{run.pk}/predictions/?outcome=both-wrong")
    assert refused.status_code == 422
    assert set(refused.json()["errors"]) == {"outcome"}


@pytest.mark.parametrize("parts", [["dev", "test"], ["train", "test"], ["test"]])
def test_predictions_on_another_snapshot_are_read_there(browser, snapshot, parts):
    run = done_run(snapshot)
    other = small_snapshot(9, slug="other", test=9)
    folder = evaluation_folder(run, other, parts)
    answers(run, FIRST, folder=folder, snapshot=other)
    from modeling.results.actions import record_evaluation

    record_evaluation(run=run, snapshot=other, metrics=metrics())
    store_breakdowns(run, other, folder, ["test"])
    page = browser.get(f"/runs/{run.pk}/predictions/test/?on=other@1").content.decode()
    assert "Predictions for test of other@1" in " ".join(page.split())
    assert lines(other, "test")[0]["sentence2"] in page
    assert browser.get(f"/runs/{run.pk}/predictions/test/?on=nothing@1").status_code == 404


def test_the_texts_of_pairs_are_found_by_corpus_and_id(snapshot):
    """By their ids alone, PostgreSQL read every pair of every corpus."""
    with CaptureQueriesContext(connection) as asked:
        assert frozen_pairs(snapshot, [lines(snapshot, "test")[0]["pairID"]])
    (sql,) = (one["sql"] for one in asked if '"collection_pair"' in one["sql"])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # there are too few pairs to need an index
        cursor.execute(f"EXPLAIN {sql}")
        conditions = [line for (line,) in cursor.fetchall() if "Index Cond" in line]
    assert any("corpus_id" in line and "public_id" in line for line in conditions)


def test_a_snapshot_without_dev_pairs_says_so_and_offers_no_filters(browser):
    run = done_run(freeze(corpus_of(3, dev=0)))
    page = browser.get(f"/runs/{run.pk}/predictions/dev/").content.decode()
    assert "here: the snapshot has no dev pairs with a gold label." in page
    assert "Without filters" not in page
    assert "Without filters" in browser.get(f"/runs/{run.pk}/predictions/dev/?outcome=wrong").content.decode()
