"""The bonus for a sentence about which the model in the loop was wrong."""

import pytest
from django.utils import timezone

from collection.models import Guidance, LedgerEntry, Pair, PromptVersion
from collection.models.withdrawal import ANNOTATOR_EXCLUDED, PILOT
from tests.cast import ana
from tests.collection.test_model_in_the_loop import RUN
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import label_pair
from validation.models import Label
from validation.quality_control.fooled_models import pay_bonuses
from validation.tasks import pay_bonuses as every_minute

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair() -> Pair:
    corpus = make_corpus()
    PromptVersion.objects.update(mode="model", bonus_cents=25, **RUN)
    premise = make_premise(corpus, "A line.")
    version = PromptVersion.objects.get()
    pair = make_pair(corpus, premise, "So.", author=ana(), author_label="neutral", prompt_version=version)
    Guidance.objects.create(
        pair=pair,
        label="neutral",
        model_tries=2,
        fooled_at=2,
        model_answer="entailment",
        twin_answer="neutral",
    )
    return pair


def bonuses() -> list[tuple[str, int, str]]:
    return [
        (each.user.username, each.cents, each.reason) for each in LedgerEntry.objects.filter(kind="fooled")
    ]


def test_two_people_who_uphold_it_bring_the_bonus_once(pair):
    label_pair(pair, "nne")  # the author's, and one of two others
    assert (pay_bonuses(), bonuses()) == (0, [])
    Label.objects.filter(label="entailment").update(label="neutral")
    every_minute()
    said = "Bonus for A small corpus: you misled the model, and two people agreed with you"
    assert bonuses() == [(ana().username, 25, said.replace("A small corpus", pair.corpus.name))]
    assert pay_bonuses() == 0
    assert len(bonuses()) == 1


CHANGES = {
    "an earlier wording alone fooled it": lambda: Guidance.objects.update(model_answer="neutral"),
    "what it answered is not known": lambda: Guidance.objects.update(model_answer="", twin_answer=""),
    "the prompt promises none": lambda: PromptVersion.objects.update(bonus_cents=0),
    "a label is surplus": lambda: Label.objects.filter(position=2).update(position=None),
    "a label is a model's": lambda: Label.objects.filter(position=2).update(
        origin="model", position=None, annotator=None, model="tiny"
    ),
    "a label is withdrawn": lambda: Label.objects.filter(position=2).update(
        withdrawn_at=timezone.now(), withdrawn_because=ANNOTATOR_EXCLUDED
    ),
    "the pair is a pilot's": lambda: Pair.objects.update(
        withdrawn_at=timezone.now(), withdrawn_because=PILOT
    ),
}


@pytest.mark.parametrize("why", CHANGES)
def test_what_is_not_upheld_or_did_not_fool_it_earns_nothing(pair, why):
    label_pair(pair, "nnn")
    CHANGES[why]()
    assert (pay_bonuses(), bonuses()) == (0, [])


def test_it_stays_paid_when_the_pair_is_withdrawn(pair):
    label_pair(pair, "nnn")
    assert pay_bonuses() == 1
    Pair.objects.update(withdrawn_at=timezone.now(), withdrawn_because=PILOT)
    assert (pay_bonuses(), len(bonuses())) == (0, 1)
    assert LedgerEntry.objects.for_writing().filter(user=ana()).count() == 1
