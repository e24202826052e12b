"""No link of a researcher's page leads to an error."""

from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from django.urls import Resolver404, resolve
from lxml import html

from tests.addresses import addresses, finish, sample_site
from tests.full_pages import NO_PAGES, OF_WORKERS

pytestmark = pytest.mark.django_db

# The sample site lacks the file of its import, and those of its run; the pages say so.
MISSING = {"new-import", "run-predictions"}
LINKS = "//main//a[not(ancestor-or-self::*[@hidden])]/@href | //nav//a/@href"


@pytest.mark.thorough
def test_no_link_of_a_researchers_page_leads_to_an_error(rosa, browser_of):
    """Tries one link of each name and set of keys: others of them differ in values alone."""
    browser, tried, found = browser_of(rosa), set(), []
    for page in addresses(sample_site()):
        if NO_PAGES.fullmatch(page.route) or OF_WORKERS.fullmatch(page.route):
            continue
        answer = browser.get(page.url)
        if answer.status_code != 200 or answer.streaming or "html" not in answer["Content-Type"]:
            finish(answer)
            continue
        for link in html.fromstring(answer.content).xpath(LINKS):
            to = urlsplit(urljoin(page.url, str(link)))
            if to.netloc:
                continue
            kind = (name_of(to.path), *sorted({key for key, _ in parse_qsl(to.query)}))
            if kind not in tried and kind[0] not in MISSING:
                tried.add(kind)
                there = browser.get(f"{to.path}?{to.query}")
                finish(there)
                if there.status_code >= 400:
                    found.append((page.url, str(link), there.status_code))
    assert not found, "\n".join(map(str, found))


def name_of(path: str) -> str:
    try:
        return resolve(path).view_name
    except Resolver404:
        return path
