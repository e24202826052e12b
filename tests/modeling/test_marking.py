"""Marking a sample by phenomenon: the sample, marks, agreement of two people, and the tables with the counts."""

import csv
import io
from collections import Counter

import pytest
from lxml import html

from collection.models import Premise
from modeling.folders import folder_of
from modeling.marking.actions import MarkingError, begin_marking, count_marks, mark
from modeling.marking.agreement import progress_of
from modeling.models import Breakdown, Mark, Marking
from modeling.reports.filling import fill
from modeling.results.breakdowns import store_breakdowns
from modeling.results.predictions import Choice, Predictions
from tests.cast import person
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot
from tests.modeling.test_error_browser import answers
from tests.modeling.test_overviews import wrong_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
snapshot = made_once(small_snapshot, 9, test=9)

PHENOMENA = ["negation", "hypernymy", "world knowledge"]


def begun(snapshot, by, number=4, **changes) -> Marking:
    asked = {"partition": "test", "phenomena": PHENOMENA, "seed": 1, **changes}
    return begin_marking(snapshot=snapshot, number=number, by=by, **asked)


def names_of(marking) -> list[str]:
    return list(marking.pairs.order_by("place").values_list("row__pair__public_id", flat=True))


def test_the_seed_draws_the_sample_from_pairs_with_a_gold_label(snapshot, rosa):
    marking = begun(snapshot, rosa, 5)
    rows = [pair.row for pair in marking.pairs.select_related("row")]
    assert len({row.pk for row in rows}) == 5
    assert {row.partition for row in rows} == {"test"}
    twin = begun(small_snapshot(9, test=9, slug="other"), rosa, 5, seed=2)
    assert names_of(twin) != names_of(marking)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"number": 10}, "has 9 pairs with a gold label in test: ask for 1 to 9"),
        ({"number": 0}, "ask for 1 to 9"),
        ({"partition": "validation"}, "no partition 'validation'"),
        ({"phenomena": [" "]}, "List 1 to 30 phenomena"),
        ({"phenomena": ["x" * 61]}, "60 characters at most"),
    ],
)
def test_a_sample_that_cannot_be_drawn_says_why(snapshot, rosa, changes, says):
    with pytest.raises(MarkingError, match=says):
        begun(snapshot, rosa, **{"number": 4, **changes})
    assert not Marking.objects.exists()


def test_a_partition_has_one_sample(snapshot, rosa):
    begun(snapshot, rosa)
    with pytest.raises(MarkingError, match="being marked already"):
        begun(snapshot, rosa)
    begun(snapshot, rosa, partition="train")


def test_a_sample_can_be_discarded_until_somebody_has_marked_a_pair(browser, snapshot, rosa):
    address = f"/snapshots/{snapshot.pk}/marking/"
    begun(snapshot, rosa)
    assert "Discard this sample" in browser.get(address).content.decode()
    said = browser.post(address, {"discard": "test"}, follow=True).content.decode()
    assert "The sample is discarded" in said
    assert not Marking.objects.exists()
    mark(pair=begun(snapshot, rosa).pairs.first(), phenomena=[], by=rosa)
    said = browser.post(address, {"discard": "test"}, follow=True).content.decode()
    assert "Somebody has marked pairs of this sample, so it stays." in said
    assert "Discard this sample" not in said
    assert Marking.objects.get().pairs.count() == 4
    assert browser.post(address, {"discard": "x\0"})["Location"] == address


def test_a_second_mark_replaces_the_first_and_unknown_phenomena_are_refused(snapshot, rosa):
    pair = begun(snapshot, rosa).pairs.first()
    mark(pair=pair, phenomena=["hypernymy", "negation"], by=rosa)
    mark(pair=pair, phenomena=["world knowledge"], by=rosa)
    assert [one.phenomena for one in Mark.objects.all()] == [["world knowledge"]]
    with pytest.raises(MarkingError, match="no phenomenon 'irony' here"):
        mark(pair=pair, phenomena=["irony"], by=rosa)


def test_the_premises_that_show_a_phenomenon_are_marked_and_counted(browser, snapshot, rosa):
    marking = begun(snapshot, rosa)
    first, *others = marking.pairs.select_related("row__pair").order_by("place")
    second = next(each for each in others if each.row.pair.premise_id != first.row.pair.premise_id)
    text = "One.\nTwo.\nThree."
    Premise.objects.filter(pairs__pk=first.row.pair_id).update(text=text, sentence_count=3)
    address = f"/snapshots/{snapshot.pk}/marking/test/?place=1"
    assert "in premise" not in browser.get(address.replace("=1", f"={second.place}")).content.decode()
    sent = {"place": 1, "phenomenon": ["negation", "hypernymy"], "premise": ["3:negation", "1:negation"]}
    browser.post(address, sent)
    assert Mark.objects.get().premises == {"negation": [1, 3]}
    ticked = html.fromstring(browser.get(address).content).xpath("//input[@name='premise'][@checked]/@value")
    assert ticked == ["1:negation", "3:negation"]
    mark(pair=second, phenomena=["negation"], by=rosa, premises={"negation": [1]})
    assert progress_of(marking).by_premises == [("negation", 2, 1, 3)]
    assert (
        "negation 3 in 2 marks, 1 of them with one premise alone"
        in browser.get(f"/snapshots/{snapshot.pk}/marking/").content.decode()
    )
    rows = browser.get(f"/api/v1/snapshots/{snapshot.pk}/marks/?partition=test").json()["marks"]
    assert rows[0]["premises"] == {"negation": [1, 3]}
    for wrong, says in ((["4:negation"], "premises of this pair are 1 to 3"), (["1:irony"], "Tick irony")):
        refused = browser.post(address, {**sent, "premise": wrong})
        assert (refused.status_code, says in refused.content.decode()) == (422, True)


def marked(snapshot, rosa, other):
    """Makes four pairs that two people marked; they disagree about negation in the second, hypernymy in the fourth."""
    marking = begun(snapshot, rosa)
    given = [(["negation"], ["negation"]), (["negation"], []), ([], []), (["hypernymy"], ["negation"])]
    for pair, (mine, theirs) in zip(marking.pairs.order_by("place"), given, strict=True):
        mark(pair=pair, phenomena=mine, by=rosa)
        mark(pair=pair, phenomena=theirs, by=other)
    return marking


def test_two_people_agree_by_phenomenon(snapshot, rosa):
    rita = person("rita", role="researcher")
    progress = progress_of(marked(snapshot, rosa, rita))
    people = sorted([(rita.code, 4), (rosa.code, 4)])
    assert (progress.pairs, progress.common, sorted(progress.people)) == (4, 4, people)
    found = {one.phenomenon: one for one in progress.agreement}
    negation = found["negation"]
    assert ({negation.one, negation.other}, negation.both, negation.same) == ({2}, 1, 0.5)
    assert negation.kappa == pytest.approx(0.0)  # half the answers are equal, as chance would have it
    assert found["hypernymy"].same == 0.75
    assert found["hypernymy"].kappa == pytest.approx(0.0)
    assert (found["world knowledge"].same, found["world knowledge"].kappa) == (1.0, None)


def test_one_person_alone_has_no_agreement(snapshot, rosa):
    marking = begun(snapshot, rosa)
    mark(pair=marking.pairs.first(), phenomena=["negation"], by=rosa)
    progress = progress_of(marking)
    assert (progress.two, progress.agreement) == (None, [])
    assert progress.counts == [("negation", 1), ("hypernymy", 0), ("world knowledge", 0)]


def test_marks_fill_the_breakdowns_the_error_browser_and_both_tables(snapshot, rosa):
    marking = marked(snapshot, rosa, person("rita", role="researcher"))
    run = done_run(snapshot, "lstm")
    ids = answers(run, wrong_at(*range(9)))
    assert count_marks(marking=marking) == 1
    first = names_of(marking)[0]
    # Both see negation in the first pair alone.
    (row,) = Breakdown.objects.get(run=run, dimension="file:phenomenon").rows
    assert row[:3] == ["negation", 1, 0]
    assert Breakdown.objects.get(run=None, dimension="file:phenomenon").rows[0][:2] == ["negation", 1]
    chosen = Predictions(run, "test").chosen(Choice(values={"file:phenomenon": "negation"}))
    assert [ids[place] for place in chosen] == [first]
    later = done_run(snapshot, "lstm", seed=2)
    answers(later, wrong_at())
    store_breakdowns(later, snapshot, folder_of(later), ["test"])  # a new run needs no second count
    assert Breakdown.objects.get(run=later, dimension="file:phenomenon").rows[0][:3] == ["negation", 1, 1]


def test_tables_mpe_5_and_8_have_the_marks_of_dev(rosa):
    snapshot = small_snapshot(9, dev=9)
    marking = begun(snapshot, rosa, partition="dev")
    for pair in marking.pairs.all():
        mark(pair=pair, phenomena=["negation"] if pair.place > 1 else [], by=rosa)
    count_marks(marking=marking)
    assert [title for title, _ in fill("mpe-8", [snapshot]).rows] == ["all marked pairs", "negation"]
    report = fill("mpe-5", [snapshot])
    labels, examples = ["entailment", "neutral", "contradiction"], ["premise", "hypothesis", "label"]
    assert report.columns == ["pairs", *labels, *examples]
    # The first pair with negation is the example.
    marked = [pair.row for pair in marking.pairs.filter(place__gt=1)]
    first = min(marked, key=lambda row: row.pk)
    example = [first.pair.premise.text, first.pair.hypothesis, first.gold_label]
    assert [cell.mean for cell in dict(report.rows)["negation"][4:]] == example
    # Counts are of the sample, not of dev.
    gold = Counter(marking.pairs.values_list("row__gold_label", flat=True))
    assert [(title, [cell.mean for cell in cells[:4]]) for title, cells in report.rows] == [
        ("all marked pairs", [4, *(gold[label] for label in labels)]),
        ("negation", [3, *(_with_negation(marking, label) for label in labels)]),
    ]


def test_the_papers_phenomena_come_first_in_its_order(rosa):
    snapshot = small_snapshot(9, dev=9)
    names = ["world knowledge", "negation", "word hypernymy"]
    marking = begin_marking(snapshot=snapshot, partition="dev", number=2, phenomena=names, seed=1, by=rosa)
    for pair in marking.pairs.all():
        mark(pair=pair, phenomena=names, by=rosa)
    count_marks(marking=marking)
    rows = [title for title, _ in fill("mpe-5", [snapshot]).rows]
    assert rows == ["all marked pairs", "word hypernymy", "world knowledge", "negation"]


def _with_negation(marking, label) -> int:
    return marking.pairs.filter(place__gt=1, row__gold_label=label).count()


def test_marks_without_a_phenomenon_remove_what_was_counted_before(snapshot, rosa):
    marking = begun(snapshot, rosa, 1)
    for phenomena, found in ((["negation"], True), ([], False)):
        mark(pair=marking.pairs.get(), phenomena=phenomena, by=rosa)
        count_marks(marking=marking)
        assert Breakdown.objects.filter(dimension="file:phenomenon").exists() is found


def test_pairs_are_marked_one_after_the_other_on_the_page(browser, snapshot, rosa):
    address = f"/snapshots/{snapshot.pk}/marking/"
    asked = {"partition": "test", "number": "2", "phenomena": "negation\nhypernymy", "seed": "1"}
    assert browser.post(address, {**asked, "number": "99"}).status_code == 422
    assert browser.post(address, asked)["Location"] == f"{address}test/"
    for place in (1, 2):
        page = html.fromstring(browser.get(f"{address}test/").content)
        form = page.get_element_by_id("marking")
        assert form.fields["place"] == str(place)
        sent = {"place": place, "phenomenon": ["negation", "hypernymy"][:place]}
        assert browser.post(f"{address}test/", sent)["Location"] == f"{address}test/"
    done = browser.get(f"{address}test/").content.decode()
    assert "You have marked all 2 pairs" in done
    assert 'href="?place=1"' in done
    assert 'href="?place=2"' in browser.get(f"{address}test/?place=1").content.decode()
    again = html.fromstring(browser.get(f"{address}test/?place=2").content)
    assert again.xpath('//input[@type="checkbox" and @checked]/@value') == ["negation", "hypernymy"]
    assert browser.post(f"{address}test/", {"place": 2, "phenomenon": "irony"}).status_code == 422
    assert browser.post(f"{address}test/", {"place": 9}).status_code == 404
    assert browser.post(f"{address}test/count/")["Location"] == address
    assert f"{rosa.code} marked 2" in " ".join(
        html.fromstring(browser.get(address).content).text_content().split()
    )
    rows = list(csv.reader(io.StringIO(browser.get(f"{address}test.csv").content.decode())))
    marking = Marking.objects.get()
    first, second = names_of(marking)
    assert rows[1:] == [[first, "negation"], [second, "negation"], [second, "hypernymy"]]
    told = browser.get(f"/api/v1/snapshots/{snapshot.pk}/marks/?partition=test").json()
    assert [(one["pairID"], one["by"]) for one in told["marks"]] == [(first, rosa.code), (second, rosa.code)]
    assert browser.get(f"{address}dev/").status_code == 404
    undrawn = browser.get(f"/api/v1/snapshots/{snapshot.pk}/marks/?partition=dev")
    assert (undrawn.status_code, undrawn.json()["detail"]) == (
        404,
        f"No pairs of dev of {snapshot} were drawn for marking: begin a marking on {address}.",
    )
