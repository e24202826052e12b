"""Agreement, annotators and own statistics: axe finds nothing serious, all fits a phone, a click starts a count."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import LOOKS, complaints, width_of
from tests.cast import person
from tests.corpora import LABELS, make_corpus, make_pair, make_premise, new_label
from tests.jobs.material import claim_elsewhere, silence
from tests.validation.test_single_premises import ask_of_single_premises, judge
from validation.models import CachedStatistics, Label, Question
from validation.statistics import cached


@pytest.fixture
def scenes(db, vera) -> Question:
    """Makes forty complete pairs of two premises, labelled by Vera and four others, also by single premises."""
    corpus = make_corpus(slug="scenes", protocol="judged")
    question = corpus.questions.get()
    single = ask_of_single_premises(corpus)
    people = [vera, *(person(f"other{n}") for n in range(4))]
    for n in range(40):
        premise = make_premise(corpus, f"One {n}.\nTwo.", sentence_count=2)
        pair = make_pair(corpus, premise, "A sentence.")
        Label.objects.bulk_create(
            new_label(question, pair, LABELS[(n + (position == n % 7)) % 3], position=position, annotator=who)
            for position, who in enumerate(people, start=1)
        )
        judge(single, pair, 1, "een")
        judge(single, pair, 2, "ccc")
    return question


def look_at(page: Page, address: str, state: str) -> list[str]:
    """Opens a page; returns what axe finds, and whether it is wider than the screen."""
    page.goto(address)
    found = complaints(page, f"{address}, {state}")
    if width_of(page) > page.evaluate("innerWidth"):
        found.append(f"{address}, {state}: wider than the screen")
    return found


@pytest.mark.thorough
@LOOKS
def test_figures_that_are_counted_on_the_spot_are_accessible(live_server, watched, rosa, vera, scenes, look):
    page = watched(rosa, **look)
    found = look_at(page, "/corpora/scenes/annotators/", "counted on the spot")
    expect(page.get_by_role("link", name=vera.code, exact=True)).to_be_visible()
    found += look_at(page, "/corpora/scenes/agreement/?by=validator", "counted on the spot")
    expect(
        page.locator("figcaption").get_by_text("The gold label is the label of most single premises")
    ).to_be_visible()
    assert found == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "address",
    [
        pytest.param("/corpora/scenes/annotators/", id="annotators"),
        pytest.param("/corpora/scenes/agreement/?by=week", id="agreement", marks=pytest.mark.thorough),
    ],
)
@LOOKS
def test_a_count_is_accessible_in_each_of_its_states(
    live_server, watched, rosa, scenes, look, address, monkeypatch
):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 20)
    page = watched(rosa, **look)
    found = look_at(page, address, "not counted")
    page.get_by_role("button", name="Count now").first.click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    found += look_at(page, address, "waiting")
    page.get_by_role("button", name="Stop the count").first.click()
    page.get_by_role("button", name="Count now").first.click()
    claim_elsewhere(CachedStatistics, share=0.35)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "35")  # htmx asked
    found += look_at(page, address, "being counted")
    silence(CachedStatistics)
    for row in CachedStatistics.objects.claimable():
        cached.carry_out(statistics_id=row.pk)
    expect(page.get_by_role("button", name="Count again")).to_be_visible()  # by itself
    found += look_at(page, address, "counted")
    assert found == []


@pytest.mark.thorough
@LOOKS
def test_somebodys_own_figures_are_accessible(live_server, watched, vera, scenes, look):
    page = watched(vera, **look)
    page.goto("/work/mine/")
    expect(page.get_by_role("heading", name="Your answers and the final answers")).to_be_visible()
    assert complaints(page, "my work") == []
    assert width_of(page) <= page.evaluate("innerWidth")
