"""Statistics in the browser and over REST: requested, then shown with charts, tables and CSV."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from shared.figures import FIGURES
from snapshots.models import SnapshotStatistics
from snapshots.statistics.job import EDITIONS
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
    absent = ("single-premises", "single-premise-examples", "artifacts-by-prompt")
    figures = [
        each
        for name, each in FIGURES.items()
        if each.scope.name == "snapshot" and each.source and name not in absent
    ]
    titles = [(each.source, each.title) for each in figures]
    titles += [("artifacts", "Give-away word pairs"), ("tags", "Give-away triples")]
    kinds = ("corpus", "artifacts", "tags")
    expected = [title for kind in kinds for source, title in titles if source == kind]
    assert [each.text for each in found.xpath("//h3")] == expected
    for kind in ("csv", "latex", "json"):
        links = found.xpath(f"//a[contains(@href, 'as={kind}')]/@href")
        assert len(links) == len(expected)
        for link in links:
            assert browser_of(rosa).get(link).status_code == 200
    for link in found.xpath("//a[contains(@href, 'as=csv')]/@href"):
        answer = browser_of(rosa).get(link)
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert len(list(csv.reader(io.StringIO(answer.content.decode())))) > 1


def test_curves_have_the_columns_of_their_tables_and_the_colours_of_the_labels(done, browser_of, rosa):
    charts = charts_in(browser_of(rosa).get(f"/snapshots/{done.pk}/statistics/").content)
    lengths, answerable = charts["length-distribution"], charts["answerable"]
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
    assert len(queries) <= 9


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


def test_only_researchers_read_statistics(done, browser_of, api_of, ana):
    assert browser_of(ana).get(f"/snapshots/{done.pk}/statistics/").status_code in (302, 403)
    assert api_of(ana).get(f"/api/v1/snapshots/{done.pk}/figures/overlap").status_code == 403


def test_a_request_over_rest_answers_at_once_and_the_figure_comes_when_it_is_counted(
    snapshot, sent, api_of, rosa
):
    api, address = api_of(rosa), f"/api/v1/snapshots/{snapshot.pk}/figures/words"
    assert api.get(address).status_code == 404
    assert api.post(address).status_code == 202
    assert api.get(address).status_code == 202
    for key in sent:
        work(SnapshotStatistics.objects.get(pk=key))
    told = api.get(address).json()
    assert "corrected p" in {column["key"] for column in told["columns"] if column["definition"]}
    assert api.post(address.replace("words", "agreement")).status_code == 409


def test_counts_of_pairs_lead_to_these_pairs(done, page, browser_of, rosa):
    """A link of a table or a chart says as many pairs as its list has: of ten addresses, the most different ones."""
    links = page(done).xpath("//td[@class='number']/a[contains(@href, '/pairs/')]")
    numbers = {link.get("href"): link.text_content().replace(",", "") for link in links}
    assert len(numbers) > 20
    browser = browser_of(rosa)
    for address in sorted(numbers)[:: len(numbers) // 10]:
        assert str(browser.get(address).context["list"].total[0]) == numbers[address], address


def test_a_word_leads_to_the_hypotheses_that_have_it(done, page, browser_of, rosa):
    link = page(done).xpath("//a[contains(@href, '/pairs/?text=')]")[0]
    assert browser_of(rosa).get(link.get("href")).context["list"].total[0] > 0
