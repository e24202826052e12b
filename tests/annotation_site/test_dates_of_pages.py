"""Dates on researchers' pages: one format on all of them, in the reader's time zone, with UTC beside it."""

import re
from datetime import UTC, date, datetime

import pytest
from django.template import Context, Template

from accounts.templatetags.dates import READERS_ZONE, day, moment
from tests.addresses import addresses, finish, sample_site
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
site = made_once(sample_site)

TIME = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
# What a reader does not see as a date: files and names in code, values of fields, data of scripts, dates in the one format.
HIDDEN = re.compile(
    r"<(script|pre|code|textarea|style)\b.*?</\1>|<time datetime=\"[^\"]+\" title=\"[^\"]+\">[^<]*</time>|<[^>]*>",
    re.DOTALL,
)
MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
OTHER_FORMATS = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}} (?:{MONTHS})\b|\b\d{{1,2}}/\d{{1,2}}/\d{{4}}\b"
    rf"|\b(?:{MONTHS}|May|(?:Jan|Feb|Sept|Oct|Nov|Dec)\.) \d{{1,2}}\b|\b[A-Z][a-z]{{2}} \d{{4}}, \d\d:\d\d"
)


def test_a_time_is_the_readers_with_utc_beside_it():
    token = READERS_ZONE.set(None)
    try:
        assert ">22 Nov 2026, 23:30 UTC</time>" in moment(TIME)
        assert day(TIME) == "22 Nov 2026"
    finally:
        READERS_ZONE.reset(token)
    assert (moment(None), day(None)) == ("", "")
    assert day(date(2026, 5, 1)) == "1 May 2026"


def test_the_zone_is_that_of_the_browser_and_of_one_request(browser_of, rosa, site):
    client, address = browser_of(rosa), "/snapshots/"
    client.cookies["quintet-zone"] = "Asia/Tokyo"
    shown = re.findall(
        r'<time datetime="([^"]+)" title="([^"]+) UTC">([^<]+)</time>', client.get(address).content.decode()
    )
    assert shown
    for iso, in_utc, local in shown:
        assert in_utc != local
        assert f"{datetime.fromisoformat(iso):%H:%M}" in in_utc
    client.cookies["quintet-zone"] = "../../etc/passwd"
    assert " UTC</time>" in client.get(address).content.decode()
    assert READERS_ZONE.get() is None


def test_every_page_writes_dates_in_the_one_format(browser_of, rosa, site):
    client, seen, found = browser_of(rosa), 0, []
    for address in addresses(site):
        if address.route.startswith("api/") or (
            address.route.startswith("admin/") and address.route != "admin/"
        ):
            continue
        answer = client.get(address.url)
        finish(answer)
        content = b"" if answer.streaming else answer.content
        if answer.status_code == 200 and b'class="workspace"' in content:
            seen += 1
            found += [
                (address.url, each) for each in OTHER_FORMATS.findall(HIDDEN.sub(" ", content.decode()))
            ]
    assert seen > 30
    assert sorted(set(found)) == []


@pytest.mark.parametrize(
    "shown", ["{{ t }}", "{{ t|date:'Y-m-d' }}", "{{ t|date:'j F Y' }}", "{{ t|date:'DATE_FORMAT' }}"]
)
def test_other_formats_would_be_found(shown):
    assert OTHER_FORMATS.search(Template(shown).render(Context({"t": TIME})))


def test_the_records_have_the_format_of_the_pages(browser_of, rosa, site):
    text = browser_of(rosa).get("/admin/collection/visit/").content.decode()
    assert re.search(r">\s*\d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d\s*<", text)
    assert not re.search(r"\b[ap]\.m\.", text)
