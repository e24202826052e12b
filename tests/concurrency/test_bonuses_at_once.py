"""Two workers pay the bonuses that are due at one moment."""

from threading import Barrier

import pytest

from collection.models import LedgerEntry
from tests.concurrency.threads import at_once
from tests.snapshots.material import label_pair
from tests.validation.test_fooled_models import pair  # noqa: F401 a fixture
from validation.quality_control import fooled_models

pytestmark = pytest.mark.django_db(transaction=True)


def pay_together(monkeypatch, earn):
    """Lets two workers find the same bonus before either pays it; returns how many each paid."""
    both = Barrier(2)

    def after_both_have_read(**entry):
        both.wait(timeout=60)
        return earn(**entry)

    monkeypatch.setattr(fooled_models, "earn", after_both_have_read)
    return at_once([fooled_models.pay_bonuses] * 2)


def test_without_the_key_a_bonus_is_paid_twice(pair, monkeypatch):  # noqa: F811
    label_pair(pair, "nnn")
    keys = iter("ab")
    pay_together(
        monkeypatch, lambda **entry: bool(LedgerEntry.objects.create(**{**entry, "key": next(keys)}))
    )
    assert LedgerEntry.objects.filter(kind="fooled").count() == 2


def test_a_bonus_is_paid_once(pair, monkeypatch):  # noqa: F811
    label_pair(pair, "nnn")
    assert sorted(pay_together(monkeypatch, fooled_models.earn)) == [0, 1]
    assert LedgerEntry.objects.filter(kind="fooled").count() == 1
