"""Statistics in the browser and over REST: requested, then shown with charts, tables and CSV."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from snapshots.models import SnapshotStatistics
from snapshots.statistics.job import EDITIONS
from snapshots.statistics.paper_tables import TABLES
from tests.charted import charts_in
from tests.jobs.material import work
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db


@made_once
def snapshot():
    return freeze(corpus_of(6))


@pytest.fixture
def done(snapshot, sent, browser_of, rosa):
    browser_of(rosa).post(f"/snapshots/{snapshot.pk}/statistics/ask/")
    for key in sent:
        work(SnapshotStatistics.objects.get(pk=key))
    return snapshot


@pytest.fixture
def page(browser_of, rosa):
    def read(snapshot, **headers):
        answer = browser_of(rosa).get(f"/snapshots/{snapshot.pk}/statistics/", headers=headers)
        assert answer.status_code == 200
        return html.fromstring(answer.content)

    return read


def test_the_page_first_says_what_there_is_to_do(snapshot, page):
    found = page(snapshot)
    assert found.xpath("//form[contains(@action, '/statistics/ask/')]//button")
    assert len(found.xpath("//p[text()='Not computed yet.']")) == 3
    assert not SnapshotStatistics.objects.exists()


def test_asking_sends_each_kind_to_a_worker_once(snapshot, sent, browser_of, rosa, page):
    for _ in range(2):
        browser_of(rosa).post(f"/snapshots/{snapshot.pk}/statistics/ask/")
    rows = SnapshotStatistics.objects.all()
    assert {row.kind for row in rows} == {"corpus", "artifacts", "tags"}
    assert set(sent) == {row.pk for row in rows}
    found = page(snapshot)
    assert "waiting for a worker" in found.text_content()
    assert found.xpath("//*[@id='statistics']/@hx-get")
    assert page(snapshot, hx_request="true").get("id") == "statistics"


def test_every_table_is_shown_with_its_definitions_and_its_files(done, page, browser_of, rosa):
    found = page(done)
    assert not found.xpath("//*[@id='statistics']/@hx-get")
    tables = [each for name, each in TABLES.items() if not each.only_with_rows or name == "two_classes"]
    assert {each.text for each in found.xpath("//h3")} == {each.title for each in tables}
    links = found.xpath("//a[contains(@href, '.csv')]/@href")
    assert len(tables) == len(found.xpath("//summary[text()='Definitions of these statistics']"))
    assert len(links) == len(tables) + len(found.xpath("//figure"))
    for link in links:
        answer = browser_of(rosa).get(link)
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert len(list(csv.reader(io.StringIO(answer.content.decode())))) > 1
    (overlap,) = found.xpath("//a[contains(@href, '/overlap.tex')]/@href")
    assert browser_of(rosa).get(overlap).content.startswith(b"\\begin{table}")
    assert len(found.xpath("//a[contains(@href, '.tex')]")) == len(tables)


def test_curves_have_the_columns_of_their_tables_and_the_colours_of_the_labels(done, browser_of, rosa):
    charts = charts_in(browser_of(rosa).get(f"/snapshots/{done.pk}/statistics/").content)
    lengths, answerable = charts["length_distribution"], charts["answerable"]
    assert lengths["draw"]["series"] == ["premises", "hypotheses"]
    assert len(answerable["draw"]["series"]) == 6
    labels = ("--label-e", "--label-n", "--label-c")
    assert [answerable["colours"][name] for name in answerable["draw"]["series"]] == [*labels, *labels]


def test_the_page_costs_a_few_queries(done, browser_of, rosa):
    client = browser_of(rosa)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(f"/snapshots/{done.pk}/statistics/")
    assert len(queries) <= 7


def test_a_failure_is_told_and_can_be_asked_for_again(snapshot, sent, page):
    SnapshotStatistics.objects.create(
        snapshot=snapshot,
        kind="corpus",
        edition=EDITIONS["corpus"],
        status="failed",
        error="train.jsonl is torn.",
    )
    found = page(snapshot)
    assert found.xpath("//p[@class='error' and text()='train.jsonl is torn.']")
    assert found.xpath("//button[text()='Compute the statistics']")


def test_only_researchers_read_statistics(done, browser_of, ana):
    for path in ("", "overlap.csv"):
        assert browser_of(ana).get(f"/snapshots/{done.pk}/statistics/{path}").status_code in (302, 403)


def test_an_unknown_table_is_not_found(done, browser_of, rosa):
    assert browser_of(rosa).get(f"/snapshots/{done.pk}/statistics/nonsense.csv").status_code == 404


class TestRest:
    def test_asking_answers_at_once_and_the_figures_come_when_they_are_done(
        self, snapshot, sent, api_of, rosa
    ):
        api, address = api_of(rosa), f"/api/v1/snapshots/{snapshot.pk}/statistics/"
        assert api.get(address).json() == []
        asked = api.post(address)
        assert asked.status_code == 202
        (artifacts,) = [row for row in asked.json() if row["kind"] == "artifacts"]
        assert artifacts["status"] == "requested"
        assert api.get(artifacts["url"]).status_code == 404
        for key in sent:
            work(SnapshotStatistics.objects.get(pk=key))
        assert {row["status"] for row in api.get(address).json()} == {"done"}
        told = api.get(artifacts["url"]).json()
        assert told["pairs"] == {"entailment": 6, "neutral": 6, "contradiction": 6}
        assert "corrected_p" in told["definitions"]

    def test_annotators_may_not_read_them(self, snapshot, api_of, ana):
        assert api_of(ana).get(f"/api/v1/snapshots/{snapshot.pk}/statistics/").status_code == 403


def test_counts_of_pairs_lead_to_these_pairs(done, page, browser_of, rosa):
    """A link of a table or a chart says as many pairs as its list has: of ten addresses, the most different ones."""
    links = page(done).xpath("//td[@class='number']/a[contains(@href, '/pairs/')]")
    numbers = {link.get("href"): link.text_content().replace(",", "") for link in links}
    assert len(numbers) > 20
    browser = browser_of(rosa)
    for address in sorted(numbers)[:: len(numbers) // 10]:
        assert str(browser.get(address).context["number"]) == numbers[address], address


def test_a_word_leads_to_the_hypotheses_that_have_it(done, page, browser_of, rosa):
    link = page(done).xpath("//a[contains(@href, '/pairs/?text=')]")[0]
    assert browser_of(rosa).get(link.get("href")).context["number"] > 0
