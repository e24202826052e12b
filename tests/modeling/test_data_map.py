"""The data map of a run: regions, pages, CSV, REST, and pairs that are sent to validation from there."""

import csv
import io
import json
from hashlib import sha256
from typing import Any

import pytest
from lxml import html

from collection.models import Pair, Source
from modeling.folders import folder_of
from modeling.results.data_map import NoDataMap, data_map
from modeling.results.predictions import BadChoice, BadPlace
from tests.charted import charts_in
from tests.commands import run as run_command
from tests.corpora import ask
from tests.made_once import made_once
from tests.modeling.material import a_run, done_run, small_snapshot
from tests.modeling.test_error_browser import FIRST, answers
from tests.snapshots.material import corpus_of, freeze, lines
from validation.models import Label, Question
from validation.questions.lookup import main_wordings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

# (confidence, variability, correctness) of the pairs of the training file
DYNAMICS = [
    (0.9, 0.1, 1.0),
    (0.1, 0.05, 0.0),
    (0.5, 0.4, 0.5),
    (0.2, 0.3, 0.0),
    (0.95, 0.0, 1.0),
    (0.6, 0.2, 0.75),
]


snapshot = made_once(small_snapshot, 4)


def dynamics(run):
    """Writes the training dynamics of a run; returns the ids of the pairs."""
    pairs = lines(run.snapshot, "train")[: len(DYNAMICS)]
    assert len(pairs) == len(DYNAMICS)
    folder_of(run).mkdir(parents=True, exist_ok=True)
    with (folder_of(run) / "training_dynamics.jsonl").open("w") as stream:
        for line, (confidence, variability, correctness) in zip(pairs, DYNAMICS, strict=True):
            told = {
                "pairID": line["pairID"], "gold": line["gold_label"], "genre": line["genre"], "epochs": 4,
                "confidence": confidence, "variability": variability, "correctness": correctness,
            }  # fmt: skip
            stream.write(json.dumps(told) + "\n")
    return [line["pairID"] for line in pairs]


@pytest.mark.parametrize(
    ("region", "places"),
    [("hard", (1, 3)), ("ambiguous", (2, 3)), ("easy", (4, 0)), ("never", (1, 3)), ("all", range(6))],
)
def test_a_region_is_a_third_of_the_pairs_the_most_typical_first(snapshot, region, places):
    run = done_run(snapshot)
    dynamics(run)
    assert data_map(run).chosen(region).tolist() == list(places)


def test_a_region_can_be_narrowed_by_label_and_genre_and_is_paged(snapshot):
    run = done_run(snapshot)
    ids = dynamics(run)
    found = data_map(run)
    gold = [line["gold_label"] for line in lines(snapshot, "train")]
    assert found.chosen("all", gold[0]).tolist() == [n for n in range(6) if gold[n] == gold[0]]
    assert found.chosen("all", genre="none").tolist() == []
    rows = found.chosen("all")
    assert found.page(rows, "", 4) == ([0, 1, 2, 3], ids[3])
    assert found.page(rows, ids[3], 4) == ([4, 5], "")
    with pytest.raises(BadPlace):
        found.page(rows, "nobody", 4)
    with pytest.raises(BadChoice, match="no region 'x'"):
        found.chosen("x")


def test_the_table_counts_every_pair_once_at_its_place(snapshot):
    run = done_run(snapshot)
    dynamics(run)
    columns, table = data_map(run).table()
    assert columns == ["0.0 to 0.1", "0.1 to 0.2", "0.2 to 0.3", "0.3 to 0.4", "0.4 to 0.5"]
    assert table[0] == ("0.8 to 1.0", [1, 1, 0, 0, 0])
    assert table[-1] == ("0.0 to 0.2", [1, 0, 0, 0, 0])
    assert sum(sum(counts) for _, counts in table) == 6


def test_a_run_without_dynamics_says_why(browser, snapshot):
    for run, says in ((done_run(snapshot), "learns in epochs"), (a_run(snapshot, seed=2), "it is queued")):
        with pytest.raises(NoDataMap, match=says):
            data_map(run)
        assert browser.get(f"/runs/{run.pk}/data-map/").status_code == 404
        assert says in browser.get(f"/api/v1/runs/{run.pk}/figures/data-map").json()["detail"]
        assert browser.get(f"/runs/{run.pk}/data-map.csv").status_code == 404
        assert "data-map" not in browser.get(f"/runs/{run.pk}/").content.decode()


def test_page_csv_and_rest_tell_the_same(browser, snapshot):
    run = done_run(snapshot)
    ids = dynamics(run)
    assert f'href="/runs/{run.pk}/data-map/"' in browser.get(f"/runs/{run.pk}/").content.decode()
    page = html.fromstring(browser.get(f"/runs/{run.pk}/data-map/?region=hard").content)
    charts = charts_in(html.tostring(page))
    assert list(charts) == ["data-map", "data-map-counts"]
    assert [(row["pairID"], row["confidence"], row["variability"]) for row in charts["data-map"]["rows"]] == [
        (name, *told[:2]) for name, told in zip(ids, DYNAMICS, strict=True)
    ]
    rest = f"/api/v1/runs/{run.pk}/figures"
    assert all(
        browser.get(f"{rest}/{key}").json() == {**chart, "made_at": None} for key, chart in charts.items()
    )
    listed = page.xpath('//table[contains(@class, "list-table")]/tbody/tr')
    assert [row.get("id") for row in listed] == [f"pair-{ids[1]}", f"pair-{ids[3]}"]
    first = lines(snapshot, "train")[1]
    assert first["sentence2"] in listed[0].text_content()
    wording = main_wordings(snapshot.corpus)[first["gold_label"]]
    assert [each.text for each in listed[0].xpath('.//span[starts-with(@class, "label ")]/bdi')] == [wording]
    assert browser.get(f"/runs/{run.pk}/data-map/?region=x").status_code == 422
    answer = browser.get(f"/runs/{run.pk}/data-map.csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["pairID"], float(row["confidence"])) for row in rows] == [
        (name, told[0]) for name, told in zip(ids, DYNAMICS, strict=True)
    ]
    told = browser.get(f"{rest}/data-map?points=3").json()
    assert [row["pairID"] for row in told["rows"]] == [ids[0], ids[2], ids[4]]
    assert "3 pairs are drawn" in told["note"]


def sent(browser: Any, address: str, names: list[str], **given: str) -> Any:
    """Lets the pairs be opened for labelling, and returns the page after that."""
    form = {"do": "open", "pair": names, **given}
    expected = len(browser.post(address, form).context["effect"].keys)
    return browser.post(address, {**form, "confirm": "yes", "expected": expected}, follow=True)


def test_pairs_of_a_region_are_opened_for_labelling(browser, snapshot):
    run = done_run(snapshot)
    ids = dynamics(run)
    Label.objects.filter(pair__public_id=ids[1]).delete()
    address = f"/runs/{run.pk}/data-map/?region=hard"
    said = browser.post(address, {"do": "open", "which": "all"})
    assert (len(said.context["effect"].keys), said.context["effect"].left_out) == (1, {"open already": 1})
    after = sent(browser, address, ids[:3])
    assert after.redirect_chain == [(address, 302)]
    assert "1 pair is open for labelling" in after.text
    question = Question.objects.get(corpus=snapshot.corpus)
    seats = Label.objects.filter(question=question, pair__public_id=ids[1])
    assert seats.filter(label=None).count() == question.seats - 1


def test_imported_pairs_that_were_chosen_are_opened_after_a_look(browser):
    snapshot = freeze(corpus_of(6, test=9))
    run_ = done_run(snapshot)
    ids = answers(run_, FIRST)
    Label.objects.filter(pair__public_id=ids[0]).delete()
    source = Source.objects.create(corpus=snapshot.corpus, name="pairs.jsonl", sha256="0" * 64)
    Pair.objects.filter(public_id=ids[0]).update(source=source, published_label="neutral")

    def chosen() -> str:
        return sent(browser, f"/runs/{run_.pk}/predictions/test/", ids[:1]).text

    assert "Nobody has looked at what the hypotheses of the imported pairs give away." in chosen()
    assert not Label.objects.filter(pair__public_id=ids[0]).exists()
    run_command("bias", snapshot.corpus.slug)
    assert "1 pair is open for labelling" in chosen()


def test_pairs_can_be_opened_under_another_question_of_the_corpus_alone(browser):
    snapshot = freeze(corpus_of(6, test=9))
    run = done_run(snapshot)
    ids = answers(run, FIRST)
    main = Question.objects.get(corpus=snapshot.corpus)
    again = ask(snapshot.corpus, "again", scheme=main.scheme, seats=3, wording="?")
    address = f"/runs/{run.pk}/predictions/test/"
    sent(browser, address, ids[:3], question="again")
    assert Label.objects.filter(question=again).count() == 9
    assert set(Label.objects.filter(question=again).values_list("label", flat=True)) == {None}
    elsewhere = corpus_of(9, slug="elsewhere")  # ids are made of texts: six of its premises are ours, too
    names = [
        set(Pair.objects.filter(corpus=one).values_list("public_id", flat=True))
        for one in (elsewhere, main.corpus)
    ]
    assert len(names[0] - names[1]) == 9
    sent(browser, address, list(names[0] - names[1]), question="again")
    assert Label.objects.filter(question=again).count() == 9
    refused = browser.post(address, {"do": "open", "pair": ids[:1], "question": "nothing"})
    assert refused.status_code == 404


def test_a_draw_of_a_cell_is_the_same_by_page_and_command_and_no_more_than_asked(browser):
    """The oracle: pairs that are not open yet, in the order of the SHA-256 of seed and key."""
    snapshot = freeze(corpus_of(6, test=9))
    run = done_run(snapshot)
    answers(run, FIRST)
    slug = snapshot.corpus.slug
    main = Question.objects.get(corpus=snapshot.corpus)
    asked = [ask(snapshot.corpus, name, scheme=main.scheme, seats=3, wording="?") for name in ("one", "two")]
    rest = f"/api/v1/runs/{run.pk}/predictions/?partition=test&predicted=entailment"
    names = [row["pairID"] for row in browser.get(rest).json()["results"]]
    keys = Pair.objects.filter(public_id__in=names).values_list("pk", flat=True)
    turns = sorted(keys, key=lambda key: sha256(f"7:{key}".encode()).hexdigest())
    assert len(turns) > 2
    address = f"/runs/{run.pk}/predictions/test/?predicted=entailment"
    form = {"do": "open", "which": "all", "question": "one", "draw": "2", "seed": "7"}
    said = browser.post(address, form)
    assert said.context["effect"].left_out == {"not drawn": len(turns) - 2}
    assert (len(said.context["effect"].keys), said.context["effect"].labels) == (2, 6)
    assert 'name="draw"' in said.text
    browser.post(address, {**form, "confirm": "yes", "expected": 2})
    done = run_command(
        *("open_pairs", slug, "--question", "two", "--predictions", f"{run.pk}/test"),
        *("--where", "predicted=entailment", "--number", "2", "--seed", "7", "--json"),
    )
    assert (done.json["opened"], done.json["left"]) == (2, len(turns) - 2)
    for question in asked:
        pairs = set(Label.objects.filter(question=question).values_list("pair", flat=True))
        assert pairs == set(turns[:2])


@pytest.mark.parametrize("given", [{"draw": "0"}, {"draw": "many"}, {"draw": "2", "seed": "-1"}])
def test_a_draw_that_is_no_number_is_refused(browser, snapshot, given):
    run = done_run(snapshot)
    dynamics(run)
    answer = browser.post(f"/runs/{run.pk}/data-map/", {"do": "open", "which": "all", **given})
    assert answer.status_code == 422
    assert "must be a whole number from" in answer.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--where", "label=neutral"], "name them by --predictions RUN/PARTITION"),
        (["--predictions", "999/test"], "there is no run '999'"),
        (["--predictions", "{run}/train"], "--predictions: "),
        (["--predictions", "{run}/test", "--where", "mood=odd"], "'mood=odd' is no KEY=VALUE. Keys: "),
        (["--predictions", "{run}/test", "--where", "label="], "'label=' is no KEY=VALUE"),
        (["--predictions", "{run}/test", "--where", "outcome=odd"], "There is no outcome 'odd'"),
    ],
)
def test_predictions_that_are_not_there_are_said(snapshot, options, said):
    run = done_run(snapshot)
    answers(run, FIRST[:3])
    result = run_command("open_pairs", snapshot.corpus.slug, *(each.format(run=run.pk) for each in options))
    assert said in result.failure
