"""Processes label a whole corpus while leases end, processes are killed and batches are sent twice, as in `make bench`."""

import pytest
from django.db import connections

from annotation_site.made_up.corpora import make_corpus, open_all
from annotation_site.operation.invariants import INVARIANTS
from tests.concurrency.draining import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.thorough
def test_exactly_four_labels_each_whatever_happens_to_the_processes(tmp_path):
    question = make_corpus("drained", 60)
    open_all(question)
    done = drain(question, processes=8, folder=tmp_path, seconds=120)
    connections.close_all()
    assert done.faults == []
    assert done.labels == 60 * 4
    assert {rule: broken for rule, rows in INVARIANTS.items() if (broken := rows.count())} == {}
