"""The chart of the stock of premises: how many of each genre are without pairs, with pairs, or used up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils.http import urlencode

from collection.models import Corpus, Pair, Premise, WritingSeat
from shared.findings import mostly
from shared.tables import Column, Table, with_values
from validation.statistics import cached

STATES = {"bare": "without pairs", "paired": "with pairs", "used": "used up"}
COLOURS = {"bare": "--step-5", "paired": "--step-3", "used": "--step-1"}

Stock = Sequence[Sequence[Any]]  # [slug of a genre, premises, used up, of the others those with pairs]


def premise_stock(corpus: Corpus) -> list[list[Any]]:
    """Return the numbers of each genre, without dropped premises, in one query that reads all premises."""
    seats = WritingSeat.objects.real().filter(premise=OuterRef("pk"))
    pairs = Pair.objects.standing().filter(premise=OuterRef("pk"))
    is_used = Q(has_seats=True, has_tasks_left=False)
    rows = (
        Premise.objects.filter(corpus=corpus)
        .exclude(status=Premise.Status.DROPPED)
        .annotate(
            has_seats=Exists(seats),
            has_tasks_left=Exists(seats.filter(submitted_at=None)),
            has_pairs=Exists(pairs),
        )
        .order_by()
        .values_list("genre__slug")
        .annotate(
            premises=Count("pk"),
            used=Count("pk", filter=is_used),
            paired=Count("pk", filter=~is_used & Q(has_pairs=True)),
        )
    )
    return sorted(map(list, rows))


def stock_charts(corpus: Corpus) -> tuple[list[Table], datetime | None]:
    """Return the chart, and when a worker counted; no date if it was counted now.

    No chart without premises, or while no worker has counted those of a large corpus.
    """
    premises = Premise.objects.filter(corpus=corpus).order_by().values("pk")
    stock: Stock
    if premises[: cached.MOST_PREMISES_IN_REQUEST + 1].count() <= cached.MOST_PREMISES_IN_REQUEST:
        stock, made_at = premise_stock(corpus), None
    else:
        content, made_at = cached.stored_overview(corpus)
        stock = content.get("premise_stock", [])
    return with_values([_chart(corpus, stock)]), made_at


def _chart(corpus: Corpus, stock: Stock) -> Table | None:
    if not stock:
        return None
    names = dict(corpus.genres.values_list("slug", "name"))
    page = reverse("premises", args=[corpus.slug])
    rows: list[dict[str, Any]] = [
        {
            "genre": names.get(genre, genre),
            "premises": premises,
            "bare": premises - paired - used,
            "paired": paired,
            "used": used,
            "href": f"{page}?{urlencode({'genre': genre})}",
        }
        for genre, premises, used, paired in stock
    ]
    rows.sort(key=lambda row: (-row["bare"], -row["premises"], row["genre"]))
    whole, bare = sum(row["premises"] for row in rows), sum(row["bare"] for row in rows)
    title = f"{bare:,} of {whole:,} premises are without pairs"
    if where := mostly({row["genre"]: row["bare"] for row in rows}):
        title += f", {where}"
    return Table(
        "stock",
        "bars",
        f"{title}.",
        [
            Column("genre", "genre"),
            Column("premises", "premises", "count", "Without dropped ones."),
            Column("bare", STATES["bare"], "count"),
            Column("paired", STATES["paired"], "count", "At least one pair, and not used up."),
            Column("used", STATES["used"], "count", "All writing tasks are sent."),
        ],
        rows,
        {"y": "genre", "series": list(STATES), "x_name": "premises"},
        colours=COLOURS,
    )
