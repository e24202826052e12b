"""The texts that writers sent for a corpus: a list that filters, pages by key, and comes as CSV."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.http import urlencode

from accounts.pages.access import researcher_page
from accounts.pages.chart_files import chart_file
from annotation_site.workspace.texts_charts import texts_charts
from annotation_site.workspace.texts_days import days_charts
from collection.models import Corpus, Pair, Prompt
from collection.texts import direction_of
from shared.csv_files import csv_file, csv_text
from shared.intervals import FEWEST_PAIRS
from shared.pages_by_key import counted_up_to, page_by_key, portions_by_key
from validation.questions.addresses import number_in
from validation.questions.lookup import main_wordings

TEXTS_A_PAGE = 50
MOST_COUNTED = 100_000
ROWS_AT_ONCE = 2000
LONGEST = 200
MOST_CHARACTERS = 10_000
ORDERS = {"-pk": "last sent", "pk": "first sent"}
COLUMNS = {  # filter -> column
    "writer": "author__code",
    "prompt": "prompt_version__prompt__slug",
    "label": "author_label",
    "genre": "premise__genre__slug",
    "text": "hypothesis__has_words",
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
    wanted = {name: request.GET.get(name, "")[:LONGEST].strip() for name in COLUMNS}
    lengths = {name: number_in(request, name, 0, MOST_CHARACTERS) for name in ("shortest", "longest")}
    order = request.GET.get("order", "")
    order = order if order in ORDERS else "-pk"
    found = written(corpus, wanted, **lengths)
    if request.GET.get("as") == "csv":
        return csv_file(_lines(found), f"{corpus.slug}-texts")
    edges = {side: number_in(request, side, 0, 2**62) or None for side in ("after", "before")}
    page = page_by_key(
        found.select_related("premise", "author", "prompt_version__prompt", "assignment"),
        order,
        TEXTS_A_PAGE,
        **edges,
    )
    number, has_more = counted_up_to(found, MOST_COUNTED)
    # A search for words reads all texts: the charts would read them once more.
    charts = texts_charts(corpus, found) if number >= FEWEST_PAIRS and not wanted["text"] else []
    is_narrowed = any((wanted | lengths).values())
    days = [] if is_narrowed else days_charts(corpus, timezone.now())
    if "chart" in request.GET:
        return chart_file([*days, *charts], request.GET["chart"], f"{slug}-texts")
    chosen: dict[str, Any] = {name: value for name, value in (wanted | lengths).items() if value}
    parameters = chosen | ({"order": order} if order != "-pk" else {})
    context = {
        "corpus": corpus,
        "has_question": corpus.questions.filter(is_main=True).exists(),
        "rows": page.rows,
        "wanted": wanted | lengths,
        "order": order,
        "orders": ORDERS,
        "prompts": Prompt.objects.filter(corpus=corpus).order_by("slug"),
        "genres": corpus.genres.order_by("slug"),
        "labels": corpus.labels,
        "words": main_wordings(corpus),
        "charts": [(chart, urlencode({**chosen, "chart": chart.key})) for chart in charts],
        "number": number,
        "has_more": has_more,
        "next": urlencode({**parameters, "after": page.after}) if page.after is not None else "",
        "previous": urlencode({**parameters, "before": page.before}) if page.before is not None else "",
        "csv": urlencode({**chosen, "as": "csv"}),
        "days": days,
        "is_narrowed": is_narrowed,
        "direction": direction_of(corpus.language),
    }
    return render(request, "workspace/texts.html", context)


def written(
    corpus: Corpus, wanted: Mapping[str, str] | None = None, *, shortest: int = 0, longest: int = 0
) -> QuerySet[Pair]:
    """Returns the pairs that people wrote here and that pass the filters, each with `characters`; empty ones accept all."""
    pairs = Pair.objects.filter(corpus=corpus, assignment__isnull=False)
    pairs = pairs.filter(**{COLUMNS[name]: value for name, value in (wanted or {}).items() if value})
    pairs = pairs.annotate(characters=Length("hypothesis"))
    pairs = pairs.filter(characters__gte=shortest) if shortest else pairs
    return pairs.filter(characters__lte=longest) if longest else pairs


def _lines(found: QuerySet[Pair]) -> Iterator[str]:
    yield csv_text([[*CSV]])
    for rows in portions_by_key(found, ROWS_AT_ONCE, *CSV.values()):
        yield csv_text(row[1:] for row in rows)
