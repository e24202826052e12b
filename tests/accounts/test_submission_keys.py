"""A repeated submission changes nothing; other content under its key is an error."""

from collections import Counter
from functools import partial

import pytest
from django.db import transaction

from accounts.idempotency import KeyReused, KeyUnusable, record_submission
from accounts.models import Submission
from tests.cast import ana as make_ana
from tests.concurrency.threads import at_once


@pytest.mark.django_db
def test_first_is_new_and_the_same_again_is_not(ana):
    assert record_submission(user=ana, key="k", content={"a": 1, "b": ["x"]})
    assert not record_submission(user=ana, key="k", content={"b": ["x"], "a": 1})


@pytest.mark.django_db
def test_other_content_under_the_same_key_is_refused(ana):
    record_submission(user=ana, key="k", content=["x"])
    with pytest.raises(KeyReused, match="used before"):
        record_submission(user=ana, key="k", content=["y"])
    assert not record_submission(user=ana, key="k", content=["x"])


@pytest.mark.django_db
def test_two_people_may_use_one_key(ana, vera):
    assert record_submission(user=ana, key="k", content="x")
    assert record_submission(user=vera, key="k", content="y")


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "k" * 101, "a\0b"])
def test_unusable_key_is_named_as_such(ana, key):
    with pytest.raises(KeyUnusable, match="1 to 100 characters"):
        record_submission(user=ana, key=key, content="x")


@pytest.mark.django_db(transaction=True)
def test_same_submission_from_many_tabs_at_once_is_new_once():
    send = partial(record_submission, user=make_ana(), key="k", content=["x"])
    assert Counter(at_once([send] * 16)) == {True: 1, False: 15}


@pytest.mark.django_db(transaction=True)
def test_different_submissions_at_once_under_one_key_leave_one():
    user = make_ana()
    send = [partial(record_submission, user=user, key="k", content=number) for number in range(16)]
    kinds = Counter(type(result) for result in at_once(send))
    assert kinds == {bool: 1, KeyReused: 15}
    assert Submission.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_submission_that_failed_leaves_its_key_free():
    user = make_ana()
    with transaction.atomic():
        record_submission(user=user, key="k", content="x")
        transaction.set_rollback(True)
    assert record_submission(user=user, key="k", content="corrected")
