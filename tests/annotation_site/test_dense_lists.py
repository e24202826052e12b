"""Annotators and runs in the one list of researchers' pages: facets, orders, columns, pages."""

from typing import Any

import pytest
from lxml import html

from collection.models import Premise
from modeling.folders import folder_of
from modeling.models import TrainingRun
from modeling.results.breakdowns import store_breakdowns
from tests.cast import person
from tests.corpora import add_label, make_corpus, make_pair, make_premise
from tests.listed import listed
from tests.modeling.material import done_run, small_snapshot, write_predictions
from tests.modeling.test_data_map import dynamics
from validation.models import Question

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def facets(page: Any) -> dict[str, dict[str, tuple[int | None, str]]]:
    """Returns name of a facet -> value -> (number, address)."""
    return {
        facet.name: {each.value: (each.number, each.link) for each in facet.values}
        for facet in listed(page).facets
    }


def names(page: Any) -> list[str]:
    return listed(page).names


@pytest.fixture
def runs():
    snapshot = small_snapshot(8)
    made = [
        done_run(snapshot, accuracy=0.6),
        done_run(snapshot, "majority", accuracy=0.4),
        done_run(snapshot, regime={"hypothesis_only": True}, accuracy=0.5),
    ]
    TrainingRun.objects.filter(pk=made[1].pk).update(most=4)
    return made


def test_the_facets_of_runs_count_and_hold_several_values(browser_of, rosa, runs):
    browser, (whole, majority, twin) = browser_of(rosa), runs
    found = facets(browser.get("/runs/"))
    assert found["Baseline"].keys() == {"cbow", "majority"}
    assert (found["Baseline"]["cbow"][0], found["Baseline"]["majority"][0]) == (2, 1)
    regimes = {name: number for name, (number, _) in found["Regime"].items()}
    assert regimes == {
        "plain, on the whole snapshot": 1,
        "fewer training pairs": 1,
        "hypothesis-only twin": 1,
    }
    first = browser.get(found["Regime"]["hypothesis-only twin"][1])
    assert names(first) == [str(twin.pk)]
    both = browser.get(facets(first)["Regime"]["fewer training pairs"][1])
    assert names(both) == [str(twin.pk), str(majority.pk)], "values of one facet are joined by or"
    assert names(browser.get("/runs/?baseline=cbow&regime=plain")) == [str(whole.pk)], "two facets by and"
    alone = browser.get(facets(both)["Regime"]["hypothesis-only twin"][1])
    assert names(alone) == [str(majority.pk)], "a second click lets a value go"
    chips = [said for said, _ in listed(both).chips]
    assert chips == ["Regime: hypothesis-only twin", "Regime: fewer training pairs"]


def test_runs_have_orders_pages_and_words(browser_of, rosa, runs, monkeypatch):
    browser = browser_of(rosa)
    by_dev = [str(run.pk) for run in (runs[1], runs[2], runs[0])]
    assert names(browser.get("/runs/?sort=dev")) == by_dev
    assert names(browser.get("/runs/?sort=-dev")) == by_dev[::-1]
    assert names(browser.get("/runs/?text=MAJOR")) == [str(runs[1].pk)]
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 2)
    first = browser.get("/runs/?sort=dev")
    second = browser.get(listed(first).next)
    assert names(first) + names(second) == by_dev
    assert listed(second).next == ""
    assert names(browser.get(listed(second).previous)) == names(first)
    form = html.fromstring(first.content).get_element_by_id("act")
    assert (form.get("method"), form.get("action")) == ("get", "/runs/curves/")


@pytest.fixture
def people():
    corpus = make_corpus()
    question = Question.objects.get()
    pair = make_pair(corpus, make_premise(corpus, "A dog runs."), "It moves.", author_label="neutral")
    for position, name in enumerate(("one", "two", "three"), start=1):
        add_label(question, pair, "neutral", position=position, turn=position, annotator=person(name))
    return question


def test_annotators_are_found_by_flag_role_and_state(browser_of, rosa, people):
    browser, address = browser_of(rosa), "/corpora/small/annotators/"
    page = browser.get(address)
    everybody = names(page)
    assert len(everybody) > 1
    assert listed(page).total == (len(everybody), False)
    for parameter in ("flag=none", "role=person", "state=not in the pool", f"text={everybody[0].upper()}"):
        some = names(browser.get(f"{address}?{parameter}"))
        assert some, parameter
        assert set(some) <= set(everybody)
    assert names(browser.get(f"{address}?flag=too+fast")) == []
    assert names(browser.get(f"{address}?flag=too+fast&flag=none")) == everybody
    assert "No annotator passes" in browser.get(f"{address}?flag=too+fast").content.decode()
    assert names(browser.get(f"{address}?sort=-code")) == sorted(everybody, reverse=True)
    rows = browser.get(f"{address}?text={everybody[0]}&as=csv").content.decode().splitlines()
    assert [row.split(",")[0] for row in rows] == ["code", everybody[0]]
    table = html.fromstring(browser.get(f"{address}?column=state").content).xpath("//table")[0]
    heads = [head.text_content().strip() for head in table.xpath("./thead//th")]
    assert heads == ["Code", "State"]


def test_chosen_values_of_a_facet_join_by_or_in_every_list(browser_of, rosa):
    """Each list shows the rows of one value, of the other, and of both; its numbers are those of the rows."""
    snapshot = small_snapshot(9, test=9)
    run = done_run(snapshot)
    write_predictions(run, "test", wrong=3)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    dynamics(run)
    Premise.objects.filter(pk=Premise.objects.earliest("pk").pk).update(status=Premise.Status.PAUSED)
    slug, browser = snapshot.corpus.slug, browser_of(rosa)
    for address, facet, parameter in (
        (f"/corpora/{slug}/pairs/", "Author’s label", "author_label"),
        (f"/corpora/{slug}/pairs/", "Gold label", "gold"),
        (f"/corpora/{slug}/pairs/", "Votes", "votes"),
        (f"/snapshots/{snapshot.pk}/pairs/", "Partition", "partition"),
        (f"/snapshots/{snapshot.pk}/pairs/", "Gold label", "label"),
        (f"/runs/{run.pk}/predictions/test/", "Gold label", "label"),
        (f"/runs/{run.pk}/predictions/test/", "Which", "outcome"),
        (f"/runs/{run.pk}/data-map/?region=all", "Gold label", "label"),
        (f"/c/{slug}/premises/", "Status", "status"),
    ):
        shown = facets(browser.get(address))[facet]
        first, second = [*shown.values()][:2]
        one, other = set(names(browser.get(first[1]))), set(names(browser.get(second[1])))
        assert (len(one), len(other)) == (first[0], second[0]), (address, facet)
        values = [link.partition(f"{parameter}=")[2].partition("&")[0] for _, link in (first, second)]
        glue = "&" if "?" in address else "?"
        both = browser.get(f"{address}{glue}{parameter}={values[0]}&{parameter}={values[1]}")
        assert set(names(both)) == one | other, (address, facet)
        assert listed(both).total == (len(one | other), False)
