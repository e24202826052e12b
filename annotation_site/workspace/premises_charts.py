"""The figure of the stock of premises: how many of each genre are without pairs, with pairs, or used up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils.http import urlencode

from collection.models import Corpus, Pair, Premise, WritingSeat
from shared.figures import Figure, picture
from shared.findings import mostly
from shared.tables import Column, Row, Table
from validation.statistics import cached
from validation.statistics.scope import CORPUS

STATES = {"bare": "without pairs", "paired": "with pairs", "used": "used up"}
COLOURS = {"bare": "--step-5", "paired": "--step-3", "used": "--step-1"}

Stock = Sequence[Sequence[Any]]  # [slug of a genre, premises, used up, of the others those with pairs]


def premise_stock(corpus: Corpus) -> list[list[Any]]:
    """Returns the numbers of each genre, without dropped premises, in one query that reads all premises."""
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


@dataclass(frozen=True)
class Counted:
    """The stock of a corpus, and when a worker counted it: None if it was counted now, or if no worker has yet."""

    corpus: Corpus
    stock: Stock
    made_at: datetime | None


def counted(corpus: Corpus) -> Counted:
    """Returns the stock; that of a large corpus is empty until a worker has counted it."""
    premises = Premise.objects.filter(corpus=corpus).order_by().values("pk")
    if premises[: cached.MOST_PREMISES_IN_REQUEST + 1].count() <= cached.MOST_PREMISES_IN_REQUEST:
        return Counted(corpus, premise_stock(corpus), None)
    content, made_at = cached.stored_overview(corpus)
    return Counted(corpus, content.get("premise_stock", []), made_at)


def _rows(data: Counted) -> list[Row]:
    names = dict(data.corpus.genres.values_list("slug", "name")) if data.stock else {}
    page = reverse("premises", args=[data.corpus.slug])
    rows: list[Row] = [
        {
            "genre": names.get(genre, genre),
            "premises": premises,
            "bare": premises - paired - used,
            "paired": paired,
            "used": used,
            "href": f"{page}?{urlencode({'genre': genre})}",
        }
        for genre, premises, used, paired in data.stock
    ]
    return sorted(rows, key=lambda row: (-row["bare"], -row["premises"], row["genre"]))


def _found(table: Table) -> str:
    bare = {row["genre"]: row["bare"] for row in table.rows}
    where = mostly(bare)
    return (
        f"{sum(bare.values()):,} of {sum(row['premises'] for row in table.rows):,} premises are without pairs"
        f"{where and f', {where}'}."
    )


STOCK = Figure(
    "premises-stock",
    "Premises by genre and use",
    CORPUS,
    _rows,
    (
        Column("genre"),
        Column("premises", "premises", "count", "Without dropped ones."),
        Column("bare", STATES["bare"], "count"),
        Column("paired", STATES["paired"], "count", "At least one pair, and not used up."),
        Column("used", STATES["used"], "count", "All writing tasks are sent."),
    ),
    picture("bars", y="genre", series=list(STATES), x_name="premises", colours=COLOURS),
    _found,
    gather=counted,
    only_with_rows=True,
)
