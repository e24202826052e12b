"""Saved filters: a name for the address of a list, shown in that list, to the person who saved it."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import SavedFilter
from accounts.people.erasure import erase_person
from accounts.people.saved_filters import LISTS
from tests.cast import person
from tests.corpora import make_corpus, make_pair, make_premise

pytestmark = pytest.mark.django_db

SAVE, LIST = "/saved-filters/", "/corpora/small/pairs/"


@pytest.fixture
def browser(browser_of, rosa):
    corpus = make_corpus()
    make_pair(corpus, make_premise(corpus, "A dog runs."), "It moves.", author_label="neutral")
    return browser_of(rosa)


def test_a_filter_is_saved_shown_replaced_and_deleted(browser):
    assert "Save this filter" not in browser.get(LIST).content.decode()  # nothing is chosen
    query = "gold=&author_label=neutral&order=newest&after=7&pair=x"
    assert "Save this filter" in browser.get(f"{LIST}?{query}").content.decode()
    page = browser.post(SAVE, {"page": LIST, "query": query, "name": " My  neutral "}, follow=True)
    assert page.redirect_chain == [(f"{LIST}?author_label=neutral&order=newest", 302)]
    said = page.content.decode()
    assert (
        f'<a href="{LIST}?author_label=neutral&amp;order=newest" aria-current="true">My neutral</a>' in said
    )
    assert "Save this filter" not in said  # it is saved
    assert "My neutral" in browser.get(LIST).content.decode()
    assert "My neutral" not in browser.get("/c/small/premises/").content.decode()
    browser.post(SAVE, {"page": LIST, "query": "text=dog", "name": "My neutral"})
    saved = SavedFilter.objects.get()
    assert saved.query == "text=dog"
    browser.post(SAVE, {"page": LIST, "delete": saved.pk})
    assert not SavedFilter.objects.exists()


def test_filters_are_ones_own(browser, browser_of, rosa):
    other = person("other", role="researcher")
    browser.post(SAVE, {"page": LIST, "query": "text=dog", "name": "Dogs"})
    stranger = browser_of(other)
    assert "Dogs" not in stranger.get(LIST).content.decode()
    stranger.post(SAVE, {"page": LIST, "delete": SavedFilter.objects.get().pk})
    assert SavedFilter.objects.count() == 1


@pytest.mark.parametrize(
    "page", ["https://elsewhere.example/", "//elsewhere.example", "/mine/", "/nowhere/", ""]
)
def test_only_lists_have_saved_filters(browser, page):
    answer = browser.post(SAVE, {"page": page, "query": "text=dog", "name": "Dogs"})
    assert answer.status_code == 404
    assert not SavedFilter.objects.exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"query": "text=dog", "name": " "}, "Give the filter a name"),
        ({"query": "text=dog", "name": "a" * 101}, "Give the filter a name"),
        ({"query": "text=&after=3", "name": "Nothing"}, "Choose a filter first"),
        ({"query": f"text={'a' * 2000}", "name": "Long"}, "too long to save"),
    ],
)
def test_what_cannot_be_saved_says_why(browser, sent, said):
    page = browser.post(SAVE, {"page": LIST, **sent}, follow=True)
    assert said in page.content.decode()
    assert not SavedFilter.objects.exists()


def test_the_database_takes_no_second_one_and_none_without_a_name(rosa):
    SavedFilter.objects.create(user=rosa, page=LIST, name="Dogs", query="text=dog")
    for values in (
        {"name": "Dogs", "query": "text=cat"},
        {"name": "", "query": "a=b"},
        {"name": "x", "query": ""},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            SavedFilter.objects.create(user=rosa, page=LIST, **values)


def test_they_go_with_the_person(rosa):
    SavedFilter.objects.create(user=rosa, page=LIST, name="Dogs", query="text=dog")
    erase_person(user=rosa)
    assert not SavedFilter.objects.exists()


def test_each_list_offers_to_save(browser):
    pages = {"pairs": LIST, "premises": "/c/small/premises/", "texts": "/c/small/texts/", "runs": "/runs/"}
    pages["annotators"] = "/corpora/small/annotators/"
    for name, page in pages.items():
        assert name in LISTS
        narrowed = browser.get(f"{page}?corpus=small&status=done")
        assert "Save this filter" in narrowed.content.decode(), page
