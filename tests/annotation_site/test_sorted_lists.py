"""Lists on researchers' pages: each has a total, sorts by each of its headings, and comes as CSV with all of its rows."""

import csv
import io
import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import pytest
from django.test import RequestFactory
from django.utils import timezone
from lxml import html

from collection.models import AdviceGiven, WritingAssignment
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from tests.addresses import addresses, finish, sample_site
from tests.corpora import make_corpus, make_link
from tests.full_pages import NO_PAGES, OF_WORKERS
from validation.models import Label

pytestmark = pytest.mark.django_db

# Address of the list -> its total on the page; rows of its CSV.
LISTS = {
    "/c/{slug}/links/": ("2 links.", 2),
    "/snapshots/?corpus={slug}": ("1 snapshot.", 1),
    "/runs/?corpus={slug}": ("1 run.", 1),
    "/imports/": ("1 import.", 1),
    "/corpora/{slug}/pool/": ("2 members.", 2),
    "/corpora/{slug}/calibration/": ("1 item.", 1),
    "/corpora/{slug}/pilots/": ("1 prompt.", 1),
    "/corpora/{slug}/pay/": ("1 person.", 1),
    "/c/{slug}/labelling/": ("4 people.", 4),
    "/corpora/{slug}/advice/": ("1 writer,", 1),
    "/corpora/{slug}/vetting/": ("1 withdrawal.", 1),
}
# Lists of other mechanisms, which the pages' own tests cover; here only that they have a total and CSV.
OTHERS = {
    "/admin/": "1 corpus.",
    "/c/{slug}/premises/": "premises.",
    "/c/{slug}/texts/": "text",
    "/corpora/{slug}/pairs/": "pairs.",
    "/corpora/{slug}/annotators/": "annotator",
    "/corpora/{slug}/reports/": "1 report",
    "/snapshots/{snapshot}/pairs/": "pairs.",
}

# Tables that are no lists: figures, settings, the parts of one thing, or a list that another page has in full.
FIGURES = {
    "advice-counts": {"By prompt version", "The kinds"},
    "agreement": {"By gold label", "By"},
    "bias": {"By"},
    "compare-prompts": {"What writers did"},
    "corpus-file": {"Loaded texts"},
    "corpus-overview": {"What is still to be paid"},
    "corpus-settings": {"Questions", "Prompts"},
    "entry-link": {"Ends of a visit"},
    "freeze-plan": {"Pairs by genre and partition"},
    "new-run": {"Settings of"},
    "pair": {"Labels"},
    "pair-predictions": {"Predictions"},
    "pilot": {"The pilots"},
    "pool-member": {"Statistics", "Newest labels"},
    "result-tables": {""},
    "run": {"Accuracy", "The curve", "Mean and spread", "Trials"},
    "run-table": {""},
    "runs": {"Baselines on"},
    "snapshot": {"Files", "Agreement"},
    "snapshot-exports": {"Files of"},
    "snapshot-statistics": {""},
    "import-job": {"Dropped lines"},
    "new-import": {""},
    "health": {""},
    "writer": {"Beside other writers"},
}


def rows_of(browser, address: str) -> list[list[str]]:
    answer = browser.get(address)
    assert "attachment" in answer["Content-Disposition"], address
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return list(csv.reader(io.StringIO(content.decode())))


def csv_on(page: html.HtmlElement) -> str:
    named = page.xpath("//main//a[text()='All of them as CSV' or text()='This table as CSV'][1]/@href")
    (link,) = named or page.xpath("//*[@class='list-bar']/a[text()='CSV']/@href")
    return str(link)


def test_every_list_has_its_total_sorts_and_comes_as_csv(rosa, browser_of):
    site = sample_site()
    make_link(site.corpus, platform="mturk", name="=second wave", completion_code="C")
    Label.objects.filter(cast_at__isnull=False).update(cast_at=timezone.now())
    AdviceGiven.objects.create(
        assignment=WritingAssignment.objects.latest("pk"), label="neutral", advice="empty", refused=False
    )
    browser = browser_of(rosa)
    for pattern, (total, number) in LISTS.items():
        address = pattern.format(slug=site.corpus.slug)
        page = html.fromstring(browser.get(address).content)
        assert total in page.xpath("string(//main)"), address
        heads = page.xpath("//main//th/a[contains(@href, 'sort=')]/@href")
        assert len(heads) >= 3, address
        for head in heads:
            sorted_page = html.fromstring(browser.get(urljoin(address, head).partition("#")[0]).content)
            back: Any = sorted_page.xpath("//th[@aria-sort]/a/@href")
            assert len(back) == 1
            assert back[0] != head, "a second click turns the order round"
        _, *rows = rows_of(browser, urljoin(address, csv_on(page)))
        assert len(rows) == number, address
    for pattern, total in OTHERS.items():
        address = pattern.format(slug=site.corpus.slug, snapshot=site.snapshot.pk)
        page = html.fromstring(browser.get(address).content)
        assert total in page.xpath("string(//main)"), address
        assert rows_of(browser, urljoin(address, csv_on(page))), address
    rows = rows_of(browser, f"/c/{site.corpus.slug}/links/?as=csv&sort=-link")
    assert [row[0] for row in rows] == ["link", "first wave", "'=second wave"], (
        "no spreadsheet executes a name"
    )


def test_each_table_is_a_list_with_total_order_and_csv_or_a_figure(rosa, browser_of):
    """Finds the tables by itself: a new list has all three, or says in FIGURES that it is none."""
    browser, found = browser_of(rosa), []
    for page in addresses(sample_site()):
        if NO_PAGES.fullmatch(page.route) or OF_WORKERS.fullmatch(page.route) or "admin/" in page.route:
            continue
        answer = browser.get(page.url)
        if answer.status_code != 200 or answer.streaming or "html" not in answer["Content-Type"]:
            finish(answer)
            continue
        for table in html.fromstring(answer.content).xpath("//main//table[not(ancestor::figure)]"):
            name = name_of(table)
            if not any(name.startswith(start) for start in FIGURES.get(page.name, ())):
                found += [f"{page.url}: the table “{name}” has no {what}" for what in lacking(table)]
    assert not found, "\n".join(found)


def name_of(table: html.HtmlElement) -> str:
    region: Any = table.xpath("ancestor::*[@role='region'][1]")[0]
    headed = f"string(//*[@id='{region.get('aria-labelledby')}'])"
    return str(region.get("aria-label") or table.xpath(headed))


def lacking(table: html.HtmlElement) -> list[str]:
    files: Any = table.xpath("//main//a[contains(@href, 'as=csv')]")
    said = table.xpath("string(//*[@class='list-said'])")
    beside = [table.xpath("string(caption)"), said, *(link.getparent().text_content() for link in files)]
    has = {
        "order": table.xpath(".//thead//a[contains(@href, 'sort=')] | //main//select[@name='order']"),
        "CSV": files,
        "total": [text for text in beside if re.search(r"\d[\d,]* \w+", str(text))],
    }
    return [what for what, found in has.items() if not found]


def test_corpora_are_in_the_order_that_is_asked_for(rosa, browser_of):
    for slug, name in (("one", "B"), ("two", "A"), ("three", "C")):
        corpus = make_corpus(slug=slug)
        corpus.name = name
        corpus.save()
    rows = rows_of(browser_of(rosa), "/admin/?sort=corpus&as=csv")
    assert [row[0] for row in rows] == ["corpus", "A", "B", "C"]
    page: Any = html.fromstring(browser_of(rosa).get("/admin/?sort=-corpus").content)
    assert [each.text_content() for each in page.xpath("//section//h2/a")] == ["C", "B", "A"]


def test_rows_without_a_value_are_last_either_way():
    columns = [
        Column("name", "Name", value=lambda row: row.name),
        Column("size", "Size", "number", value=lambda row: row.size),
    ]
    rows = [SimpleNamespace(name=name, size=size) for name, size in (("b", 2), ("a", None), ("c", 5))]

    def names(query: str) -> str:
        found = sorted_list(RequestFactory().get(f"/{query}"), rows, columns, "name")
        return "".join(row.name for row in found.rows)

    assert names("") == "abc"
    assert names("?sort=-size") == "cba"
    assert names("?sort=size") == "bca"
    assert names("?sort=nothing") == "abc"
    table = sorted_list(RequestFactory().get("/?genre=x&sort=name&page=2"), rows, columns)
    assert [head.address for head in table.heads] == ["?genre=x&sort=-name", "?genre=x&sort=-size"]
    assert table.csv == "?genre=x&sort=name&as=csv"
    assert "".join(list_as_csv(table.rows, columns)) == "name,size\na,\nb,2\nc,5\n"
