"""Charts of a corpus's overview: texts and labels a day, agreement by week, seats by state."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotation_site.workspace.labelling_page import held_now
from annotation_site.workspace.pipeline import Counts, counts_of
from annotation_site.workspace.texts_days import DAYS
from collection.models import Corpus
from shared.days import monday_of
from shared.findings import WEEK, compared, in_place, named_rows, pace, peak
from shared.numbers import percent, short_day
from shared.tables import Column, Table, interval, with_values
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.agreement import weekly_agreement
from validation.statistics.annotator_figures import BAND, BY_WEEK
from validation.statistics.definitions import DEFINITIONS, PUBLISHED
from validation.statistics.vote_patterns import DIMENSIONS

COLOURS = {"filled": "--step-1", "held": "--step-3", "free": "--step-5", "surplus": "--chart-third"}
# What `days` in an address may be -> days of the charts of the pace; 0: all since the first text or label.
SPANS = {"14": DAYS, "30": 30, "90": 90, "all": 0}
SURPLUS = "Labels that came after somebody else had filled the seat: paid, and never counted."
SMALL = {"series": [], "is_small": True}  # how a small chart is drawn: without means
MOST_COLUMNS = 180  # beyond so many days, a column is a week


def charts_of_overview(corpus: Corpus, span: int = DAYS) -> list[Table]:
    """Returns the charts of a corpus, those of the pace over `span` days; none while no worker has counted a large one."""
    question = Question.objects.filter(corpus=corpus, is_main=True).select_related("corpus").first()
    counts = counts_of([corpus])[corpus.pk]
    return overview_charts(question, counts, span) if counts else []


def overview_charts(question: Question | None, counts: Counts, span: int = DAYS) -> list[Table]:
    """Returns the charts of these counts. The weeks of a large corpus are those that a worker counted with them."""
    charts = [pace_chart("texts", counts, span), pace_chart("labels", counts, span)]
    if question and (counts.filled or counts.open_seats):
        weeks = weekly_agreement(question) if counts.made_at is None else counts.weeks
        charts += [
            agreement_chart(question.corpus, counts),
            _weeks(question, weeks),
            _seats(question, counts),
        ]
    return with_values(charts)


def pace_chart(what: str, counts: Counts, span: int = DAYS) -> Table | None:
    """Returns the texts or labels of the last `span` days (0: of all) with their mean; None if there are none.

    Of very many days it shows the weeks.
    """
    column = ("texts", "labels").index(what) + 1
    shown = span or max(DAYS, counts.days_since_first(1, 2))
    days = counts.days(shown + WEEK - 1)
    numbers, since_first = [day[column] for day in days], counts.days_since_first(column)
    rows: list[dict[str, Any]] = [
        {
            "day": day[0],
            what: day[column],
            "mean": pace(sum(numbers[place : place + WEEK]), since_first - shown + 1 + place),
        }
        for place, day in enumerate(days[WEEK - 1 :])
    ]
    total, a, since = sum(numbers[WEEK - 1 :]), "day", "on"
    if not total:
        return None
    if shown > MOST_COLUMNS:
        a, since, rows = "week", "from", _by_week(rows, what)
    busiest = peak({_day(row["day"]): row[what] for row in rows}, a, since, lambda number: f"{number:,}")
    columns = [
        Column("day", a if a == "day" else "week from", "day"),
        Column(what, f"{what} a {a}", "count"),
        Column(
            "mean",
            "mean of seven days",
            "number",
            "Of the day and the six before it, from the first work on.",
        ),
    ]
    return Table(
        f"pace-{what}",
        "lines",
        f"{total:,} {what.removesuffix('s') if total == 1 else what} in {shown:,} days, {busiest}.",
        columns if a == "day" else columns[:2],
        rows,
        {
            "x": "day",
            "x_type": "time",
            "columns": [what],
            "interval": "day" if a == "day" else "monday",
            "series": ["mean"] if a == "day" else [],
            "y_name": what,
        },
        colours={what: "--step-2", "mean": "--ink"},
    )


def _by_week(rows: Sequence[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    """Returns the sums of weeks, which begin on Mondays."""
    weeks = Counter[str]()
    for row in rows:
        weeks[monday_of(date.fromisoformat(row["day"])).isoformat()] += row[what]
    return [{"day": week, what: number} for week, number in weeks.items()]


def agreement_chart(corpus: Corpus, counts: Counts) -> Table | None:
    """Returns how often one label equals the gold label, beside SNLI and MultiNLI; None while no pair has all labels."""
    if counts.agreement is None:
        return None
    low, high = counts.interval or (counts.agreement, counts.agreement)
    between = f" (95% interval {percent(low)} to {percent(high)})" if counts.interval else ""
    row = {
        "of": corpus.name,
        "pairs": counts.compared,
        "agreement": counts.agreement,
        "low": low,
        "high": high,
    }
    return Table(
        "agreement",
        "dots",
        f"{percent(counts.agreement)} of the single labels equal the gold label{between}.",
        [
            Column("of", "corpus"),
            Column("pairs", "pairs", "count", DEFINITIONS["pairs_with_all_labels"]),
            Column("agreement", "individual = gold", "share", DEFINITIONS["individual_equals_gold"]),
            *interval(DEFINITIONS["intervals"]),
        ],
        [{**row, "href": reverse("agreement", args=[corpus.slug])}],
        {
            "y": "of",
            "x": "agreement",
            "low": "low",
            "high": "high",
            "n": "pairs",
            "x_domain": [0.5 if low >= 0.5 else 0, 1],
            "is_small": True,
        },
        lines=_published("x"),
    )


def glances(corpus: Corpus, counts: Counts | None) -> list[tuple[Table, str]]:
    """Returns the small charts of one corpus among all, each with the address of its table as CSV; none before a count."""
    if counts is None:
        return []
    found = [pace_chart("labels", counts) or pace_chart("texts", counts), agreement_chart(corpus, counts)]
    page = reverse("corpus-overview", args=[corpus.slug])
    return [
        (
            replace(chart, key=f"{chart.key}-{corpus.slug}", draw={**chart.draw, **SMALL}),
            f"{page}?chart={chart.key}",
        )
        for chart in with_values(found)
    ]


def _published(axis: str) -> list[dict[str, Any]]:
    """Returns SNLI's and MultiNLI's agreement as one band: two lines so near each other look like an interval."""
    known = sorted(share for share in PUBLISHED["individual_equals_gold"] if share is not None)
    name = f"SNLI, MultiNLI ({percent(known[0])} to {percent(known[-1])})"
    return [{"axis": axis, "value": known[0], "high": known[-1], "name": name}]


def _weeks(question: Question, weeks: Sequence[Sequence[Any]]) -> Table | None:
    if len(weeks) < 2:  # of a single week the overview has the number
        return None
    keys = ("week", "pairs", "agreement", "low", "high")
    rows: list[dict[str, Any]] = [
        {
            **dict(zip(keys, week, strict=True)),
            "href": address_in("pairs", question, by="week", group=week[0], votes="complete"),
        }
        for week in weeks
    ]
    parts = named_rows([{**row, "name": _day(row["week"])} for row in rows], "name", "agreement", "pairs")
    found = compared("the share of single labels that equal the gold label", parts, "week")
    ends = [row[key] for row in rows for key in ("low", "agreement") if row[key] is not None]
    return Table(
        "weeks",
        "lines",
        in_place(found or "single labels that equal the gold label, by week"),
        [
            Column("week", "week from", "day", f"{DIMENSIONS['week'].capitalize()}."),
            Column("pairs", "pairs", "count", DEFINITIONS["pairs_with_all_labels"]),
            Column("agreement", "individual = gold", "share", DEFINITIONS["individual_equals_gold"]),
            *interval(DEFINITIONS["intervals"]),
        ],
        rows,
        {
            **BY_WEEK,
            "y_domain": [0.5 if min(ends) >= 0.5 else 0, 1],
            "zero": min(ends) < 0.5,
        },
        lines=_published("y"),
        colours={"agreement": "--chart-point"},
        note=BAND,
    )


def _day(day: str) -> str:
    return short_day(date.fromisoformat(day))


def _seats(question: Question, counts: Counts) -> Table:
    held = min(held_now(question, timezone.now()), counts.open_seats)
    seats = {"filled": counts.filled, "held": held, "free": counts.open_seats - held}
    every = sum(seats.values())
    beyond = {"surplus": counts.surplus} if counts.surplus else {}
    late = f"; {counts.surplus:,} surplus label{'s' * (counts.surplus > 1)} came too late" if beyond else ""
    lists = {
        "filled": address_in("pairs", question, votes="complete"),
        "held": f"{reverse('labelling-progress', args=[question.corpus.slug])}#in-hand",
        "free": address_in("pairs", question, votes="open"),
    }
    return Table(
        "seats-now",
        "bars",
        f"{counts.filled:,} of {every:,} seats are filled ({percent(counts.filled / every)});"
        f" {held:,} {'is' if held == 1 else 'are'} in hand now{late}.",
        [
            Column("of", "of"),
            Column("filled", "filled", "count", "Seats with a label, without the author’s."),
            Column("held", "in hand", "count", "Free seats that somebody labels now."),
            Column("free", "free", "count"),
            *([Column("surplus", "surplus", "count", SURPLUS)] if late else []),
        ],
        [
            {
                "of": "seats",
                **seats,
                **beyond,
                "hrefs": {key: lists[key] for key, number in seats.items() if number},
            }
        ],
        {"y": "of", "series": [*seats, *beyond], "x_name": "seats"},
        colours=COLOURS,
    )
