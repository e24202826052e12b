"""Shows how labelling goes: seats by state, pace, time a label, batches in hand, and who is active."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, Q
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from accounts.pages.access import polled, researcher_page
from annotation_site.workspace.pipeline import Counts
from annotation_site.workspace.texts_days import A_DAY, DAYS
from collection.models import Corpus
from collection.models.querysets import is_leased
from shared.csv_files import csv_file
from shared.days import start_of_day
from shared.figures import of_page
from shared.findings import WEEK, is_early, pace
from shared.numbers import percent
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column, Table, with_values
from validation.models import Assignment, BatchItem, Label, Question
from validation.pairs.opening import since_first
from validation.statistics import cached
from validation.statistics.newest_answers import newest_times

BATCHES_SHOWN = 50
HOUR = timedelta(hours=1)
OF_PEOPLE = [
    Column("annotator", "Annotator", value=lambda each: each["code"] or None),
    Column("hour", "Last hour", "number", value=lambda each: each["hour"]),
    Column("day", "24 hours", "number", value=lambda each: each["day"]),
    Column("last", "Last", value=lambda each: each["last"], largest_first=True),
]


@polled
@researcher_page
def labelling_progress(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Shows the progress of labelling under the main question. The seats of a large corpus are counted by a worker.

    `as=csv`: the people who labelled in the last 24 hours as CSV.
    """
    corpus = get_object_or_404(Corpus, slug=slug)
    main = cached.with_size(Question.objects.filter(corpus=corpus, is_main=True))
    question = get_object_or_404(main.select_related("corpus"))
    now = timezone.now()
    if request.GET.get("as") == "csv":
        people = sorted_list(request, active_people(question, now), OF_PEOPLE)
        return csv_file(list_as_csv(people.rows, OF_PEOPLE), f"{slug}-who-labelled")
    found = progress_of(question, now)
    if found is None:
        return render(request, "workspace/labelling.html", {"corpus": corpus, "question": question})
    seats, days, counted, surplus = found
    since, whole = since_first(question, now)
    pace_now = pace(days[-1][1] - days[-1 - WEEK][1], since)
    left = seats["free"] + seats["held"]
    context = {
        "corpus": corpus,
        "question": question,
        "seats": seats,
        "surplus": surplus,
        "counted": counted,
        "left": left,
        "pace": pace_now,
        "is_early": is_early(since, whole),
        "days_left": left / pace_now if pace_now and left else None,
        "seconds": seconds_a_label(question),
        "batches": batches_in_hand(question, now),
        "people": sorted_list(request, active_people(question, now), OF_PEOPLE, place="active"),
        "charts": of_page("labelling", question, progress_charts(days, seats)),
    }
    return render(request, "workspace/labelling.html", context)


def progress_of(
    question: Question, now: datetime
) -> tuple[dict[str, int], list[tuple[date, int]], datetime | None, int] | None:
    """Returns seats by state, seats filled by day, when a worker counted them, if one did, and how many labels are surplus.

    None for a large corpus that no worker has counted yet. The question is one of `cached.with_size`.
    """
    if not question.is_large:  # type: ignore[attr-defined]
        seats = seats_by_state(question, now)
        surplus = Label.objects.surplus().filter(question=question).count()
        return seats, filled_by_day(question, now, seats["filled"]), None, surplus
    content, counted = cached.stored_overviews([question]).get(question.pk, (None, None))
    if content is None:
        return None
    return *stored_seats(question, now, content), counted, content["surplus"]


def progress_charts(days: Sequence[tuple[date, int]], seats: dict[str, int]) -> list[Table]:
    return with_values([_chart(days, seats)])


def stored_seats(
    question: Question, now: datetime, content: dict[str, Any]
) -> tuple[dict[str, int], list[tuple[date, int]]]:
    """Returns seats by state and by day as a worker counted them for the overview; those in hand are counted now."""
    held = min(held_now(question, now), content["open_seats"])
    days, at_end = [], content["filled"]
    for day, _, labels in reversed(Counts(**content).days()):
        days.append((date.fromisoformat(day), at_end))
        at_end -= labels
    seats = {"filled": content["filled"], "held": held, "free": content["open_seats"] - held}
    return seats, days[::-1]


def held_now(question: Question, now: datetime) -> int:
    """Returns how many free seats people hold. It looks at seats of open batches alone: few, however many seats are free."""
    handed_out = BatchItem.objects.filter(
        is_leased(now, "assignment__"), assignment__question=question, assignment__closed_at=None
    )
    return Label.objects.open().filter(is_leased(now), pk__in=handed_out.values("seat")).count()


def seats_by_state(question: Question, now: datetime) -> dict[str, int]:
    """Returns the number of seats but those of authors, of pairs that count: filled, held (leased now) and free.

    Published labels fill seats, too.
    """
    seats = Label.objects.that_count().filter(question=question)
    is_open, is_held = Q(label=None), Q(label=None) & is_leased(now)
    return seats.exclude(origin=Label.Origin.AUTHOR).aggregate(
        filled=Count("pk", filter=~is_open),
        held=Count("pk", filter=is_held),
        free=Count("pk", filter=is_open) - Count("pk", filter=is_held),
    )


def filled_by_day(question: Question, now: datetime, filled: int) -> list[tuple[date, int]]:
    """Returns (day, seats filled at its end) for the last fourteen days (UTC), the oldest first.

    It counts back from today's number, since a seat does not know when it was opened.
    """
    today = now.date()
    first = start_of_day(now) - (DAYS - 1) * A_DAY
    rows = Label.objects.filled_by_validators().filter(question=question, cast_at__gte=first).order_by()
    cast = dict(rows.annotate(day=TruncDate("cast_at")).values_list("day").annotate(number=Count("pk")))
    found, at_end = [], filled
    for ago in range(DAYS):
        day = today - ago * A_DAY
        found.append((day, at_end))
        at_end -= cast.get(day, 0)
    return found[::-1]


def seconds_a_label(question: Question) -> float | None:
    """Returns the median active seconds of the newest thousand answers; None without any."""
    times = newest_times(question)
    return median(times) / 1000 if times else None


def batches_in_hand(question: Question, now: datetime) -> list[dict[str, Any]]:
    """Returns the open batches whose lease runs, the one that ends first before all, with pairs and drafts."""
    rows = Assignment.objects.filter(is_leased(now), question=question, closed_at=None)
    rows = rows.annotate(pairs=Count("items", distinct=True), answered=Count("drafts", distinct=True))
    columns = {"code": F("annotator__code"), "since": F("created_at"), "until": F("leased_until")}
    return [
        dict(row)
        for row in rows.order_by("leased_until").values("pairs", "answered", **columns)[:BATCHES_SHOWN]
    ]


def active_people(question: Question, now: datetime) -> list[dict[str, Any]]:
    """Returns who labelled in the last 24 hours, the last one first, with their labels of the hour and the day."""
    rows = Label.objects.ever_cast().without_corrected().filter(question=question, cast_at__gte=now - A_DAY)
    grouped = (
        rows.order_by()
        .values(code=F("annotator__code"))
        .annotate(hour=Count("pk", filter=Q(cast_at__gte=now - HOUR)), day=Count("pk"), last=Max("cast_at"))
    )
    return [dict(row) for row in grouped.order_by("-last")]


def _chart(days: Sequence[tuple[date, int]], seats: dict[str, int]) -> Table | None:
    every = sum(seats.values())
    if not every:
        return None
    share = seats["filled"] / every
    return Table(
        "seats",
        "lines",
        f"{seats['filled']:,} of {every:,} seats are filled ({percent(share)}).",
        [
            Column("day", "day", "day"),
            Column(
                "filled",
                "filled",
                "count",
                "Seats with a label at the end of the day (UTC), without the author's.",
            ),
            Column("open", "open", "count", "Today's seats that had no label yet on that day."),
        ],
        [{"day": day.isoformat(), "filled": filled, "open": every - filled} for day, filled in days],
        {"x": "day", "x_type": "time", "series": ["filled", "open"], "y_name": "seats"},
    )
