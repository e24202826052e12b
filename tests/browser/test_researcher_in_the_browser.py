"""The researcher's path in a real browser: corpora, overview, agreement, a snapshot, a run, its accuracy.

The worker's part is done here by calling what its tasks call; tests/annotation_site/test_embedded.py lets a real
worker do it.
"""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.people.registration import create_person
from collection.models import Pair
from jobs.claims import claim
from modeling.models import TrainingRun
from modeling.running.runner import carry_out
from snapshots.freezing.job import freeze_snapshot
from snapshots.models import Snapshot
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.corpora import LABELS, make_corpus, make_pair, make_premise
from validation.labelling.claiming import claim_batch
from validation.labelling.seats import questions_with_work
from validation.labelling.submitting import submit_batch
from validation.pairs.opening import open_for_validation


@pytest.fixture
def corpus(db):
    """Makes eight premises with a pair for each label; four validators label all of them and agree."""
    corpus = make_corpus(dev_pairs_per_genre=6, test_pairs_per_genre=6)
    author = create_person(username="wim", password=None)
    for number in range(8):
        premise = make_premise(corpus, f"Sentence number {number} about a quiet town.")
        for label in LABELS:
            make_pair(corpus, premise, f"It is {label} indeed {number}.", author=author, author_label=label)
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    for number in range(4):
        label_everything(question, create_person(username=f"validator-{number}", password=None))
    return corpus


def label_everything(question, annotator) -> None:
    while questions_with_work([(question.pk, 0)], annotator.pk, timezone.now()):
        batch = claim_batch(question=question, annotator=annotator)
        # A batch does not reveal the author's label.
        labels = {
            item.seat.token: Pair.objects.get(pk=item.seat.pair.pk).author_label for item in batch.items
        }
        submit_batch(
            annotator=annotator, token=batch.assignment.token, labels=labels, key=batch.assignment.token
        )


def to_section(page: Page, name: str) -> None:
    """Goes to a section of the corpus: by the column on a desk, by the menu on a phone."""
    menu = page.get_by_role("button", name="Menu")
    if menu.is_visible():
        menu.click()
    page.get_by_role("navigation", name="Sections").get_by_role("link", name=name, exact=True).click()


@pytest.mark.thorough
@LOOKS
def test_from_the_overview_to_a_snapshot_and_the_accuracy_of_a_run(live_server, watched, rosa, corpus, look):
    page = watched(rosa, **look)
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="The small corpus")).to_be_visible()
    found = complaints(page, "all corpora")
    page.get_by_role("link", name="The small corpus", exact=True).click()
    expect(page.get_by_role("heading", name="The small corpus")).to_be_visible()
    found += complaints(page, "overview")

    to_section(page, "Agreement")
    figures = page.locator("figure[data-chart=agreement-shares]")
    expect(
        figures.locator(".chart-picture svg").first
    ).to_be_visible()  # the script has folded the table away
    figures.locator(".chart-more > summary").click()
    expect(figures.locator("tr", has_text="unanimous gold label")).to_contain_text("100.0%")
    expect(figures.locator("dd", has_text="Share of pairs whose labels")).to_be_visible()
    found += complaints(page, "agreement")
    assert no_sideways_scroll(page)

    page.goto("/c/small/")
    page.get_by_role("region", name="Next step").get_by_role("link", name="Plan a freeze").click()
    found += complaints(page, "plan")
    page.get_by_role("button", name="Freeze 24 pairs").click()
    freeze_snapshot(snapshot_id=Snapshot.objects.get().pk)
    page.get_by_role("tab", name="Files", exact=True).click()
    expect(page.get_by_role("link", name="train.jsonl")).to_be_visible()
    found += complaints(page, "snapshot")
    assert no_sideways_scroll(page)

    page.get_by_role("link", name="Train a baseline on it").click()
    page.get_by_label("Baseline").select_option("majority")
    found += complaints(page, "new run")
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("has no worker")).to_be_visible()
    claimed = claim(TrainingRun, TrainingRun.objects.get().pk, worker="test")
    assert claimed is not None
    carry_out(claimed)
    accuracy = page.get_by_role("region", name="Accuracy", exact=True)
    expect(accuracy.get_by_role("row", name="test")).to_contain_text("33.3%")
    found += complaints(page, "run")
    assert no_sideways_scroll(page)

    page.goto("/c/small/")
    # The table of the chart of baselines is folded where there are scripts, but it is there.
    expect(page.locator("figure.chart tbody").last).to_contain_text("33.3%")
    found += complaints(page, "overview with a run")
    assert found == []
