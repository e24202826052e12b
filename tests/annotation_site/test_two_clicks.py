"""Any figure of a corpus is at most two clicks from its overview, and its numbers are links."""

from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.urls import Resolver404, resolve
from lxml import html

from annotation_site.workspace.sections import SECTIONS
from tests.addresses import sample_site
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
site = made_once(sample_site)

# These store something, are files, or are shown within a page that is at most two clicks away: the predictions for a
# pair are in the pair's page, and curves are opened by the form of the list of runs. The run of the sample has no data
# map; a run that has one links to it.
NO_FIGURES = {
    *("start-run", "snapshot-file", "exported-file", "mark-pair", "pair-premises"),
    *("withheld-file", "leaderboard"),  # only where a snapshot withholds labels
    *("pair-predictions", "data-map", "run-curves"),
    "writer",  # from a change of level on the page of reviews, which the sample has none of, or from their sentences
    "earlier-text",  # the sample's file was never replaced
}
# What a researcher would click: address of a page -> XPath of a number in it.
NUMBERS = {
    "/c/{slug}/": (
        "//ol[@class='pipeline']//a/strong",
        "//ol[@class='pipeline']//small/a[contains(., 'labels still wanted')]",
        "//a[contains(., '12 pairs')]",
        "//section[@aria-labelledby='quality']//a",
    ),
    "/c/{slug}/labelling/": ("//dl[@class='number-row']//a[.='12']", "//td/a[starts-with(., '12')]"),
    "/corpora/{slug}/agreement/": ("//p/a[.='12']", "//p/a[.='15 pairs']", "//td/a[.='33.3%']"),
    "/corpora/{slug}/annotators/": ("//td/a[starts-with(., '12')]",),
    "/snapshots/{snapshot}/": (
        "//dd/a[.='12']",
        "//td/a[.='6']",
        "//dl[@id='partitions']//a[.='6']",
        "//li/a[.='12 pairs']",
    ),
    "/snapshots/?corpus={slug}": ("//td/a[starts-with(., '12')]",),
}


def names_on(browser, address: str) -> dict[str, str]:
    """Returns name of an address -> an address of that name, for each link of a page."""
    answer = browser.get(address)
    if answer.status_code != 200 or answer.streaming or "html" not in answer["Content-Type"]:
        return {}
    found: dict[str, str] = {}
    for link in html.fromstring(answer.content).xpath("//main//a/@href | //nav//a/@href"):
        to = urlsplit(urljoin(address, str(link)))
        try:
            name = resolve(to.path).url_name or ""
        except Resolver404:
            continue
        found.setdefault(name, f"{to.path}?{to.query}")
    return found


def test_any_figure_is_at_most_two_clicks_from_the_overview(rosa, browser_of, site):
    browser = browser_of(rosa)
    once = names_on(browser, f"/c/{site.corpus.slug}/")
    twice = {name for address in once.values() for name in names_on(browser, address)}
    wanted = {name for section in SECTIONS for name in (*(name for _, name in section.tabs), *section.pages)}
    assert {section.tabs[0][1] for section in SECTIONS} <= once.keys(), "one click leads to each section"
    assert wanted - NO_FIGURES - once.keys() - twice == set()


def test_numbers_are_links_to_their_pairs_and_people(rosa, browser_of, site):
    browser = browser_of(rosa)
    for pattern, paths in NUMBERS.items():
        address = pattern.format(slug=site.corpus.slug, snapshot=site.snapshot.pk)
        page = html.fromstring(browser.get(address).content)
        for path in paths:
            numbers: Any = page.xpath(f"//main{path}")
            assert numbers, (address, path)
            number = numbers[0]
            link = number if number.tag == "a" else number.getparent()
            answer = browser.get(urljoin(address, link.get("href")))
            assert answer.status_code == 200, (address, path)
