"""No page of researchers is wider than a phone: each address of the site that answers with a page, 360 pixels wide."""

import pytest

from collection.models import PromptVersion
from tests.addresses import addresses, finish, sample_site
from tests.browser.looks import PHONE, no_sideways_scroll

NOT_OURS = ("admin/", "api/", "static/")  # Django's own admin, and the description of REST
LONG = "https://example.org/" + "a-very-long-address-without-a-space/" * 4


@pytest.mark.thorough
def test_no_page_of_researchers_scrolls_sideways_on_a_phone(live_server, watched, browser_of, rosa, sent):
    site = sample_site()
    old = PromptVersion.objects.filter(prompt__corpus=site.corpus).latest("pk")
    old.pk, old.number, old.instructions = None, old.number + 1, f"Write one sentence. See {LONG}\n" * 5
    old.save()
    browser, page, found = browser_of(rosa), watched(rosa, **PHONE), []
    for address in addresses(site):
        if address.route.startswith(NOT_OURS) and address.route != "admin/":
            continue
        answer = browser.get(address.url)
        finish(answer)
        if answer.status_code != 200 or answer.streaming or "text/html" not in answer["Content-Type"]:
            continue
        page.goto(address.url)
        if not no_sideways_scroll(page):
            found.append(address.url)
    assert found == []
