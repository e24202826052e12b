"""Control items: ordinary pairs in ordinary seats that an expert has labelled, too."""

from functools import partial

import pytest

from collection.models import EntryLink, Pair
from tests.cast import rosa, stan, vera
from tests.corpora import make_link
from tests.made_once import made_once
from tests.open_pairs import label_all, open_pairs
from tests.validation.votes import gold_of
from validation.errors import AlreadyDecided
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.quality_control.control_items import label_as_expert
from validation.start_page.offers import labelling_task

pytestmark = pytest.mark.django_db


corpus = made_once(partial(open_pairs, 5))


def test_agreeing_with_the_expert_pays_a_bonus(corpus):
    question, pair = corpus.questions.get(), Pair.objects.first()
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa())
    assert label_all(corpus, vera(), "entailment").cents == 25
    assert vera().ledger.total_cents() == 125
    label_all(corpus, stan(), "neutral")
    assert stan().ledger.total_cents() == 25


def test_a_visit_is_told_of_the_bonus_where_an_expert_answered(corpus, client):
    question, pair = corpus.questions.get(), Pair.objects.first()
    assert labelling_task(corpus.pk).bonus_cents == 0
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa())
    assert labelling_task(corpus.pk).bonus_cents == 100
    make_link(corpus, work="labelling", tasks_wanted=2)
    page = client.get(f"/enter/{EntryLink.objects.get().token}/", {"PROLIFIC_PID": "one"}).text
    told = "up to <bdi>$0.50</bdi>, and <bdi>$1.00</bdi> more for each sentence for which an expert chose the same"
    assert told in page


def test_who_reads_the_instructions_is_told_of_the_bonus_where_an_expert_answered(corpus, browser_of):
    address = f"/work/validation/{corpus.slug}/instructions/"
    told = "You get <bdi>$1.00</bdi> more for each sentence for which an expert chose the same answer as you."
    assert told not in browser_of(vera()).get(address).text
    label_as_expert(question=corpus.questions.get(), pair=Pair.objects.first(), label="entailment", by=rosa())
    assert told in browser_of(vera()).get(address).text


def test_who_was_right_before_the_expert_came_is_paid_as_well(corpus):
    label_all(corpus, vera(), "entailment")
    label_as_expert(question=corpus.questions.get(), pair=Pair.objects.first(), label="entailment", by=rosa())
    assert vera().ledger.total_cents() == 125


def test_the_experts_label_is_none_of_the_five(corpus):
    question, pair = corpus.questions.get(), Pair.objects.first()
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa())
    assert gold_of(pair, question) == ("neutral", "author")
    assert pair.labels.filter(position__isnull=False).count() == 5
    with pytest.raises(AlreadyDecided):
        label_as_expert(question=question, pair=pair, label="neutral", by=rosa())


def test_a_reason_is_kept_with_the_label(corpus):
    question = corpus.questions.get()
    batch = claim_batch(question=question, annotator=vera())
    slot = batch.items[0].seat.token
    submit_batch(
        annotator=vera(),
        token=batch.assignment.token,
        labels={slot: "neutral"},
        reasons={slot: "It may be another dog."},
        key="one",
    )
    assert vera().labels.get(label="neutral").reason == "It may be another dog."
