"""The texts that writers sent for a corpus: a list that filters, pages by key, and comes as CSV."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from accounts.pages.access import researcher_page
from accounts.pages.chart_files import chart_file
from annotation_site.workspace.texts_charts import texts_charts
from annotation_site.workspace.texts_days import days_charts
from collection.models import Corpus, Pair, Prompt
from collection.templatetags.durations import took
from collection.texts import direction_of
from shared.csv_files import csv_file, csv_text
from shared.facets import facets_of
from shared.intervals import FEWEST_PAIRS
from shared.lists import LENGTHS, Filter, Row, View, orders_of
from shared.pages_by_key import Order, counted_up_to, page_by_key, portions_by_key
from shared.tables import Column
from validation.questions.lookup import main_wordings

MOST_COUNTED = 100_000
ROWS_AT_ONCE = 2000
MOST_CHARACTERS = 10_000
ORDERS = {
    "-pk": "last sent",
    "pk": "first sent",
    "characters": "shortest first",
    "-characters": "longest first",
    **orders_of(Column(name, name) for name in ("genre", "label", "writer", "prompt")),
}
BY: dict[str, tuple[str | None, str | None]] = {
    "sent": ("pk", "-pk"),
    **{name: (name, f"-{name}") for name in ("characters", "label", "writer", "prompt")},
}
SORTED = {
    "characters": Length("hypothesis"),
    "genre": "premise__genre__name",
    "label": "author_label",
    "writer": "author__code",
    "prompt": "prompt_version__prompt__slug",
}
SHOWN = [
    Column("pair", "Pair, genre", "name"),
    Column("premise", "Premise", "passage"),
    Column("text", "Text", "passage"),
    Column("label", "Label", "label"),
    Column("writer", "Writer", "link"),
    Column("prompt", "Prompt", "link"),
    Column("characters", "Characters", "count"),
    Column("sent", "Sent", "day"),
    Column("took", "Time of the task", on_page=False),
]
TYPED = {"writer": "author__code", "text": "hypothesis__has_words"}  # filter -> column
FACETS = {
    "label": "author_label",
    "prompt": "prompt_version__prompt__slug",
    "genre": "premise__genre__slug",
}
CSV = {
    "pair": "public_id",
    "premise": "premise__text",
    "text": "hypothesis",
    "label": "author_label",
    "writer": "author__code",
    "prompt": "prompt_version__prompt__slug",
    "version": "prompt_version__number",
    "genre": "premise__genre__slug",
    "characters": "characters",
    "sent_at": "created_at",
    "withdrawn_because": "withdrawn_because",
}


@researcher_page
def texts(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists the texts of writers, fifty a page, also withdrawn ones. The address holds filters, order and place;
    `as=csv`: all that pass, as CSV; `chart`: one chart as CSV."""
    corpus = get_object_or_404(Corpus, slug=slug)
    view = View(request, SHOWN, ORDERS, BY, usual="-pk")
    typed = {name: view.text(name) for name in TYPED}
    chosen = {name: frozenset(view.chosen(name)) for name in FACETS}
    lengths = {name: view.number(name, 0, MOST_CHARACTERS) for name in ("shortest", "longest")}
    found = written(corpus, {**typed, **chosen}, **lengths)
    if request.GET.get("as") == "csv":
        return csv_file(_lines(found), f"{corpus.slug}-texts")
    edges = {side: view.number(side, 0, 2**62) for side in ("after", "before")}
    rows = found.select_related("premise__genre", "author", "prompt_version__prompt", "assignment")
    page = page_by_key(rows, Order.among(view.order, SORTED), view.size, **edges)
    numbers, (number, has_more) = facets_of(written(corpus, typed, **lengths), FACETS, chosen) or (
        {},
        counted_up_to(found, MOST_COUNTED),
    )
    # A search for words reads all texts: the charts would read them once more.
    charts = texts_charts(corpus, found) if number >= FEWEST_PAIRS and not typed["text"] else []
    is_narrowed = any((typed | chosen | lengths).values())
    days = [] if is_narrowed else days_charts(corpus, timezone.now())
    if "chart" in request.GET:
        return chart_file([*days, *charts], request.GET["chart"], f"{slug}-texts")
    words = main_wordings(corpus)
    filters = [
        Filter("text", "Words of the text"),
        Filter("label", "Label", {label: words.get(label, label) for label in corpus.labels}),
        Filter(
            "prompt",
            "Prompt",
            dict(Prompt.objects.filter(corpus=corpus).order_by("slug").values_list("slug", "name")),
        ),
        Filter("genre", "Genre", dict(corpus.genres.order_by("slug").values_list("slug", "name"))),
        Filter("writer", "Writer’s code"),
        *LENGTHS,
    ]
    has_question = corpus.questions.filter(is_main=True).exists()
    context = {
        "corpus": corpus,
        "list": view.page_of(
            [_row(corpus, row, view, has_pages=has_question) for row in page.rows],
            filters,
            total=(number, has_more),
            numbers=numbers,
            marked=typed["text"],
            after=page.after,
            before=page.before,
            name="text",
            language=corpus.language,
            direction=direction_of(corpus.language),
            words=words,
        ),
        "charts": [(chart, view.address({"chart": chart.key})) for chart in charts],
        "days": days,
    }
    return render(request, "workspace/texts.html", context)


def _row(corpus: Corpus, row: Any, view: View, *, has_pages: bool) -> Row:
    """row: one of `written`."""
    version = row.prompt_version
    ended = row.assignment.closed_at
    return Row(
        row.public_id,
        {
            "pair": (
                row.public_id,
                reverse("pair", args=[corpus.slug, row.public_id]) if has_pages else "",
                row.premise.genre.name,
            ),
            "premise": row.premise.sentences,
            "text": row.hypothesis,
            "label": (row.author_label, "withdrawn" if row.withdrawn_at else ""),
            "writer": (row.author.code, view.address({"writer": row.author.code})) if row.author else None,
            "prompt": (
                f"{version.prompt.name}, version {version.number}",
                reverse("prompt", args=[corpus.slug, version.pk]),
            )
            if version
            else None,
            "characters": row.characters,
            "sent": row.created_at.isoformat(),
            "took": took(row.assignment.created_at, ended) if ended else "",
        },
    )


def written(
    corpus: Corpus, wanted: Mapping[str, str | Collection[str]] = {}, *, shortest: int = 0, longest: int = 0
) -> QuerySet[Pair]:
    """Returns the pairs that people wrote here and that pass the filters, each with `characters`; empty ones accept all."""
    pairs: QuerySet[Pair] = Pair.objects.filter(corpus=corpus, assignment__isnull=False).shown()
    columns = TYPED | {name: f"{column}__in" for name, column in FACETS.items()}
    pairs = pairs.filter(**{columns[name]: wish for name, wish in wanted.items() if wish})
    pairs = pairs.annotate(characters=Length("hypothesis"))
    pairs = pairs.filter(characters__gte=shortest) if shortest else pairs
    return pairs.filter(characters__lte=longest) if longest else pairs


def _lines(found: QuerySet[Pair]) -> Iterator[str]:
    yield csv_text([[*CSV]])
    for rows in portions_by_key(found, ROWS_AT_ONCE, *CSV.values()):
        yield csv_text(row[1:] for row in rows)
