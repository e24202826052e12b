"""What several files of these tests begin with."""

import pytest

from snapshots.models import Snapshot
from tests.modeling.material import small_snapshot


@pytest.fixture
def snapshot(db: None) -> Snapshot:
    """Nine pairs in train, nine in test."""
    return small_snapshot(9, test=9)
