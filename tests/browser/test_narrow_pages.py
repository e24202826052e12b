"""No page is wider than a phone, 360 pixels: those of researchers, and a person's own, where no part scrolls sideways."""

import pytest

from accounts.sign_in.tokens import create_api_token
from collection.models import PromptVersion
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing, submit_writing
from tests.addresses import addresses, finish, sample_site
from tests.browser.looks import PHONE, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.corpora import LABELS

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


@pytest.mark.thorough
def test_a_persons_own_pages_show_all_on_a_phone_in_german(live_server, watched, ana):
    corpus = make_site(ana)
    texts = {label: f"It is {label} here." for label in LABELS}
    submit_writing(
        annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, texts=texts, key="k"
    )
    skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, problem="A slip.")
    create_api_token(user=ana, name="script")
    page, found = watched(ana, **PHONE, locale="de"), []
    for address, shown in (
        ("/mine/", "0.30"),
        ("/work/mine/", "0.30"),
        ("/work/mine/writing/", "0.30"),
        ("/work/reports/", "A slip."),
    ):
        page.goto(address)
        page.get_by_text(shown).first.wait_for()
        assert no_sideways_scroll(page), address
        assert page.locator(".table-scroll").count() == 0, address
        found += complaints(page, address)
    assert found == []
