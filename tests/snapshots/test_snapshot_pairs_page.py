"""The pairs of a frozen snapshot as they were at the freeze, what changed since the one before, and how to use it."""

import csv
import html
import io
import re
import subprocess
import sys

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from collection.models import Genre, Pair, Premise
from snapshots.models import Snapshot, SnapshotLabel, SnapshotPair
from tests.listed import all_pages, cells, is_sorted_by, listed
from tests.made_once import made_once
from tests.snapshots.material import add_premise, corpus_of, folder, freeze
from validation.models import Label

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@made_once
def first() -> Snapshot:
    return freeze(corpus_of(6))


def ids(page) -> list[str]:
    return listed(page).names


def test_the_list_shows_what_was_frozen_not_what_is_known_today(browser, first):
    address = f"/snapshots/{first.pk}/pairs/"
    row = SnapshotPair.objects.filter(snapshot=first, gold_label="entailment").earliest("pk")
    Label.objects.filter(pair=row.pair, position__gt=1).update(label="neutral")
    page = browser.get(address)
    assert listed(page).total[0] == 18
    assert cells(page, "votes")[row.pair.public_id][0] == {"entailment": 5}
    found = browser.get(address, {"label": "entailment", "partition": row.partition})
    assert row.pair.public_id in ids(found)
    assert {label for label, _ in cells(found, "gold").values()} == {"entailment"}
    assert listed(browser.get(address, {"text": "CONTRADICTION OF"})).total[0] == 6
    assert listed(browser.get(address, {"genre": "nowhere"})).total[0] == 0


@pytest.mark.parametrize("way", ["", "-"])
@pytest.mark.parametrize(
    ("order", "value"),
    [
        ("genre", lambda cells: cells["pair"][2]),
        ("gold", lambda cells: cells["gold"][0] or ""),
        ("agreement", lambda cells: max(cells["votes"][0].values(), default=0) / 5),
        ("characters", lambda cells: cells["characters"]),
    ],
)
def test_every_order_holds_each_pair_once(browser, monkeypatch, order, value, way):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 4)
    corpus = corpus_of(3)
    letters = Genre.objects.create(corpus=corpus, slug="letters", name="A letter")
    first, second, third, *_ = Pair.objects.filter(corpus=corpus).order_by("pk")
    Premise.objects.filter(pk=first.premise_id).update(genre=letters)
    Label.objects.filter(pair=second, position__in=(2, 3)).update(label="contradiction")
    Label.objects.filter(pair=third, position=2).update(label="entailment")
    snapshot = freeze(corpus)
    rows = all_pages(browser, f"/snapshots/{snapshot.pk}/pairs/", f"{way}{order}")
    assert sorted(name for name, _ in rows) == sorted(Pair.objects.values_list("public_id", flat=True))
    assert is_sorted_by(rows, f"{way}{order}", value)


def test_labels_are_in_the_corpuss_words_and_the_file_has_the_schemes(browser, first):
    address = f"/snapshots/{first.pk}/pairs/"
    page = browser.get(address, {"text": "entailment of"}).content.decode()
    assert "5 Definitely correct" in page
    assert "<bdi>Definitely correct</bdi>" in page
    assert ">entailment<" not in page
    file = b"".join(browser.get(address, {"as": "csv"}).streaming_content)
    rows = csv.DictReader(io.StringIO(file.decode()))
    assert {row["gold_label"] for row in rows} == {"entailment", "neutral", "contradiction"}


def test_texts_are_searched_once_for_a_page_and_its_numbers(browser, first):
    with CaptureQueriesContext(connection) as captured:
        page = browser.get(
            f"/snapshots/{first.pk}/pairs/", {"text": "contradiction of", "label": "contradiction"}
        )
    assert listed(page).total[0] == 6
    assert len([query for query in captured.captured_queries if "LIKE" in query["sql"]]) == 1


def test_labels_and_lengths_are_filters_and_all_that_pass_come_as_csv(browser, monkeypatch):
    corpus = corpus_of(2)
    split, bare = Pair.objects.filter(corpus=corpus).order_by("pk")[:2]
    Label.objects.filter(pair=split, position=2).update(label="contradiction")
    Pair.objects.filter(pk=bare.pk).update(hypothesis="No.")
    snapshot = freeze(corpus)
    SnapshotLabel.objects.filter(row__pair=bare).delete()
    monkeypatch.setattr("snapshots.browsing.pairs_page.ROWS_AT_ONCE", 2)
    address = f"/snapshots/{snapshot.pk}/pairs/"
    found = {votes: ids(browser.get(address, {"votes": votes})) for votes in ("different", "none", "same")}
    assert (found["different"], found["none"]) == ([split.public_id], [bare.public_id])
    assert len(found["same"]) == 4
    assert ids(browser.get(address, {"longest": "3"})) == [bare.public_id]
    assert len(ids(browser.get(address, {"shortest": "4", "longest": "500"}))) == 5
    page = browser.get(address, {"votes": "same"})
    rows = list(csv.DictReader(io.StringIO(browser.get(listed(page).csv).getvalue().decode())))
    assert [row["id"] for row in rows] == found["same"]
    assert rows[0]["labels"].split() == [rows[0]["gold_label"]] * 5


def test_pages_and_samples(browser, first, monkeypatch):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 10)
    address = f"/snapshots/{first.pk}/pairs/"
    page = browser.get(address)
    rest = browser.get(listed(page).next)
    assert len(ids(page)) == 10
    assert len(ids(rest)) == 8
    assert not set(ids(page)) & set(ids(rest))
    assert ids(browser.get(listed(rest).previous)) == ids(page)
    sample = browser.get(address, {"order": "random"})
    assert ids(sample) == ids(browser.get(address, {"order": "random"}))
    assert ids(sample) != ids(browser.get(listed(sample).another))


def test_what_changed_is_counted_and_listed(browser, first):
    corpus = first.corpus
    assert "first snapshot of its corpus" in browser.get(f"/snapshots/{first.pk}/changes/").content.decode()
    add_premise(corpus, "A new line.")
    gone, other = Pair.objects.filter(corpus=corpus, author_label="neutral").order_by("pk")[:2]
    Pair.objects.filter(pk=gone.pk).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    Label.objects.filter(pair=other, position__gt=1).update(label="contradiction")
    second = freeze(corpus)
    found = {
        change.name: change for change in browser.get(f"/snapshots/{second.pk}/changes/").context["changes"]
    }
    assert {name: change.number for name, change in found.items()} == {
        "added": 3,
        "label": 1,
        "partition": 0,
        "gone": 1,
    }
    assert ids(browser.get(f"/snapshots/{second.pk}/pairs/?changed=label")) == [other.public_id]
    assert found["gone"].listed_in == first
    assert ids(browser.get(f"/snapshots/{first.pk}/pairs/?changed=gone")) == [gone.public_id]
    assert browser.get(f"/snapshots/{first.pk}/pairs/?changed=added").status_code == 404
    page = browser.get(f"/snapshots/{second.pk}/changes/")
    told = browser.get(f"/api/v1/snapshots/{second.pk}/figures/changed-pairs").json()
    assert told["title"] in page.text
    sample = {row["id"]: (row["change"], row["then"], row["now"]) for row in told["rows"]}
    assert len(sample) == 5
    assert sample[other.public_id] == ("has another gold label", "Maybe correct", "Definitely incorrect")
    assert sample[gone.public_id] == ("is no longer in this snapshot", "Maybe correct", "not there")
    assert {then for change, then, _ in sample.values() if change == "is new"} == {"not there"}
    assert browser.get(f"/api/v1/snapshots/{first.pk}/figures/changed-pairs").json()["rows"] == []


def test_the_lines_of_python_load_it(browser, first, tmp_path):
    page = browser.get(f"/snapshots/{first.pk}/").content.decode()
    found = re.search(r'<code id="load-it">(.*?)</code>', page, re.DOTALL)
    assert found is not None
    (tmp_path / "small-1").symlink_to(folder(first))
    said = subprocess.run(
        [sys.executable, "-c", html.unescape(found[1])],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert said.startswith("18 Counter({'")
    assert len(found[1].strip().splitlines()) == 10
    assert f"sha256 {first.sha256}" in page
    assert "title = {The small corpus, snapshot small@1}" in page


def test_the_checklist_says_what_is_missing(browser, first):
    page = browser.get(f"/snapshots/{first.pk}/")
    items = {item.sentence: item.is_done for item in page.context["items"]}
    assert items["Frozen, with a sha256 over its content"]
    assert not items["Not published"]
    assert not items["0 of 8 questions of the datasheet are answered"]
    assert not items["No baseline that reads no premise shows how much the hypotheses give away"]


def test_each_number_beside_the_filters_is_that_of_the_list_behind_it(browser, monkeypatch):
    corpus = corpus_of(4)
    split = Pair.objects.filter(corpus=corpus).earliest("pk")
    Label.objects.filter(pair=split, position=2).update(label="contradiction")
    snapshot = freeze(corpus)
    address = f"/snapshots/{snapshot.pk}/pairs/"
    for chosen in (
        {},
        {"votes": "same"},
        {"label": "neutral"},
        {"text": "neutral"},
        {"source": "voted"},
    ):
        page = browser.get(address, chosen)
        assert listed(page).total[0] == len(ids(page))
        assert listed(page).facets, chosen
        for facet in listed(page).facets:
            beside = sum(each.number for each in facet.values if each.is_chosen)
            for each in facet.values:
                found = browser.get(each.link)
                if each.is_chosen:
                    assert len(ids(found)) >= len(ids(page))
                else:
                    assert len(ids(found)) == each.number + beside, each
    # Numbers of a large one come after the page, and stay.
    monkeypatch.setattr("snapshots.browsing.pair_numbers.MOST_AT_ONCE", 2)
    monkeypatch.setattr("snapshots.browsing.pair_numbers._COUNTED", {})
    page = browser.get(address)
    assert {each.number for facet in listed(page).facets for each in facet.values} == {None}
    assert f'hx-get="{address}?part=numbers"' in page.content.decode()
    assert len(listed(browser.get(page.context["awaited"])).facets) >= 2
    counted = listed(browser.get(f"{address}?votes=split")).facets
    assert None not in {each.number for facet in counted for each in facet.values}
