"""The same proof where the labels were withheld when a snapshot had them, with all that had been made of it."""

from dataclasses import replace

import pytest

from modeling.models import TrainingRun
from modeling.running.runner import break_down
from snapshots.models import Snapshot
from snapshots.withholding.actions import withhold
from tests.addresses import Site, sample_site
from tests.annotation_site.test_withheld_everywhere import (
    made,
    test_a_snapshot_depends_on_withheld_labels_by_its_hashes_alone,
    test_no_address_depends_on_a_withheld_label,
    test_no_command_and_no_export_depends_on_a_withheld_label,
)
from tests.made_once import made_once
from tests.modeling.material import write_predictions

pytestmark = pytest.mark.django_db
__all__ = [
    "test_a_snapshot_depends_on_withheld_labels_by_its_hashes_alone",
    "test_no_address_depends_on_a_withheld_label",
    "test_no_command_and_no_export_depends_on_a_withheld_label",
]


@made_once
def site() -> Site:
    """Makes the sample site with its export, statistics and a run with predictions, and withholds test."""
    site = sample_site()
    run = TrainingRun.objects.get()
    for partition in ("dev", "test"):
        write_predictions(run, partition)
    break_down(run)
    withhold(corpus=site.corpus, partition="test", by=site.people["administrator"], frozen=True)
    return made(replace(site, snapshot=Snapshot.objects.get(pk=site.snapshot.pk)))
