"""Charts of pay: hourly pay in classes beside the floor, money by day and task, what was earned."""

from datetime import date, timedelta

import pytest

from annotation_site.researchers.wages import Wage, wages
from annotation_site.researchers.wages_charts import earned, money_by_day, wage_charts
from collection.models import LedgerEntry
from tests.charted import charted_corpus, charts_in, figures_of
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db


def wage(cents: int, hours: float | None) -> Wage:
    return Wage(annotator=1, code="code", cents=cents, pieces=1, hours=hours)


def hourly(found, floor: int = 0):
    return next(chart for chart in wage_charts(found, [], floor) if chart.key == "hourly")


def test_every_person_is_in_one_class_and_the_floor_is_a_line():
    found = [wage(cents, 1.0) for cents in (400, 499, 500, 760, 1510, 1510)] + [wage(100, None)]
    chart = hourly(found, 500)
    assert sum(row["people"] for row in chart.rows) == 6
    for row in chart.rows:
        inside = [each for each in found if each.hours and row["low"] <= each.hourly_cents < row["high"]]
        assert len(inside) == row["people"]
    assert {line["name"]: line["value"] for line in chart.lines} == {
        "median ($6.30)": 630, "floor ($5.00)": 500
    }  # fmt: skip
    assert chart.title == "Half of 6 people earn $6.30 an hour or more; 2 earn less than $5.00."


@pytest.mark.parametrize("pay", [[1], [1, 2], [5, 90_000], [0, 0]])
def test_classes_are_few_whatever_people_earn(pay):
    chart = hourly([wage(cents, 1.0) for cents in pay])
    assert 1 <= len(chart.rows) <= 14
    assert sum(row["people"] for row in chart.rows) == len(pay)


def test_money_by_day_adds_up_to_the_ledger(browser_of, rosa):
    corpus = charted_corpus(extra=False)
    total = LedgerEntry.objects.filter(corpus=corpus).total_cents()
    days = money_by_day(corpus)
    chart = next(chart for chart in wage_charts(wages(corpus), days, 0) if chart.key == "by-day")
    assert sum(row["total"] for row in chart.rows) == total == sum(cents for _, cents in earned(days))
    assert {task for task, _ in earned(days)} == {"Labels", "Writing"}
    first, last = (date.fromisoformat(chart.rows[k]["day"]) for k in (0, -1))
    assert len(chart.rows) == (last - first).days + 1, "days without work are there, too"
    page = browser_of(rosa).get("/corpora/charted/pay/?floor=4")
    assert list(charts_in(page.content)) == ["hourly", "by-day"]
    assert f"${total / 100:,.2f}" in page.content.decode()
    told = figures_of(browser_of(rosa), "pay", floor_cents=400)
    assert told == list(charts_in(page.content).values())
    file = browser_of(rosa).get("/api/v1/corpora/charted/figures/pay-by-day", {"as": "csv"})
    assert len(file.content.splitlines()) == len(chart.rows) + 1
    code = LedgerEntry.objects.first().user.code
    assert f'href="/corpora/charted/pool/{code}/"' in page.content.decode()


def test_long_work_is_shown_by_week():
    start = date(2026, 1, 7)
    days = [(start + timedelta(days=n), "labels", 10) for n in range(0, 300, 3)]
    chart = next(chart for chart in wage_charts([], days, 0) if chart.key == "by-day")
    assert chart.rows[0]["day"] == "2026-01-05"
    assert all(date.fromisoformat(row["day"]).weekday() == 0 for row in chart.rows)
    assert sum(row["labels"] for row in chart.rows) == 1000


def test_nobody_paid_means_no_chart(browser_of, rosa):
    corpus = make_corpus(slug="charted")
    assert wage_charts(wages(corpus), money_by_day(corpus), 500) == []
    assert charts_in(browser_of(rosa).get("/corpora/charted/pay/").content) == {}
