"""Histograms beside the list of a snapshot's pairs: lengths and agreement; each bar is the list behind it."""

import pytest

from collection.models import Pair
from snapshots.models import Snapshot
from tests.charted import figures_of
from tests.listed import bars_in, listed
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, freeze
from tests.validation.votes import vote

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@made_once
def snapshot() -> Snapshot:
    corpus = corpus_of(3)
    question = corpus.questions.get()
    for pair, letters in zip(
        Pair.objects.filter(corpus=corpus).order_by("pk"), ("eeeen", "eennc"), strict=False
    ):
        pair.labels.filter(question=question).delete()
        vote(pair, question, letters)
        Pair.objects.filter(pk=pair.pk).update(hypothesis=f"A text of {letters} is longer. " * 5)
    return freeze(corpus)


@pytest.mark.parametrize("chosen", ["", "?votes=different", "?agreement=80", "?shortest=120", "?text=longer"])
def test_each_bar_of_a_snapshot_is_the_list_behind_it(snapshot, browser_of, rosa, monkeypatch, chosen):
    client, address = browser_of(rosa), f"/snapshots/{snapshot.pk}/pairs/"
    charts = bars_in(client.get(address + chosen))
    assert charts
    for chart in charts.values():
        is_chosen = any(row["is_out"] for row in chart["rows"])  # the link of a chosen bar lets it go
        for row in chart["rows"]:
            if row["pairs"] and (row["is_out"] or not is_chosen):
                page = client.get(row["href"])
                assert listed(page).total[0] == len(listed(page).rows) == row["pairs"], row
    if not chosen:
        assert [row["pairs"] for row in charts["agreement"]["rows"]] == [0, 1, 0, 1, snapshot.pair_count - 2]
        bars = {row["class"]: row for row in charts["length"]["rows"]}
        assert bars["120 or more"]["pairs"] == 2
        for row in charts["agreement"]["rows"] + charts["length"]["rows"]:
            assert listed(client.get(row["href"])).total[0] == row["pairs"]
        told = figures_of(client, "snapshot-pairs", f"snapshots/{snapshot.pk}")
        assert told == list(charts.values())
        monkeypatch.setattr("snapshots.browsing.pair_numbers.MOST_AT_ONCE", 1)
        assert bars_in(client.get(address)) == {}, "those of a large one come after the page"
        assert bars_in(client.get(f"{address}?part=numbers")) == charts
        assert client.get(f"{address}?chart=length").content.decode().startswith("class,pairs")
