"""A person's page: their statistics beside everybody's, flags with their rules, and their newest labels."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from lxml import html

from collection.models import Corpus, Pair
from tests.cast import ana, person, stan
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.annotators.exclusion import exclude
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, CachedStatistics, Question
from validation.pairs.opening import open_for_validation
from validation.statistics import cached
from validation.statistics.annotator_quality import annotators
from validation.statistics.annotator_table import spread_of
from validation.tasks import refresh_statistics

pytestmark = pytest.mark.django_db

PEOPLE = ("reads", "reads too", "and too", "guesses")


@made_once
def corpus() -> Corpus:
    """Makes thirty pairs: three people give entailment or contradiction by the pair, one always neutral, and fast."""
    corpus = make_corpus()
    for number in range(30):
        premise = make_premise(corpus, f"Premise {number}.")
        author_label = ("entailment", "contradiction")[number % 2]
        make_pair(corpus, premise, f"Sentence {number}.", author=ana(), author_label=author_label)
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    for name in PEOPLE:
        for _ in range(6):
            batch = claim_batch(question=question, annotator=person(name))
            labels = {
                item.seat.token: "neutral"
                if name == "guesses"
                else Pair.objects.get(pk=item.seat.pair_id).author_label
                for item in batch.items
            }
            times = dict.fromkeys(labels, 500 if name == "guesses" else 6000)
            token = batch.assignment.token
            submit_batch(annotator=person(name), token=token, labels=labels, key=token, active_ms=times)
    return corpus


def page_of(browser, name: str) -> str:
    return browser.get(f"/corpora/small/pool/{person(name).code}/").content.decode()


def test_flags_stand_with_their_rules_and_figures_beside_everybodys(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    page = page_of(browser, "guesses")
    for flag in ("too fast", "one label", "others by chance"):
        assert f"<strong>{flag}</strong>" in page
    assert "75th percentile" in page
    assert "<strong>" not in page_of(browser, "reads")


def test_the_newest_labels_stand_beside_gold_and_lead_to_their_pairs(corpus, browser_of, rosa):
    page = page_of(browser_of(rosa), "guesses")
    newest = Pair.objects.get(hypothesis="Sentence 3.")
    assert len(re.findall('/corpora/small/pairs/[^/"]+/', page)) == 30
    assert f"/corpora/small/pairs/{newest.public_id}/" in page
    assert "0.5</td>" in page


def test_somebody_who_never_labelled_has_a_page_all_the_same(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    browser.post("/corpora/small/pool/", {"name": stan().code})
    page = browser.get(f"/corpora/small/pool/{stan().code}/").content.decode()
    assert "0 labels, and 0 withdrawn ones" in html.fromstring(page).text_content()
    assert "Newest labels" not in page


def test_of_a_large_corpus_the_page_says_where_figures_are_counted(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 2)
    assert "There are no statistics yet" in page_of(browser_of(rosa), "reads")


def test_a_quarter_half_and_three_quarters_are_told_from_four_people_on(corpus):
    found = annotators(Question.objects.get())
    spread = dict(spread_of(found, Question.objects.get().labels))
    shares = sorted(one.equals_others for one in found)
    half = spread["median"]
    assert half["equals_others"] == pytest.approx((shares[1] + shares[2]) / 2)
    assert half["share: neutral"] == 0
    assert half["controls"] is None
    assert spread_of(found[:3], Question.objects.get().labels) == []


def test_the_table_of_annotators_ends_with_the_spread(corpus, browser_of, rosa):
    page = browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    assert page.count("<tfoot>") == 1
    assert "75th percentile" in page


def test_the_dashboard_says_where_somebody_is_flagged_until_they_are_excluded(corpus, browser_of, rosa):
    now, question = timezone.now(), Question.objects.get()
    assert cached.stale_annotators(now) == [question]
    refresh_statistics()
    for figures in CachedStatistics.objects.under_way():
        cached.carry_out(statistics_id=figures.pk)
    assert cached.stale_annotators(now + timedelta(hours=1)) == []
    assert cached.flagged() == [(question, 1)]
    page = browser_of(rosa).get("/admin/").content.decode()
    assert "1 annotator is flagged in The small corpus" in page
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(closed_at=now + timedelta(minutes=5))
    assert cached.stale_annotators(now + timedelta(minutes=6)) == []
    assert cached.stale_annotators(now + timedelta(minutes=20)) == [question]
    exclude(corpus=corpus, annotator=person("guesses"), by=rosa, reason="Never reads.")
    assert cached.flagged() == []
