"""The next sensible step for a corpus: the first rule that holds."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import ConsentForm
from annotation_site.workspace.next_step import State, next_step
from annotation_site.workspace.pipeline import Counts, counts_of
from annotation_site.workspace.waiting import Waiting
from collection.models import Pair, PromptVersion
from collection.premises.writing_seats import make_seats
from shared.days import start_of_day
from snapshots.models import Snapshot
from tests.cast import ana, rosa, vera
from tests.corpora import make_corpus, make_pair, make_premise, pay
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation

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
    assert button_of(state, question=None, pairs=0, premises=0) == "Say what they are asked"
    assert button_of(state, pairs=0, premises=0) == "Import premises"
    assert button_of(state, written=4, unopened=300) == "Bring people who write"
    assert button_of(state, written=4, unopened=300, writing=2) == "Open pairs"
    assert button_of(state, unopened=49, open_seats=3, labelling=2) == "Invite annotators"
    assert button_of(state, open_seats=3, labelling=3, waiting=[report]) == "Answer"
    assert button_of(state, waiting=[replace(report, slug="other")]) == "Plan a freeze"
    assert button_of(state, pairs=4, opened=0, complete=0, gold=0, unopened=4) == "Open pairs"
    assert button_of(state, pairs=4, opened=0, gold=0, unopened=4, written=9, writing=2) == ""
    state.corpus.protocol = "judged"
    assert button_of(state, pairs=0, premises=0) == "Import the first ones"


def test_annotators_are_invited_by_mail_first_and_by_code_second(state, browser_of, rosa):
    step = next_step(replace(state, counts=replace(DONE, open_seats=3)))
    assert step.link == "/c/small/invitations/"
    page = browser_of(rosa).get(step.link).content.decode()
    assert page.index('name="addresses"') < page.index('href="/corpora/small/pool/"')
    state.corpus.questions.update(is_main=False)
    assert "/pool/" not in browser_of(rosa).get(step.link).content.decode()


def test_a_consent_text_with_a_blank_comes_before_all_work(state):
    state.corpus.consent_form = ConsentForm.objects.create(
        title="Before you begin", text="Write to [name and e-mail address].", digest="1"
    )
    assert button_of(state, written=4) == "Fill in the consent text"
    assert button_of(state, pairs=0, premises=0) == "Fill in the consent text"


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


def test_until_done_is_the_sum_of_all_that_is_still_to_be_paid(browser_of):
    """Two texts at 30 cents make six pairs with four labels each; one pair is not open; of one, two labels are wanted."""
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Rain falls, {number}.") for number in range(2)])
    for text in ("Open.", "Not open."):
        make_pair(corpus, make_premise(corpus, text), text, author=ana(), author_label="neutral")
    question, pairs = corpus.questions.get(), corpus.pairs.order_by("pk")
    open_for_validation(question=question, pairs=Pair.objects.filter(pk=pairs[0].pk))
    seat = Label.objects.open()[0]
    Label.objects.filter(pk=seat.pk).update(annotator=vera(), label="neutral", cast_at=timezone.now())
    pay(vera(), cents=5, key="labels", corpus=corpus, kind="labels")
    pay(vera(), cents=1, key="bonus", corpus=corpus, kind="bonus")
    corpus.platform_fee_percent = 33.3
    corpus.save()
    counts = counts_of([corpus])[corpus.pk]
    assert counts is not None
    work = 2 * 30 + 2 * 3 * 4 * 5 + 4 * 5 + 3 * 5
    parts = {"texts": 60, "new labels": 120, "unopened": 20, "labels": 15}
    assert counts.until_done(0) == parts, "one label does not tell what comes on top"
    today = start_of_day(timezone.now()).date()
    days = [(today - timedelta(days=ago)).isoformat() for ago in (3, 0)]
    later = replace(counts, worked=[[day, 0, 20] for day in days])
    assert later.until_done(0) == parts | {"on top": work // 5}
    assert later.until_done(33.3)["fee"] == round((work + work // 5) * 0.333)
    page = browser_of(rosa()).get("/c/small/").content.decode()
    assert "$2.87" in page
    assert "Fee of the platform (33.3%)" in page
