"""What runs predicted for a pair, on the pair's page."""

import pytest

from annotation_site.templatetags.release import release_checklist
from collection.models import Pair
from snapshots.models import SnapshotPair
from tests.corpora import WORDINGS
from tests.modeling.material import done_run, small_snapshot, write_predictions

pytestmark = pytest.mark.django_db


def test_each_run_with_the_pair_says_what_it_predicted(browser_of, rosa):
    snapshot = small_snapshot()
    row = (
        SnapshotPair.objects.filter(snapshot=snapshot, partition="dev").select_related("pair").earliest("pk")
    )
    first, second = (done_run(snapshot, "majority", seed=seed) for seed in (1, 2))
    write_predictions(first, "dev")
    write_predictions(second, "dev", wrong=1000)
    address = f"/c/{snapshot.corpus.slug}/predictions/{row.pair.public_id}/"
    page = browser_of(rosa).get(address)
    found = page.context["predictions"]
    assert [(each.run, each.predicted == each.gold, each.gold) for each in found] == [
        (second, False, row.gold_label),
        (first, True, row.gold_label),
    ]
    assert all(each.probability == pytest.approx(0.8) for each in found)
    content = page.content.decode()
    assert f"no: {WORDINGS[row.gold_label]} there" in content
    assert f"{snapshot}, dev" in content


def test_a_pair_that_no_run_has_seen_says_so(browser_of, rosa):
    snapshot = small_snapshot()
    pair = Pair.objects.earliest("pk")
    done_run(snapshot, "majority")  # its files are on another machine
    page = browser_of(rosa).get(f"/c/{snapshot.corpus.slug}/predictions/{pair.public_id}/")
    assert "No run has predicted this pair" in page.content.decode()


def test_a_bias_check_is_ticked_when_its_run_is_done():
    snapshot = small_snapshot()
    said = "baseline that reads no premise shows how much the hypotheses give away"
    assert {item.sentence: item.is_done for item in release_checklist(snapshot)}[f"No {said}"] is False
    done_run(snapshot, "hypothesis_only", vectors="")
    assert {item.sentence: item.is_done for item in release_checklist(snapshot)}[f"A {said}"] is True
