"""The premises of a corpus: a list that filters, sorts, pages by key, and comes as CSV."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode

from accounts.pages.access import researcher_page
from annotation_site.workspace import premises_charts
from collection.models import Corpus, Pair, Premise, WritingSeat
from collection.texts import direction_of
from shared.csv_files import csv_file, csv_text
from shared.figures import shown
from shared.pages_by_key import counted_up_to, page_by_key, portions_by_key

PREMISES_A_PAGE = 50
MOST_COUNTED = 100_000
ROWS_AT_ONCE = 2000
LONGEST = 200
# Sorts by columns with an index; the key is also the order in which premises came.
ORDERS = {
    "pk": "first added",
    "-pk": "last added",
    "public_id": "id, A to Z",
    "-public_id": "id, Z to A",
}
FILTERS = ("genre", "status", "text", "document", "writing")
WRITING = {"sent": "all tasks sent", "open": "tasks left", "none": "without tasks"}
COLUMNS = {
    "id": "public_id",
    "genre": "genre__slug",
    "sentences": "sentence_count",
    "source": "source__name",
    **{name: name for name in ("status", "text", "document", "line", "dropped_because")},
}


@researcher_page
def premises(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists premises, fifty a page. The address holds filters, order and place; `as=csv` gives all that pass as CSV."""
    corpus = get_object_or_404(Corpus, slug=slug)
    wanted = {name: request.GET.get(name, "")[:LONGEST].strip() for name in FILTERS}
    order = request.GET.get("order", "")
    order = order if order in ORDERS else "pk"
    found = filtered(corpus, wanted)
    if request.GET.get("as") == "csv":
        return _csv(corpus, found)
    counted = premises_charts.counted(corpus)
    page = page_by_key(
        found.select_related("genre", "source"),
        order,
        PREMISES_A_PAGE,
        after=_edge(request, "after", order),
        before=_edge(request, "before", order),
    )
    number, has_more = counted_up_to(found, MOST_COUNTED)
    chosen = {name: value for name, value in wanted.items() if value} | (
        {"order": order} if order != "pk" else {}
    )
    context = {
        "corpus": corpus,
        "rows": _with_work(page.rows),
        "wanted": wanted,
        "order": order,
        "orders": ORDERS,
        "statuses": Premise.Status.choices,
        "writing": WRITING,
        "genres": corpus.genres.order_by("slug"),
        "number": number,
        "has_more": has_more,
        "next": urlencode({**chosen, "after": page.after}) if page.after is not None else "",
        "previous": urlencode({**chosen, "before": page.before}) if page.before is not None else "",
        "csv": urlencode({**chosen, "as": "csv"}),
        "charts": list(shown([premises_charts.STOCK], corpus, counted)),
        "counted_at": counted.made_at,
        "is_narrowed": any(wanted.values()),
        "direction": direction_of(corpus.language),
    }
    return render(request, "workspace/premises.html", context)


def filtered(corpus: Corpus, wanted: dict[str, str]) -> QuerySet[Premise]:
    """Returns the premises that pass the filters; an empty filter accepts all."""
    premises = Premise.objects.filter(corpus=corpus)
    if wanted["genre"]:
        premises = premises.filter(genre__slug=wanted["genre"], genre__corpus=corpus)
    if wanted["status"]:
        premises = premises.filter(status=wanted["status"])
    if wanted["document"]:
        premises = premises.filter(document=wanted["document"])
    if wanted["text"]:
        premises = premises.filter(Q(text__has_words=wanted["text"]) | Q(public_id=wanted["text"]))
    if wanted["writing"] in WRITING:
        seats = WritingSeat.objects.real()
        left = seats.filter(submitted_at=None).values("premise")
        conditions = {
            "sent": Q(pk__in=seats.values("premise")) & ~Q(pk__in=left),
            "open": Q(pk__in=left),
            "none": ~Q(pk__in=seats.values("premise")),
        }
        premises = premises.filter(conditions[wanted["writing"]])
    return premises


def _edge(request: HttpRequest, name: str, order: str) -> str | int | None:
    text = request.GET.get(name, "")[:LONGEST]
    if not text:
        return None
    if order.removeprefix("-") != "pk":
        return text
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _with_work(rows: list[Premise]) -> list[dict[str, Any]]:
    """Returns the premises of a page with their writing tasks and pairs, in two queries for all of them."""
    keys = [row.pk for row in rows]
    tasks = WritingSeat.objects.real().filter(premise__in=keys).order_by().values_list("premise")
    seats = {
        pk: (all_, sent) for pk, all_, sent in tasks.annotate(all=Count("pk"), sent=Count("submitted_at"))
    }
    pairs = dict(
        Pair.objects.standing()
        .filter(premise__in=keys)
        .order_by()
        .values_list("premise")
        .annotate(number=Count("pk"))
    )
    return [
        {"premise": row, "tasks": seats.get(row.pk, (0, 0)), "pairs": pairs.get(row.pk, 0)} for row in rows
    ]


def _csv(corpus: Corpus, found: QuerySet[Premise]) -> StreamingHttpResponse:
    return csv_file(_lines(found), f"{corpus.slug}-premises")


def _lines(found: QuerySet[Premise]) -> Iterator[str]:
    yield csv_text([[*COLUMNS]])
    for rows in portions_by_key(found, ROWS_AT_ONCE, *COLUMNS.values()):
        yield csv_text(row[1:] for row in rows)
