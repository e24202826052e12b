"""How much a run doubts the gold labels, in the list of pairs: a column, an order, and CSV."""

import csv
import io

import pytest
from django.utils import timezone

from collection.models import Corpus, Pair
from collection.models.withdrawal import VETTED
from tests.charted import figures_of
from tests.listed import bars_in, cells, listed
from tests.modeling.material import done_run, small_snapshot, write_predictions
from validation.pairs import listing

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(browser_of, rosa):
    return browser_of(rosa)


def shown(page) -> dict[str, float | None]:
    return cells(page, "doubt")


def test_the_most_doubted_come_first_with_filters_and_pages(browser, monkeypatch):
    snapshot = small_snapshot()
    run = done_run(snapshot, "majority")
    wrong = [row["pairID"] for row in write_predictions(run, "dev", wrong=2)[:2]]
    certain = [row["pairID"] for row in write_predictions(run, "test")]
    address = f"/corpora/{snapshot.corpus.slug}/pairs/"
    assert set(shown(browser.get(address)).values()) == {None}
    page = browser.get(address, {"order": "doubted"})
    found = shown(page)
    assert list(found)[:2] == wrong
    assert list(found.values())[:2] == pytest.approx([0.9, 0.9])
    assert [found[name] for name in certain] == pytest.approx([0.2] * len(certain))
    assert listed(page).view.order == "doubted"
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 3)
    pages: list[str] = []
    link = f"{address}?order=doubted"
    while link:
        page = browser.get(link)
        pages += shown(page)
        link = listed(page).next
    assert pages == list(found)
    label = page.context["pairs"][0].gold_label
    assert (
        len(shown(browser.get(address, {"order": "doubted", "gold": label, "text": "nothing like it"}))) == 0
    )
    only = browser.get(address, {"order": "doubted", "gold": label})
    assert {pair.gold_label for pair in only.context["pairs"]} == {label}
    rows = browser.get(address, {"run": run.pk, "as": "csv"}).getvalue().decode()
    doubts = {row["id"]: row["doubt"] for row in csv.DictReader(io.StringIO(rows))}
    assert float(doubts[wrong[0]]) == pytest.approx(0.9)


def test_a_run_whose_files_are_on_another_machine_says_so(browser):
    snapshot = small_snapshot()
    run = done_run(snapshot, "majority")
    address = f"/corpora/{snapshot.corpus.slug}/pairs/"
    page = browser.get(address, {"run": run.pk})
    assert f"predictions of run {run.pk} are not on this machine" in page.content.decode()
    write_predictions(run, "dev")
    assert "is one minus the probability" in browser.get(address, {"run": run.pk}).content.decode()


def test_without_runs_there_is_no_choice_of_one(browser):
    snapshot = small_snapshot()
    assert Corpus.objects.count() == 1
    page = browser.get(f"/corpora/{snapshot.corpus.slug}/pairs/", {"order": "doubted", "run": "x"})
    assert page.status_code == 200
    assert 'id="run"' not in page.content.decode()


def test_doubts_are_a_histogram_whose_bars_choose_pairs(browser):
    snapshot = small_snapshot()
    run, client = done_run(snapshot, "majority"), browser
    wrong = {row["pairID"] for row in write_predictions(run, "dev", wrong=2)[:2]}
    address = f"/corpora/{snapshot.corpus.slug}/pairs/"
    assert "doubt" not in bars_in(client.get(address))
    chart = bars_in(client.get(address, {"run": run.pk}))["doubt"]
    told = figures_of(client, "pairs", f"corpora/{snapshot.corpus.slug}", run=run.pk)
    assert told[-1] == chart
    assert sum(row["pairs"] for row in chart["rows"]) == snapshot.pairs.filter(partition="dev").count()
    assert chart["title"].startswith("The run doubts 2 of 3 ")
    last = chart["rows"][8]
    assert (last["class"], last["pairs"]) == ("above 80.0%, to 90.0%", 2)
    page = client.get(last["href"])
    assert {pair.public_id for pair in page.context["pairs"]} == wrong
    assert page.context["numbers"].total == (2, False)
    assert "Most doubted by the run." in page.content.decode()
    file = client.get(f"{last['href']}&as=csv").getvalue().decode()
    assert {row["id"] for row in csv.DictReader(io.StringIO(file))} == wrong
    Pair.objects.filter(public_id=min(wrong)).update(hypothesis="Unheard of.")
    page = client.get(f"{last['href']}&text=unheard")
    assert (len(page.context["pairs"]), page.context["numbers"].total) == (1, (1, False))


def test_the_histogram_of_doubts_counts_what_the_other_filters_leave(browser, monkeypatch):
    snapshot = small_snapshot()
    run = done_run(snapshot, "majority")
    rows = write_predictions(run, "dev", wrong=2)
    address = f"/corpora/{snapshot.corpus.slug}/pairs/"

    def drawn(**chosen: str) -> dict[str, int]:
        charts = bars_in(browser.get(address, {"run": run.pk, **chosen}))
        return {row["class"]: row["pairs"] for row in charts["doubt"]["rows"]} if "doubt" in charts else {}

    whole = drawn()
    Pair.objects.filter(public_id__in=[row["pairID"] for row in rows[1:]]).update(hypothesis="Unheard of.")
    left = drawn(text="unheard")
    assert (sum(whole.values()), sum(left.values())) == (3, 2)
    assert left["above 80.0%, to 90.0%"] == whole["above 80.0%, to 90.0%"] - 1
    assert drawn(text="unheard", doubt="90") == left, "its own choice is no other filter"
    gold = {row["pairID"]: row["gold"] for row in rows}
    for label in set(gold.values()):
        of_label = drawn(text="unheard", gold=label)
        assert sum(of_label.values()) in (0, sum(gold[row["pairID"]] == label for row in rows[1:]))
    Pair.objects.filter(public_id=rows[0]["pairID"]).update(
        withdrawn_at=timezone.now(), withdrawn_because=VETTED
    )
    assert sum(drawn().values()) == 2
    monkeypatch.setattr(listing, "MOST_EXAMINED", 1)
    assert drawn(votes="complete") == {}, "more than a page may look at"
    assert sum(drawn(text="o").values()) == 2
