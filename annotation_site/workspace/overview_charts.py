"""Charts of a corpus's overview: texts and labels a day, agreement by week, seats by state."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotation_site.workspace.labelling_page import held_now
from annotation_site.workspace.pipeline import PACE_DAYS, Counts, counts_of
from collection.models import Corpus
from shared.charts import Chart, Column, interval, with_values
from shared.numbers import percent, short_day
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.agreement import weekly_agreement
from validation.statistics.annotator_charts import BAND, BY_WEEK
from validation.statistics.definitions import DEFINITIONS, PUBLISHED
from validation.statistics.vote_patterns import DIMENSIONS

COLOURS = {"filled": "--step-1", "held": "--step-3", "free": "--step-5"}


def charts_of_overview(corpus: Corpus) -> list[Chart]:
    """Returns the charts of a corpus; none while no worker has counted a large one."""
    question = Question.objects.filter(corpus=corpus, is_main=True).select_related("corpus").first()
    counts = counts_of([corpus])[corpus.pk]
    return overview_charts(question, counts) if counts else []


def overview_charts(question: Question | None, counts: Counts) -> list[Chart]:
    """Returns the charts of these counts. The weeks of a large corpus are those that a worker counted with them."""
    charts = [_pace("texts", 1, counts), _pace("labels", 2, counts)]
    if question and (counts.filled or counts.open_seats):
        weeks = weekly_agreement(question) if counts.made_at is None else counts.weeks
        charts += [_weeks(question, weeks), _seats(question, counts)]
    return with_values(charts)


def _pace(what: str, column: int, counts: Counts) -> Chart | None:
    numbers = [day[column] for day in counts.days]
    if not any(numbers):
        return None
    rows = [
        {
            "day": day,
            what: number,
            "mean": sum(numbers[place - PACE_DAYS : place]) / PACE_DAYS if place >= PACE_DAYS else None,
        }
        for place, (day, number) in enumerate(zip((day[0] for day in counts.days), numbers, strict=True), 1)
    ]
    total, most = sum(numbers), max(rows, key=lambda row: row[what])
    return Chart(
        f"pace-{what}",
        "lines",
        f"{total:,} {what.removesuffix('s') if total == 1 else what} in {len(rows)} days, most on"
        f" {short_day(date.fromisoformat(most['day']))} ({most[what]:,}).",
        [
            Column("day", "day", "day"),
            Column(what, f"{what} a day", "count"),
            Column("mean", "mean of seven days", "number", "Of the day and the six before it."),
        ],
        rows,
        {"x": "day", "x_type": "time", "columns": [what], "series": ["mean"], "y_name": what},
        colours={what: "--step-2", "mean": "--ink"},
    )


def _weeks(question: Question, weeks: Sequence[Sequence[Any]]) -> Chart | None:
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
    first, last = rows[0], rows[-1]
    title = (
        f"In the week from {_day(last)}, {percent(last['agreement'])} of the single labels equal the gold label; in the"
        f" week from {_day(first)}, {percent(first['agreement'])}"
    )
    published = zip(("SNLI", "MultiNLI"), PUBLISHED["individual_equals_gold"], strict=True)
    ends = [row[key] for row in rows for key in ("low", "agreement") if row[key] is not None]
    return Chart(
        "weeks",
        "lines",
        f"{title}.",
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
        lines=[
            {"axis": "y", "value": share, "name": f"{name} ({percent(share)})"}
            for name, share in published
            if share is not None
        ],
        colours={"agreement": "--chart-point"},
        note=BAND,
    )


def _day(row: dict[str, Any]) -> str:
    return short_day(date.fromisoformat(row["week"]))


def _seats(question: Question, counts: Counts) -> Chart:
    held = min(held_now(question, timezone.now()), counts.open_seats)
    seats = {"filled": counts.filled, "held": held, "free": counts.open_seats - held}
    every = sum(seats.values())
    lists = {
        "filled": address_in("pairs", question, votes="complete"),
        "held": f"{reverse('labelling-progress', args=[question.corpus.slug])}#in-hand",
        "free": address_in("pairs", question, votes="open"),
    }
    return Chart(
        "seats-now",
        "bars",
        f"{counts.filled:,} of {every:,} seats are filled ({percent(counts.filled / every)});"
        f" {held:,} {'is' if held == 1 else 'are'} in hand now.",
        [
            Column("of", "of"),
            Column("filled", "filled", "count", "Seats with a label, without the author’s."),
            Column("held", "in hand", "count", "Free seats that somebody labels now."),
            Column("free", "free", "count"),
        ],
        [{"of": "seats", **seats, "hrefs": {key: lists[key] for key, number in seats.items() if number}}],
        {"y": "of", "series": list(seats), "x_name": "seats"},
        colours=COLOURS,
    )
