"""The premises of a corpus: a list that filters, sorts, pages by key, and comes as CSV."""

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.pages.access import researcher_form
from annotation_site.workspace import premises_charts
from collection.models import Corpus, Pair, Premise, WritingSeat
from collection.premises.acting import ACTS, act_on_premises
from collection.texts import direction_of
from shared.csv_files import csv_file, csv_text
from shared.facets import facets_of
from shared.figures import shown
from shared.lists import Filter, Row, View, orders_of
from shared.pages_by_key import Order, counted_up_to, page_by_key, portions_by_key
from shared.tables import Column

MOST_COUNTED = 100_000
ROWS_AT_ONCE = 2000
# The key is the order in which premises came. Column of the list -> by what the database sorts, beside key and id.
SORTED = {"genre": "genre__name", "status": "status", "from": "document"}
ORDERS = {
    "pk": "first added",
    "-pk": "last added",
    "public_id": "id, A to Z",
    "-public_id": "id, Z to A",
    **orders_of([Column("genre", "genre"), Column("status", "status"), Column("from", "document")]),
}
BY: dict[str, tuple[str | None, str | None]] = {
    "id": ("public_id", "-public_id"),
    "added": ("pk", "-pk"),
    "status": ("status", "-status"),
    "from": ("from", "-from"),
}
SHOWN = [
    Column("id", "Id, genre", "name"),
    Column("text", "Text", "passage"),
    Column("status", "Status"),
    Column("tasks", "Tasks sent"),
    Column("pairs", "Pairs", "link"),
    Column("from", "From"),
    Column("added", "Added", "day", on_page=False),
]
FACETS = ("status", "writing", "genre")
SEATS = WritingSeat.objects.real().filter(premise=OuterRef("pk"))
WRITTEN = Case(
    When(Exists(SEATS.filter(submitted_at=None)), then=Value("open")),
    When(Exists(SEATS), then=Value("sent")),
    default=Value("none"),
)
WRITING = {"sent": "all tasks sent", "open": "tasks left", "none": "without tasks"}
COLUMNS = {
    "id": "public_id",
    "genre": "genre__slug",
    "sentences": "sentence_count",
    "source": "source__name",
    **{name: name for name in ("status", "text", "document", "line", "dropped_because")},
}


@researcher_form
def premises(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists premises, page by page. The address holds the view; `as=csv`: all that pass as CSV. POST acts on chosen ones."""
    corpus = get_object_or_404(Corpus, slug=slug)
    view = View(request, SHOWN, ORDERS, BY, usual="pk")
    chosen: dict[str, Any] = {name: frozenset(view.chosen(name)) for name in FACETS}
    typed = view.text("text"), view.text("document")
    found = filtered(corpus, *typed, **chosen)
    if request.method == "POST":
        return act_on_premises(request, corpus, lambda: found.values_list("public_id", flat=True))
    if request.GET.get("as") == "csv":
        return _csv(corpus, found)
    counted = premises_charts.counted(corpus)
    edges = {side: view.number(side, 0, 2**62) for side in ("after", "before")}
    rows = found.select_related("genre", "source")
    page = page_by_key(rows, Order.among(view.order, SORTED), view.size, **edges)
    filters = [
        Filter("text", "Words or id"),
        Filter("status", "Status", dict(Premise.Status.choices)),
        Filter("writing", "Writing", WRITING),
        Filter("genre", "Genre", dict(corpus.genres.order_by("slug").values_list("slug", "name"))),
        Filter("document", "Document"),
    ]
    numbers, total = facets_of(
        filtered(corpus, *typed),
        {"status": "status", "genre": "genre__slug", "writing": WRITTEN},
        chosen,
        {"writing": tuple(WRITING)},
    ) or ({}, counted_up_to(found, MOST_COUNTED))
    context = {
        "corpus": corpus,
        "list": view.page_of(
            [_row(corpus, each) for each in _with_work(page.rows)],
            filters,
            total=total,
            numbers=numbers,
            marked=typed[0],
            after=page.after,
            before=page.before,
            name="premise",
            acts=ACTS,
            language=corpus.language,
            direction=direction_of(corpus.language),
        ),
        "charts": list(shown([premises_charts.STOCK], corpus, counted)),
        "counted_at": counted.made_at,
    }
    return render(request, "workspace/premises.html", context)


def _row(corpus: Corpus, found: dict[str, Any]) -> Row:
    premise, (tasks, sent), pairs = found["premise"], found["tasks"], found["pairs"]
    origin = premise.document or (premise.source.name if premise.source else "")
    because = f": {premise.dropped_because}" if premise.dropped_because else ""
    address = f"{reverse('pairs', args=[corpus.slug])}?{urlencode({'premise': premise.public_id})}"
    return Row(
        premise.public_id,
        {
            "id": (premise.public_id, "", premise.genre.name),
            "text": premise.sentences,
            "status": f"{premise.get_status_display()}{because}",
            "tasks": f"{sent} of {tasks}" if tasks else "",
            "pairs": (f"{pairs:,}", address) if pairs else None,
            "from": ", ".join(filter(None, [origin, f"line {premise.line}" if premise.line else ""])),
            "added": premise.created_at.isoformat(),
        },
    )


def filtered(
    corpus: Corpus,
    text: str = "",
    document: str = "",
    status: Collection[str] = (),
    writing: Collection[str] = (),
    genre: Collection[str] = (),
) -> QuerySet[Premise]:
    """Returns the premises that pass the filters, of each of which one of several values; an empty filter accepts all."""
    columns: dict[str, Any] = {"genre__slug__in": genre, "status__in": status, "document": document}
    premises = Premise.objects.filter(corpus=corpus, **{name: wish for name, wish in columns.items() if wish})
    if text:
        premises = premises.filter(Q(text__has_words=text) | Q(public_id=text))
    return premises.alias(writing=WRITTEN).filter(writing__in=writing) if writing else premises


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
