"""Several researchers draw a sample of one partition, or mark one pair twice, at one moment."""

from functools import partial

import pytest

from modeling.marking.actions import PHENOMENA, MarkingError, begin_marking, mark
from modeling.models import Mark, MarkedPair, Marking
from tests import cast
from tests.concurrency.threads import at_once
from tests.modeling.material import small_snapshot

pytestmark = pytest.mark.django_db(transaction=True)

SENDERS = 5


def test_one_sample_is_drawn_and_the_others_are_told():
    asked = {
        "snapshot": small_snapshot(3),
        "partition": "test",
        "number": 2,
        "phenomena": PHENOMENA,
        "by": cast.rosa(),
    }
    answers = at_once([partial(begin_marking, seed=seed, **asked) for seed in range(SENDERS)])
    assert [type(answer) for answer in answers if not isinstance(answer, Marking)] == [MarkingError] * (
        SENDERS - 1
    )
    assert MarkedPair.objects.count() == 2


def test_one_person_in_two_tabs_has_one_mark():
    rosa = cast.rosa()
    marking = begin_marking(
        snapshot=small_snapshot(3), partition="test", number=1, phenomena=PHENOMENA, seed=1, by=rosa
    )
    pair = marking.pairs.get()
    answers = at_once([partial(mark, pair=pair, phenomena=[name], by=rosa) for name in PHENOMENA[:SENDERS]])
    assert {type(answer) for answer in answers} == {Mark}
    (kept,) = Mark.objects.all()
    assert kept.phenomena[0] in PHENOMENA
