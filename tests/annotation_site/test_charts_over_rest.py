"""What a page draws is what REST returns: the charts of the overview, premises, prompts, texts, links, people, snapshots."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from lxml import html

from annotation_site.workspace.overview_charts import charts_of_overview, pace_chart
from annotation_site.workspace.pipeline import counts_of
from collection.models import Corpus, Pair
from collection.models.withdrawal import VETTED
from shared.days import start_of_day
from tests.addresses import sample_site
from tests.charted import charted_corpus, charts_in, figures_of
from tests.made_once import made_once
from validation.models import Label
from validation.models.querysets import LabelQuerySet
from validation.statistics import cached
from validation.statistics.agreement import WEEKS, report, weekly_agreement
from validation.statistics.vote_patterns import in_group

pytestmark = pytest.mark.django_db
corpus = made_once(charted_corpus)
site = made_once(sample_site)
REST = "/api/v1/corpora/charted/figures/"


def test_the_overview_draws_labels_a_day_agreement_by_week_and_seats_by_state(corpus, browser_of, rosa):
    client = browser_of(rosa)
    page = client.get("/c/charted/")
    charts = charts_in(page.content)
    assert list(charts) == ["pace-labels", "agreement", "weeks", "seats-now"]
    assert figures_of(client, "overview") == list(charts.values())
    question = corpus.questions.get()
    by_week = report(Pair.objects.filter(corpus=corpus), question, by="week").rows
    assert {
        row["week"]: (row["pairs"], row["agreement"], row["low"], row["high"])
        for row in charts["weeks"]["rows"]
    } == {
        week: (
            row["pairs_with_all_labels"],
            row["individual_equals_gold"],
            *row["intervals"]["individual_equals_gold"],
        )
        for week, row in by_week.items()
    }
    assert {line["name"] for line in charts["weeks"]["lines"]} == {"SNLI, MultiNLI (88.7% to 89.0%)"}
    last = charts["weeks"]["rows"][-1]
    behind = in_group(Pair.objects.filter(corpus=corpus), question, "week", last["week"])
    assert client.get(last["href"]).context["numbers"].total[0] == behind.count() == last["pairs"]
    (seats,) = charts["seats-now"]["rows"]
    counts = counts_of([corpus])[corpus.pk]
    assert (seats["filled"], seats["held"], seats["free"]) == (counts.filled, 0, counts.open_seats)
    days = charts["pace-labels"]["rows"]
    assert [row["labels"] for row in days] == [day[2] for day in counts.days()]
    assert days[-1]["mean"] == pytest.approx(counts.pace_of_labels)
    before = counts.days(20)[:7]
    assert days[0]["mean"] == pytest.approx(sum(day[2] for day in before) / 7)
    assert counts.days_since_first(2) > 20
    csv = client.get(f"{REST}overview-weeks", {"as": "csv"}).content.decode().splitlines()
    assert csv[0] == "week,pairs,agreement,low,high"
    assert len(csv) == len(by_week) + 1
    assert client.get(f"{REST}overview-none").status_code == 404


@pytest.mark.parametrize(
    ("days", "rows"), [("30", 30), pytest.param("90", 90, marks=pytest.mark.thorough), ("all", 36)]
)
def test_the_pace_is_drawn_over_as_many_days_as_one_chooses(corpus, browser_of, rosa, days, rows):
    client = browser_of(rosa)
    page = client.get("/c/charted/", {"days": days})
    pace = charts_in(page.content)["pace-labels"]
    assert figures_of(client, "overview", days=days)[0] == pace
    assert len(pace["rows"]) == rows
    cast = cast_in(corpus).count()
    assert sum(row["labels"] for row in pace["rows"]) == cast - (0 if rows > 35 else lost(corpus, 30))
    chosen = html.fromstring(page.content).xpath("//nav[@aria-label='Days of the charts']//a[@aria-current]")
    assert [each.get("href") for each in chosen] == [f"?days={days}"]
    csv = client.get(f"{REST}overview-pace-labels", {"days": days, "as": "csv"}).content.decode().splitlines()
    assert len(csv) == rows + 1
    refused = client.get(f"{REST}overview-pace-labels", {"days": "15"})
    assert refused.status_code == 422
    assert "14, 30, 90, all" in refused.content.decode()
    assert len(charts_in(client.get("/c/charted/", {"days": "15"}).content)["pace-labels"]["rows"]) == 14


def cast_in(corpus: Corpus) -> LabelQuerySet:
    return Label.objects.filled_by_validators().filter(question__corpus=corpus)


def lost(corpus: Corpus, days: int) -> int:
    """Returns the labels that were cast before the last so many days."""
    first = start_of_day(timezone.now()) - timedelta(days=days - 1)
    return cast_in(corpus).filter(cast_at__lt=first).count()


def test_of_very_many_days_weeks_are_drawn(corpus):
    long_ago = timezone.now() - timedelta(days=400)
    first = cast_in(corpus).earliest("pk")
    Label.objects.filter(pk=first.pk).update(cast_at=long_ago)
    counts = counts_of([corpus])[corpus.pk]
    chart = pace_chart("labels", counts, 0)
    assert [column.key for column in chart.columns] == ["day", "labels"]
    assert {date.fromisoformat(row["day"]).weekday() for row in chart.rows} == {0}
    assert 401 / 7 <= len(chart.rows) <= 401 / 7 + 2
    assert sum(row["labels"] for row in chart.rows) == cast_in(corpus).count()
    assert re.search(r" in 401 days, up to \d+ a week( \(from \d+ \w+ \d{4}\))?\.$", chart.title)
    assert chart.draw["interval"] == "monday"
    assert counts.days()[0][0] > counts.worked[0][0]


def test_a_corpus_says_when_it_was_last_worked_on_however_long_ago(corpus):
    long_ago = timezone.now() - timedelta(days=100)
    cast_in(corpus).update(cast_at=long_ago)
    counts = counts_of([corpus])[corpus.pk]
    assert counts.last_active() == long_ago.date()
    assert pace_chart("labels", counts) is None
    assert pace_chart("labels", counts, 0) is not None


def test_surplus_labels_stand_beside_the_seats_and_are_none_of_them(corpus, browser_of, rosa, monkeypatch):
    """A label of a withdrawn pair has no seat either, but nobody was faster."""
    counts = counts_of([corpus])[corpus.pk]
    cast = list(cast_in(corpus).filter(position=3).order_by("pk")[:3])
    Label.objects.filter(pk__in=[label.pk for label in cast]).update(position=None)
    Pair.objects.filter(pk=cast[0].pair_id).update(withdrawn_at=timezone.now(), withdrawn_because=VETTED)
    chart = next(each for each in charts_of_overview(corpus) if each.key == "seats-now")
    now = counts_of([corpus])[corpus.pk]
    assert counts.surplus == 0
    assert now.surplus == chart.rows[0]["surplus"] == 2
    assert chart.draw["series"] == ["filled", "held", "free", "surplus"]
    client, progress = browser_of(rosa), f"/c/{corpus.slug}/labelling/"
    link = re.search(r'<dt>Surplus labels</dt><dd><a href="([^"]+)">2</a>', client.get(progress).text)
    assert client.get(unescape(link[1])).context["cl"].result_count == 2, "the number leads to its labels"
    cached.store(question=corpus.questions.get(), kind="overview")
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 3)
    assert client.get(progress).context["surplus"] == 2
    assert f"{now.filled:,} of {now.filled + now.open_seats:,} seats are filled" in chart.title


def test_the_overview_has_hourly_pay_and_its_lowest_value(corpus, browser_of, rosa):
    client = browser_of(rosa)
    page = client.get("/c/charted/")
    pay = client.get("/corpora/charted/pay/").context
    hourly = sorted(wage.hourly_cents for wage in pay["table"].rows)
    found = page.context["hourly"]
    assert found.median_hourly_cents == pay["summary"].median_hourly_cents
    assert found.lowest_hourly_cents == hourly[0]
    assert f"${hourly[0] / 100:,.2f}" in page.content.decode()


def test_only_the_last_weeks_are_drawn_and_a_single_one_is_not(corpus):
    question, now = corpus.questions.get(), timezone.now()
    labels = Label.objects.filter(question=question, label__isnull=False)
    for number, pair in enumerate(Pair.objects.filter(corpus=corpus).order_by("pk")[:20]):
        labels.filter(pair=pair).update(cast_at=now - timedelta(weeks=number + 10))
    assert len(weekly_agreement(question)) == WEEKS
    labels.update(cast_at=now)
    assert len(weekly_agreement(question)) == 1
    assert [chart.key for chart in charts_of_overview(corpus)] == ["pace-labels", "agreement", "seats-now"]


def test_a_large_corpus_shows_the_weeks_that_a_worker_counted(corpus, browser_of, rosa, monkeypatch):
    client = browser_of(rosa)
    now = charts_in(client.get("/c/charted/").content)
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 5)
    assert charts_in(client.get("/c/charted/").content) == {}
    assert figures_of(client, "overview") == []
    question = corpus.questions.get()
    for kind in ("overview", "agreement", "wages"):
        cached.carry_out(statistics_id=cached.request_statistics(question=question, kind=kind).pk)
    monkeypatch.setattr("annotation_site.workspace.overview_charts.weekly_agreement", None)
    assert charts_in(client.get("/c/charted/").content) == now


def test_rest_returns_what_a_persons_page_draws(corpus, browser_of, rosa):
    client = browser_of(rosa)
    code = Label.objects.filter(origin="cast").first().annotator.code
    drawn = charts_in(client.get(f"/corpora/charted/pool/{code}/").content)
    assert {"strips", "mix", "rolling"} <= drawn.keys()
    assert figures_of(client, "annotator", annotator=code) == list(drawn.values())
    for name in ("annotator-strips", "annotator-rolling"):
        assert client.get(f"{REST}{name}", {"annotator": "nobody"}).status_code == 404
        assert client.get(f"{REST}{name}").status_code == 422


def test_rest_returns_what_is_drawn_of_premises_links_and_snapshots(site, browser_of):
    client, slug = browser_of(site.people["researcher"]), site.corpus.slug
    link = site.corpus.entry_links.get().pk
    for page, room, of, query, key in (
        (f"/c/{slug}/premises/", "premises", f"corpora/{slug}", {}, "premises-stock"),
        (f"/c/{slug}/links/{link}/", "link", f"corpora/{slug}", {"link": link}, "funnel"),
        (f"/snapshots/{site.snapshot.pk}/", "snapshot", f"snapshots/{site.snapshot.pk}", {}, "contents"),
    ):
        drawn = charts_in(client.get(page).content)
        assert list(drawn) == [key], page
        told = figures_of(client, room, of, **query)
        assert [chart for chart in told if chart["key"] == key] == list(drawn.values())
    other = Corpus.objects.create(slug="other", name="Other", scheme=site.corpus.scheme)
    assert client.get(f"/api/v1/corpora/{other.slug}/figures/link-funnel", {"link": link}).status_code == 404


def test_rest_returns_what_is_drawn_of_the_plan_of_a_freeze(corpus, browser_of, rosa):
    client = browser_of(rosa)
    for choices in ({}, {"seed": "5"}, {"author_disjoint": "true"}):
        drawn = charts_in(
            client.get(reverse("freeze-plan", args=["charted"]), {"seed": "0", **choices}).content
        )
        assert list(drawn) == ["contents"]
        assert figures_of(client, "plan", **choices) == list(drawn.values())
    refused = client.get(f"{REST}plan-contents", {"dev_from_train": "3"})
    assert refused.status_code == 422
    assert "published train" in refused.json()["detail"]


def test_rest_returns_what_is_drawn_of_hypotheses_alone(corpus, browser_of, rosa):
    client = browser_of(rosa)
    assert figures_of(client, "bias") == []
    question = corpus.questions.get()
    cached.carry_out(statistics_id=cached.request_statistics(question=question, kind="bias").pk)
    drawn = charts_in(client.get("/corpora/charted/bias/").content)
    assert list(drawn) == ["bias-alone", "bias-upheld"]
    assert [each for each in figures_of(client, "bias") if each["kind"]] == list(drawn.values())


def test_the_command_says_in_a_sentence_what_a_parameter_does_not_find(corpus):
    with pytest.raises(CommandError, match=r"No EntryLink matches.*link.*999"):
        call_command("figure", "link-funnel", corpus.slug, "link=999")
