"""Charts of annotators and of one of them: agreement by week, the funnel, the sorted table, control items."""

import math
import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import html

from shared.figures import shown
from tests.cast import person
from tests.charted import charted_corpus, charts_in
from tests.corpora import LABELS, make_corpus
from tests.made_once import made_once
from validation.models import BatchItem, Label, LabelWording, Question
from validation.statistics import annotator_figures as module
from validation.statistics.annotator_quality import annotators
from validation.statistics.cached import carry_out, request_statistics
from validation.statistics.scope import Counted

pytestmark = pytest.mark.django_db
PAGE = "/corpora/charted/annotators/"


@made_once
def question() -> Question:
    return charted_corpus(extra=False).questions.get()


def of(name: str, found):
    return next(each for each in found if each.code == person(name).code)


def annotator_charts(found, question: Question) -> list:
    return [each.table for each in shown(module.OF_ALL, question, Counted(question, found))]


def person_charts(one, found, question: Question) -> list:
    who = module.Person(annotator=one.code)
    return [each.table for each in shown(module.OF_COUNTED, question, Counted(question, found), who)]


def newest_charts(who, question: Question) -> list:
    return [each.table for each in module.shown_of(who, (), question)]


def test_page_and_rest_have_the_same_numbers(question, browser_of, api_of, rosa):
    on_page = charts_in(browser_of(rosa).get(PAGE).content)
    rest = "/api/v1/corpora/charted/figures/"
    assert list(on_page) == ["annotators-speed", "annotators-funnel"]
    for key, chart in on_page.items():
        assert api_of(rosa).get(f"{rest}{key}").json() == {**chart, "made_at": None}
    assert len(on_page["annotators-speed"]["rows"]) == 9
    flagged = {row["code"] for row in on_page["annotators-speed"]["rows"] if row["flagged"] == "flagged"}
    assert flagged == {person("guesser").code, person("hasty").code}
    file = browser_of(rosa).get(f"{rest}annotators-funnel", {"as": "csv"}).content.decode()
    assert file.splitlines()[0] == "code,flagged,flags,others,agreement,low,high"


def test_the_limits_of_the_funnel_are_standard_errors_of_the_mean(question):
    found = annotators(question)
    (chart,) = [chart for chart in annotator_charts(found, question) if chart.key == "annotators-funnel"]
    (line,) = chart.lines
    pairs = sum(each.others for each in found)
    assert line["value"] == pytest.approx(sum(each.equals_others * each.others for each in found) / pairs)
    for curve, errors in zip(chart.draw["curves"], (1.96, 3.09), strict=True):
        for (n, p), sign in ((curve["lines"][0][-1], 1), (curve["lines"][1][-1], -1)):
            error = math.sqrt(line["value"] * (1 - line["value"]) / n)
            assert p == pytest.approx(line["value"] + sign * errors * error)
    assert chart.title.startswith("2 people agree less often")


def test_weeks_add_up_to_the_whole(question):
    for each in annotators(question):
        assert sum(labels for _, labels, _, _ in each.weeks) == each.labels
        assert sum(compared for *_, compared, _ in each.weeks) == each.others
        assert sum(agreed for *_, agreed in each.weeks) == pytest.approx(each.equals_others * each.others)
        days = [week for week, *_ in each.weeks]
        assert days == sorted(days)
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in days)


def test_a_persons_labels_stand_beside_everybodys(question):
    found = annotators(question)
    _, weeks, mix = person_charts(of("guesser", found), found, question)
    own, all_people = mix.rows
    total = Label.objects.filter(question=question, origin="cast", position__gt=1)
    for label in LABELS:
        assert all_people[label] == pytest.approx(total.filter(label=label).count() / total.count())
    assert own["labels"] == total.filter(annotator=person("guesser")).count()
    assert weeks.draw["band"] == ["low", "high"]


def part(text: str) -> float:
    right, _, number = text.partition(" of ")
    return int(right) / int(number)


def test_a_persons_head_figures_are_marked_among_everybodys(question):
    found = annotators(question)
    guesser = of("guesser", found)
    strips, *_ = person_charts(guesser, found, question)
    row = next(row for row in strips.rows if row["statistic"] == "Agreement with others")
    known = [each.equals_others for each in found if each.equals_others is not None]
    assert row["below"] == sum(value < guesser.equals_others for value in known)
    assert row["people"] == len(row["places"]) == len(known)
    assert (min(row["places"]), max(row["places"])) == (0, 1)
    assert row["place"] == pytest.approx((guesser.equals_others - min(known)) / (max(known) - min(known)))
    assert strips.title.startswith(
        f"{guesser.code} agrees more often than {row['below']} of {len(known) - 1} others"
    )
    assert "Calibration right" not in {row["statistic"] for row in strips.rows}, "nobody has a value there"


def test_one_person_alone_has_no_strips(question):
    one = of("guesser", annotators(question))
    assert "strips" not in {chart.key for chart in person_charts(one, [one], question)}


def test_equal_figures_stand_in_the_middle(question):
    one = of("guesser", annotators(question))
    strips, *_ = person_charts(one, [one, one], question)
    assert {row["place"] for row in strips.rows} == {0.5}


def test_shares_on_a_persons_page_are_named_by_the_corpuss_words(question, browser_of, rosa):
    LabelWording.objects.filter(question=question, label="neutral").update(wording="Left open")
    found = request_statistics(question=question, kind="annotators")
    carry_out(statistics_id=found.pk)
    page = browser_of(rosa).get(f"/corpora/charted/pool/{person('guesser').code}/").content.decode()
    assert "<summary>Left open</summary>" in page
    assert "share: neutral" not in page


def test_the_table_is_sorted_and_has_no_empty_columns(question, browser_of, rosa):
    def read(sort: str) -> tuple[list[str], list[str]]:
        page = html.fromstring(browser_of(rosa).get(PAGE, {"sort": sort}).content)
        table = page.xpath("//div[@aria-label='Annotators']/table")[0]
        heads = [head.text_content().strip(" ▲▼") for head in table.xpath(".//thead//th")]
        return heads, [row.xpath("string(./td[5])") for row in table.xpath("./tbody/tr")]

    heads, _ = read("")
    assert "Control items right" in heads
    assert not {"Calibration right", "Dawid-Skene", "MACE"} & set(heads), "nobody has a value there"
    column = heads.index("Control items right") - 1
    assert column == 5 - 1
    by_controls = [part(text) for text in read("-controls")[1]]
    assert by_controls == sorted(by_controls, reverse=True)
    assert [part(text) for text in read("controls")[1]] == by_controls[::-1]
    assert read("nonsense") == read("-labels")


def test_control_items_stand_on_the_persons_page_the_wrong_ones_first(question, browser_of, rosa):
    page = browser_of(rosa).get(f"/corpora/charted/pool/{person('guesser').code}/")
    controls = page.context["controls"]
    found = of("guesser", annotators(question))
    assert len(controls) == min(found.controls, 30)
    right = [row.label == row.expert for row in controls]
    assert right == sorted(right)
    assert not right[0]
    assert list(charts_in(page.content)) == ["strips", "weeks", "mix", "rolling", "seconds"]


def test_agreement_rolls_over_the_newest_pairs_with_control_items_as_marks(question):
    guesser = person("guesser")
    own = Label.objects.filter(question=question, annotator=guesser, position__gt=1).order_by("cast_at", "pk")
    agrees = []
    for label in own:
        others = Label.objects.filter(pair=label.pair, position__lte=5).exclude(pk=label.pk)
        votes = Counter(others.values_list("label", flat=True)).most_common(1)[0]
        if votes[1] > 2:
            agrees.append(votes[0] == label.label)
    rolling, _ = newest_charts(guesser, question)
    assert rolling.rows[-1]["answer"] == len(agrees)
    for row in rolling.rows:
        last = agrees[max(0, row["answer"] - 50) : row["answer"]]
        assert row["pairs"] == len(last)
        assert row["agreement"] == (pytest.approx(sum(last) / len(last)) if row["answer"] >= 30 else None)
    found = of("guesser", annotators(question))
    marks = Counter(row["control"] for row in rolling.rows if row["control"])
    assert set(marks) == {"right", "wrong"}
    assert marks.total() <= found.controls
    assert marks["right"] <= found.controls_right


def test_seconds_stand_beside_those_of_all(question):
    _, seconds = newest_charts(person("hasty"), question)
    for side in ("own", "everybody"):
        assert sum(row[side] for row in seconds.rows) == pytest.approx(1)
    assert seconds.rows[0]["own"] == 1, "each of their labels took less than a second"
    assert re.search(
        r"^The median of \S+ newest [\d,]+ answers is 0\.9 seconds, that of the newest", seconds.title
    )
    assert seconds.rows[0]["everybody"] < 0.2


def test_the_newest_answers_need_the_same_queries_however_many_there_are(question):
    asked = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            newest_charts(person("guesser"), question)
        asked.append(len(captured))
        keep = Label.objects.filter(annotator=person("guesser")).values_list("pk", flat=True)[:60]
        BatchItem.objects.exclude(seat__in=list(keep)).delete()
        Label.objects.filter(annotator=person("guesser")).exclude(pk__in=list(keep)).delete()
    assert asked == [6, 6]


def test_somebody_without_labels_has_no_charts(question):
    assert newest_charts(person("nobody yet"), question) == []


def test_people_without_times_or_comparisons_are_left_out(browser_of, rosa):
    question = make_corpus(slug="charted").questions.get()
    assert annotator_charts([], question) == []
    assert charts_in(browser_of(rosa).get(PAGE).content) == {}
