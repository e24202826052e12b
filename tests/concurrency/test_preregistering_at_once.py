"""Preregistrations and drafts come before a task or after it, also at one moment. First the race without the lock."""

from functools import partial

import pytest

from annotation_site.workspace.preregistration import first_task, preregister
from collection.errors import NotPossible
from collection.models import (
    Corpus,
    OfferedText,
    Pair,
    Preregistration,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.starts import offer_texts, starts_of
from tests.cast import ana, vera
from tests.concurrency.threads import crossing
from tests.corpora import make_corpus, make_pair, make_premise
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "A line.")])
    make_pair(corpus, make_premise(corpus, "Another line."), "It is so.", author=ana())
    open_for_validation(question=Question.objects.get(), pairs=Pair.objects.all())
    vera()
    return corpus


def text_of(corpus: Corpus):
    return claim_writing(corpus=corpus, annotator=ana())


def batch_of(corpus: Corpus):
    return claim_batch(question=corpus.questions.get(), annotator=vera())


@pytest.mark.thorough
def test_without_the_lock_a_task_that_was_begun_is_not_seen(corpus):
    def careless() -> None:
        assert first_task(corpus) is None
        Preregistration.objects.create(corpus=corpus, text="We compare.", sha256="0" * 64)

    crossing(partial(text_of, corpus), careless)
    assert Preregistration.objects.exists()
    assert WritingAssignment.objects.get().created_at < Preregistration.objects.get().registered_at


@pytest.mark.parametrize("begin", [text_of, batch_of])
def test_who_registers_while_the_first_task_is_begun_is_refused(corpus, begin):
    waited, result = crossing(
        partial(begin, corpus), partial(preregister, corpus=corpus, text="We compare two arms.")
    )
    assert waited
    assert isinstance(result, NotPossible)
    assert "too late" in str(result)


@pytest.mark.parametrize("begin", [text_of, batch_of])
def test_who_begins_while_a_text_is_registered_begins_afterwards(corpus, begin):
    waited, result = crossing(
        partial(preregister, corpus=corpus, text="We compare two arms."), partial(begin, corpus)
    )
    assert waited
    assert not isinstance(result, Exception), result
    assert Preregistration.objects.exists()


def bring(corpus: Corpus) -> int:
    premise = corpus.premises.get(text="A line.").public_id
    return offer_texts(corpus=corpus, rows=[(1, {"premise": premise, "text": "A draft."})], origin="model 1")


def test_a_draft_stands_in_all_tasks_that_begin_after_it_and_in_no_other(corpus):
    PromptVersion.objects.update(mode="edit")
    for first, second, shown in ((text_of, bring, "A line."), (bring, text_of, "A draft.")):
        waited, result = crossing(partial(first, corpus), partial(second, corpus))
        assert waited
        assert not isinstance(result, Exception), result
        task = WritingAssignment.objects.get()
        assert set(starts_of(task, {}).values()) == {shown}
        OfferedText.objects.all().delete()
        WritingAssignment.objects.all().delete()
        WritingSeat.objects.update(annotator=None, leased_until=None)
