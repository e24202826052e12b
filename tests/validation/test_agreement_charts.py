"""Charts of agreement: the numbers of the report, published values beside them, and links to the very pairs."""

import csv
import io
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

import pytest
from lxml import html

from collection.models import Pair
from shared.figures import shown
from tests.charted import charted_corpus, charts_in
from tests.corpora import make_corpus
from tests.made_once import made_once
from validation.models import Question
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.pair_sets import put_into_set
from validation.statistics import agreement_figures as module
from validation.statistics.agreement import report
from validation.statistics.extra_labels import place
from validation.statistics.scope import Counted
from validation.statistics.vote_patterns import DIMENSIONS

pytestmark = pytest.mark.django_db
PAGE = "/corpora/charted/agreement/"


@made_once
def question() -> Question:
    return charted_corpus().questions.get()


def charts(question: Question, by: str = "genre") -> dict:
    found = report(Pair.objects.filter(corpus=question.corpus), question, by=by)
    parameters = module.By(by=by)
    made = shown(module.FIGURES, question, Counted(question, found), parameters)
    return {each.figure.name: each.table for each in made}


def behind(question: Question, address: str) -> set[str]:
    """Returns the pairs that the list shows at this address, on all of its pages."""
    path, query = urlsplit(address).path, dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
    assert path == "/corpora/charted/pairs/"
    found: list[str] = []
    after: int | None = 0
    while after is not None:
        page, after = pairs_to_read(question, Wanted(**query), after=after)
        found += [pair.public_id for pair in page]
    return set(found)


TABLES = [f"agreement-{each}" for each in ("alpha", "gold-labels", "gold-sources", "extra-disagreement")]


def test_page_rest_and_file_have_the_same_numbers(question, browser_of, api_of, rosa):
    client = browser_of(rosa)
    page = client.get(PAGE)
    on_page = charts_in(page.content)
    absent = (*TABLES, "agreement-single-premises")
    assert list(on_page) == [figure.name for figure in module.FIGURES if figure.name not in absent]
    for key in TABLES:
        told = api_of(rosa).get(f"/api/v1/corpora/charted/figures/{key}").json()
        assert told["title"] in page.text, key
        shown = {row[0]: row[1:] for row in _texts(page.content, told["title"])}
        assert list(shown) == [str(row[told["columns"][0]["key"]]) for row in told["rows"]]
    for key, chart in on_page.items():
        address = f"/api/v1/corpora/charted/figures/{key}"
        assert api_of(rosa).get(address).json() == {**chart, "made_at": None}
        header, *rows = csv.reader(io.StringIO(client.get(address, {"as": "csv"}).content.decode()))
        assert header == [column["key"] for column in chart["columns"]]
        assert [row[0] for row in rows] == [str(row[header[0]]) for row in chart["rows"]]
        assert client.get(address, {"by": "weather"}).status_code == 422


def _texts(page: bytes, title: str) -> list[list[str]]:
    """Returns the cells of the rows of a figure's table on a page."""
    (figure,) = (each for each in html.fromstring(page).xpath("//figure") if title in each[0].text_content())
    rows = figure.xpath(".//tbody/tr")
    return [[cell.text_content() for cell in row] for row in rows]


def test_the_figures_stand_beside_the_published_ones_with_their_intervals(question):
    found = report(Pair.objects.all(), question)
    rows = {row["figure"]: row for row in charts(question)["agreement-shares"].rows}
    row = rows["unanimous gold label"]
    assert (row["here"], row["SNLI"], row["MultiNLI"]) == (found.figures["unanimous"], 0.583, 0.582)
    assert [row["low"], row["high"]] == found.intervals["unanimous"]
    assert row["alone"] == found.breakdown["validators_alone"]["unanimous"]


# Each opens many lists of pairs: one that is ordered by kappa and one by time in the first grade.
@pytest.mark.parametrize(
    "by",
    [by if by == "week" else pytest.param(by, marks=pytest.mark.thorough) for by in DIMENSIONS],
)
def test_a_point_leads_to_its_pairs(question, by):
    keys = list(Pair.objects.filter(corpus=question.corpus).order_by("pk").values_list("pk", flat=True))
    put_into_set(corpus=question.corpus, name="For the paper", keys=keys[::2])
    put_into_set(corpus=question.corpus, name="Read", keys=keys[: len(keys) // 2])
    found = charts(question, by)
    for key in ("agreement-groups", "agreement-splits"):
        for row in found[key].rows:
            assert len(behind(question, row["href"])) == row["pairs"], row
    kappas = [row["kappa"] for row in found["agreement-groups"].rows]
    names = [row["group"] for row in found["agreement-groups"].rows]
    days = [datetime.strptime(name, "%d %b %Y") for name in names] if by == "week" else []
    assert days == sorted(days) if by == "week" else kappas == sorted(kappas, reverse=True)


def test_a_corpus_without_named_sets_says_so_instead_of_groups(question, browser_of, rosa):
    page = browser_of(rosa).get(f"{PAGE}?by=set")
    assert "No pair with all its labels is in such a group." in page.content.decode()


def test_a_cell_leads_to_its_pairs(question):
    chart = charts(question)["agreement-author-and-gold"]
    for row in chart.rows:
        for key, address in row["hrefs"].items():
            assert len(behind(question, address)) == row[key]
    assert sum(row["-"] for row in chart.rows) == len(behind(question, "/corpora/charted/pairs/?gold=-")) > 0


def test_votes_split_in_each_group_as_in_the_whole(question):
    whole, *groups = charts(question)["agreement-splits"].rows
    assert sum(row["pairs"] for row in groups) == whole["pairs"]
    for split in ("5", "4-1", "3-2", "3-1-1", "2-2-1"):
        together = sum(row[split] * row["pairs"] for row in groups) / whole["pairs"]
        assert together == pytest.approx(whole[split])


def test_groups_of_few_pairs_are_faint_and_said_nothing_of(question):
    chart = charts(question)["agreement-groups"]
    assert {row["group"]: row["faint"] for row in chart.as_json()["rows"]} == {
        "Fiction": False, "Telephone": False, "Letters": True
    }  # fmt: skip
    assert chart.rows[0]["group"] == "Letters", "it has the highest kappa"
    ends = "0.42 to 0.44"
    assert chart.title == f"Fleiss’ kappa is {ends}: no genre stands out, among those with 30 pairs or more."


def test_of_many_groups_the_largest_are_drawn(question, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    chart = charts(question)["agreement-groups"]
    assert {row["group"] for row in chart.rows} == {"Fiction", "Telephone"}
    assert "The 2 with most pairs of 3;" in chart.note


def test_extra_labels_lie_where_their_shares_are(question):
    chart = charts(question)["agreement-extra-labels"]
    assert sum(row["pairs"] for row in chart.rows) == 56
    for row in chart.rows:
        assert row["entailment"] + row["neutral"] + row["contradiction"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("votes", "found"),
    [((20, 0, 0), "20-0-0"), ((1, 1, 1), "7-7-6"), ((90, 9, 1), "18-2-0"), ((0, 0, 3), "0-0-20")],
)
def test_shares_in_twentieths_sum_up(votes, found):
    assert place(votes) == found


def test_a_corpus_without_labels_has_no_charts(browser_of, rosa):
    make_corpus()
    page = browser_of(rosa).get("/corpora/small/agreement/")
    assert page.status_code == 200
    assert charts_in(page.content) == {}


def test_an_unknown_group_is_empty_and_an_unknown_dimension_is_not_found(question, browser_of, rosa):
    client = browser_of(rosa)
    assert client.get("/corpora/charted/pairs/?by=week&group=soon").context["pairs"] == []
    assert client.get("/corpora/charted/pairs/?by=weather&group=").status_code == 404
