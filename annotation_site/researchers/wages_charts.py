"""Charts of pay: hourly pay of people beside a floor, and money by day and task; counted now, or before by a worker."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from django.db.models import Sum
from django.db.models.functions import TruncDate

from annotation_site.researchers.wages import MEANINGS, Wage, wages
from collection.models import Corpus, LedgerEntry
from shared.findings import peak
from shared.numbers import short_day, written
from shared.tables import Column, Table, with_values
from validation.models import CachedStatistics, Question
from validation.statistics.cached import Kind, current

CLASSES = 12  # of hourly pay, about
STEPS = (10, 20, 25, 50)  # cents, and these times ten: the widths that a class may have
ROOM = 1.2  # times the highest pay: a floor may be above it
FLOOR, FLOOR_STEP = "floor", 25  # the line that can be moved, by so many cents
MOST_DAYS = 120  # in a picture; longer work is shown by week
TASKS = {kind: kind.label.partition(":")[0].capitalize() for kind in LedgerEntry.Kind}

Days = list[tuple[date, str, int]]  # (day, kind of earning, cents)


def wage_charts(
    found: Sequence[Wage], days: Sequence[tuple[date, str, int]], floor_cents: int
) -> list[Table]:
    """Returns the charts of a corpus's pay. days: as `money_by_day` returns them. floor_cents: 0 if there is none."""
    return with_values([_hourly(found, floor_cents), _by_day(days)])


def money_by_day(corpus: Corpus) -> Days:
    """Returns (day, kind of earning, cents) in order, where something was earned. One query over the ledger."""
    rows = LedgerEntry.objects.filter(corpus=corpus).order_by().annotate(day=TruncDate("created_at"))
    return sorted(rows.values_list("day", "kind").annotate(cents=Sum("cents")))


def earned(days: Sequence[tuple[date, str, int]]) -> list[tuple[str, int]]:
    """Returns (task, cents) of everything earned, the largest sum first."""
    sums: defaultdict[str, int] = defaultdict(int)
    for _, kind, cents in days:
        sums[TASKS[LedgerEntry.Kind(kind)]] += cents
    return sorted(sums.items(), key=lambda entry: -entry[1])


def _hourly(found: Sequence[Wage], floor_cents: int) -> Table | None:
    hourly = sorted(wage.hourly_cents for wage in found if wage.hourly_cents is not None)
    if not hourly:
        return None
    median = (hourly[(len(hourly) - 1) // 2] + hourly[len(hourly) // 2]) / 2
    width = _width(min(hourly[0], floor_cents or hourly[0]), max(hourly[-1], floor_cents))
    first = math.floor(hourly[0] / width)
    counts = [0] * (math.floor(hourly[-1] / width) - first + 1)
    for cents in hourly:
        counts[math.floor(cents / width) - first] += 1
    below = sum(cents < floor_cents for cents in hourly)
    title = f"Half of {len(hourly):,} people earn ${median / 100:,.2f} an hour or more"
    if len(hourly) == 1:
        title = f"The only person with measured time earns ${median / 100:,.2f} an hour"
    if floor_cents:
        title += (
            f"; {below or 'nobody'} earn{'s' if below in (0, 1) else ''} less than ${floor_cents / 100:,.2f}"
        )
    lines = [{"axis": "x", "value": median, "name": f"median (${median / 100:,.2f})"}]
    if floor_cents:
        lines.append({"axis": "x", "value": floor_cents, "name": f"{FLOOR} (${floor_cents / 100:,.2f})"})
    return Table(
        "hourly",
        "histogram",
        f"{title}.",
        [
            Column("low", "from, an hour", "cents", MEANINGS["hourly"]),
            Column("high", "to below", "cents"),
            Column("people", "people", "count"),
        ],
        [
            {"low": (first + k) * width, "high": (first + k + 1) * width, "people": number}
            for k, number in enumerate(counts)
        ],
        {
            "low": "low",
            "high": "high",
            "y": "people",
            "x_name": "hourly pay",
            "x_domain": [0, ROOM * max((first + len(counts)) * width, floor_cents)],
            "moves": {"field": "id_floor", "times": 100, "step": FLOOR_STEP, "name": FLOOR},
        },
        lines=lines,
        note="A press in the picture sets the floor, or pulls its line.",
    )


def _width(low: float, high: float) -> int:
    """Returns the width of a class in cents: a round number that makes at most about a dozen classes."""
    times = 1
    while True:
        for step in STEPS:
            if (high - low) / (step * times) <= CLASSES:
                return step * times
        times *= 10


def _by_day(days: Sequence[tuple[date, str, int]]) -> Table | None:
    if not days:
        return None
    first, last = days[0][0], days[-1][0]
    step = 1 if (last - first).days < MOST_DAYS else 7
    start = first - timedelta(days=first.weekday() if step == 7 else 0)
    kinds = [kind for kind in LedgerEntry.Kind if any(each == kind for _, each, _ in days)]
    rows: list[dict[str, Any]] = [
        {"day": (start + timedelta(days=offset)).isoformat(), **dict.fromkeys(kinds, 0)}
        for offset in range(0, (last - start).days + 1, step)
    ]
    for day, kind, cents in days:
        rows[(day - start).days // step][kind] += cents
    for row in rows:
        row["total"] = sum(row[kind] for kind in kinds)
    total = sum(cents for _, _, cents in days)
    a, since = ("week", "from") if step == 7 else ("day", "on")
    totals = {short_day(date.fromisoformat(row["day"])): row["total"] for row in rows}
    unit = "week from" if step == 7 else "day"
    return Table(
        "by-day",
        "lines",
        f"${total / 100:,.2f} were earned from {short_day(first)} to {short_day(last)},"
        f" {peak(totals, a, since, lambda cents: written(cents, 'cents'))}.",
        [
            Column("day", unit, "day"),
            *(Column(kind, TASKS[kind], "cents") for kind in kinds),
            Column("total", "together", "cents"),
        ],
        rows,
        {
            "x": "day",
            "x_type": "time",
            "series": [*kinds, *(["total"] if len(kinds) > 1 else [])],
            "y_name": f"money by {unit.partition(' ')[0]}",
        },
    )


def wages_of(question: Question, by: str, progress: Callable[[float], None]) -> dict[str, Any]:
    """Returns what a worker stores for a corpus, under its main question."""
    days = [(day.isoformat(), kind, cents) for day, kind, cents in money_by_day(question.corpus)]
    return {"wages": [asdict(wage) for wage in wages(question.corpus)], "days": days}


def counted_wages(corpus: Corpus) -> tuple[list[Wage] | None, Days, CachedStatistics | None]:
    """Returns (wages as `wages`, days as `money_by_day`, row) for a page; the row as `cached.current` does.

    The wages are None if no worker has counted those of a large corpus yet.
    """
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if question is None:
        return wages(corpus), money_by_day(corpus), None
    content, row = current(question, Kind.WAGES)
    if content is None:
        return None, [], row
    days = [(date.fromisoformat(day), kind, cents) for day, kind, cents in content["days"]]
    return [Wage(**each) for each in content["wages"]], days, row
