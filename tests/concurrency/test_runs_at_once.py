"""One form for a sweep, sent several times at one moment, starts one sweep, and nobody gets an error."""

from functools import partial

import pytest
from django.db import IntegrityError

from modeling.launching import actions as launching_actions
from modeling.launching.actions import request_once, request_sweep
from modeling.models import TrainingRun
from tests import cast
from tests.concurrency.threads import at_once
from tests.modeling.material import small_snapshot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sent")]

SENDERS = 5


def send(snapshot, rosa):
    """Returns the response to each sender: the number of the run, and whether it is new."""
    asked = {"snapshot": snapshot, "baseline": "majority", "by": rosa, "seeds": [1, 2, 3]}
    ask = partial(request_sweep, **asked)
    run, is_new = request_once(by=rosa, key="a-key", content="the form", ask=ask)
    return run.pk, is_new


def sweeps():
    snapshot, rosa = small_snapshot(3), cast.rosa()
    return at_once([partial(send, snapshot, rosa)] * SENDERS)


@pytest.mark.thorough
def test_the_race_is_there_without_the_key(monkeypatch):
    monkeypatch.setattr(launching_actions, "record_submission", lambda **sent: True)
    kinds = [type(answer) for answer in sweeps()]
    assert kinds.count(IntegrityError) == SENDERS - 1  # all of them tried; the database accepted one


def test_the_same_form_from_several_senders_is_one_sweep():
    answers = sweeps()
    assert sorted(is_new for _, is_new in answers) == [False] * (SENDERS - 1) + [True]
    assert len({run for run, _ in answers}) == 1
    assert TrainingRun.objects.count() == 1 + 3
