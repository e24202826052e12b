"""The next sensible step for a corpus: the first rule that holds."""

from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.models import ConsentForm
from annotation_site.workspace.next_step import State, next_step
from annotation_site.workspace.pipeline import Counts, counts_of
from annotation_site.workspace.waiting import Waiting
from collection.models import PromptVersion
from collection.premises.writing_seats import make_seats
from snapshots.models import Snapshot
from tests.corpora import make_corpus, make_premise
from validation.models import Question

pytestmark = pytest.mark.django_db

DONE = Counts(premises=10, tasks=10, written=10, pairs=300, opened=300, complete=300, gold=290)


@pytest.fixture
def state():
    corpus = make_corpus()
    return State(corpus, Question.objects.get(corpus=corpus), DONE, [], None)


def button_of(state: State, **changed) -> str:
    counts = {name: changed.pop(name) for name in list(changed) if hasattr(DONE, name)}
    step = next_step(replace(state, counts=replace(state.counts, **counts), **changed))
    return step.button if step else ""


def test_the_first_rule_that_holds_decides(state):
    report = Waiting("small", "A report without an answer", "Answer", "/reports/")
    assert button_of(state, question=None, pairs=0, premises=0) == "Load the corpus file"
    assert button_of(state, pairs=0, premises=0) == "Import the first ones"
    assert button_of(state, written=4, unopened=300) == "Make an entry link for writers"
    assert button_of(state, written=4, unopened=300, writing=2) == "Open pairs"
    assert button_of(state, unopened=49, open_seats=3, labelling=2) == "Invite annotators"
    assert button_of(state, open_seats=3, labelling=3, waiting=[report]) == "Answer"
    assert button_of(state, waiting=[replace(report, slug="other")]) == "Plan a freeze"


def test_a_consent_text_with_a_blank_comes_before_all_work(state):
    state.corpus.consent_form = ConsentForm.objects.create(
        title="Before you begin", text="Write to [name and e-mail address].", digest="1"
    )
    assert button_of(state, written=4) == "Load the corpus file with the text"


def test_opening_says_what_the_labels_cost(state):
    step = next_step(replace(state, counts=replace(DONE, unopened=200, opening_cents=4000)))
    assert step is not None
    assert "200 pairs" in step.sentence
    assert "$40.00" in step.sentence


def test_a_frozen_corpus_is_checked_for_bias_and_gets_its_datasheet(state):
    snapshot = Snapshot.objects.create(
        corpus=state.corpus,
        version=1,
        seed=0,
        pair_count=300,
        status="frozen",
        sha256="0" * 64,
        frozen_at=timezone.now(),
    )
    assert button_of(state, newest=snapshot) == "Train baselines on small@1"
    assert button_of(state, newest=snapshot, pairs=301, opened=301) == "Plan a freeze"


def test_texts_still_to_write_cost_what_the_newest_version_pays_whatever_row_came_last():
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "Rain falls.")])
    PromptVersion.objects.update(number=2)
    PromptVersion.objects.create(prompt=corpus.prompts.get(), number=1, pay_cents=99, digest="2")
    counts = counts_of([corpus])[corpus.pk]
    assert counts is not None
    assert counts.due_texts == 30
