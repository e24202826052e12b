"""The chart of the pace of writing: how many texts of each genre were sent on each of the last fourteen days."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.urls import reverse
from django.utils.http import urlencode

from collection.models import Corpus, Pair
from shared.days import start_of_day
from shared.findings import mostly
from shared.numbers import written
from shared.tables import Column, Table, with_values
from validation.statistics import cached

DAYS = 14
A_DAY = timedelta(days=1)

Texts = Mapping[str, Mapping[str, int]]  # slug of a genre -> ISO date -> texts; nothing for none


def texts_by_day(corpus: Corpus, now: datetime) -> dict[str, dict[str, int]]:
    """Returns the texts of the last fourteen days (UTC), withdrawn ones too, in one query that may read all pairs."""
    since = start_of_day(now - (DAYS - 1) * A_DAY)
    sent = Pair.objects.filter(corpus=corpus, assignment__isnull=False, created_at__gte=since)
    rows = sent.order_by().annotate(day=TruncDate("created_at")).values_list("premise__genre__slug", "day")
    found: dict[str, dict[str, int]] = {}
    for genre, day, number in rows.annotate(number=Count("pk")):
        found.setdefault(genre, {})[day.isoformat()] = number
    return found


def days_charts(corpus: Corpus, now: datetime) -> list[Table]:
    """Returns the chart; none without texts in these days, or while no worker has counted those of a large corpus."""
    pairs = Pair.objects.filter(corpus=corpus).order_by().values("pk")
    most = cached.MOST_SEATS_ON_DASHBOARD
    if pairs[: most + 1].count() <= most:
        return with_values([_chart(corpus, texts_by_day(corpus, now), now)])
    content, made_at = cached.stored_overview(corpus)
    return with_values([_chart(corpus, content.get("texts_by_day", {}), made_at or now)])


def _chart(corpus: Corpus, texts: Texts, now: datetime) -> Table | None:
    first = start_of_day(now).date() - (DAYS - 1) * A_DAY
    days = [(first + number * A_DAY).isoformat() for number in range(DAYS)]
    by_genre = {genre: sum(numbers.get(day, 0) for day in days) for genre, numbers in texts.items()}
    whole = sum(by_genre.values())
    if not whole:
        return None
    names = dict(corpus.genres.order_by("slug").values_list("slug", "name"))
    page = reverse("texts", args=[corpus.slug])
    rows: list[dict[str, Any]] = [
        {
            "genre": name,
            "texts": by_genre.get(genre, 0),
            **{day: texts.get(genre, {}).get(day, 0) for day in days},
            "href": f"{page}?{urlencode({'genre': genre})}",
        }
        for genre, name in names.items()
    ]
    without = sum(not row["texts"] for row in rows)
    title = f"{whole:,} text{'s' if whole > 1 else ''} in fourteen days"
    if where := mostly({row["genre"]: row["texts"] for row in rows}):
        title += f", {where}"
    if without:
        title += f"; none of {without:,} genre{'s' if without > 1 else ''}"
    return Table(
        "days",
        "heat",
        f"{title}.",
        [
            Column("genre", "genre"),
            Column("texts", "texts", "count", "Sent in these days (UTC), withdrawn ones too."),
            *(Column(day, f"{date.fromisoformat(day):%-d %b}", "count") for day in days),
        ],
        rows,
        {"y": "genre", "series": days, "x_name": "day", "of": "all"},
        note=f"Up to {written(days[-1], 'day')}.",
    )
