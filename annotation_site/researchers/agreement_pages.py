"""Pages about agreement and annotators."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.pages.access import researcher_form
from accounts.pages.error_pages import UnknownFilter
from collection.models import Corpus
from shared.figures import shown
from shared.sorted_lists import Head, SortedList, order_in, sorted_list
from shared.tables import Column
from validation.models import Question
from validation.questions.addresses import address_in, also, asked_question, refuse_others
from validation.statistics import agreement_figures, annotator_figures
from validation.statistics.agreement import AgreementReport
from validation.statistics.annotator_quality import MEANINGS, RULES, Annotator
from validation.statistics.annotator_table import COLUMNS, columns_of, share_names, shown_figure, spread_of
from validation.statistics.cached import (
    FIRST_DIMENSION,
    Kind,
    current,
    current_agreement,
    current_annotators,
)
from validation.statistics.cached_pages import cached_part, count_or_stop
from validation.statistics.definitions import DEFINITIONS
from validation.statistics.scope import Counted
from validation.statistics.vote_patterns import DIMENSIONS

MODELS = {"dawid_skene": "Dawid-Skene", "mace": "MACE"}
USUAL = "-labels"
OF_TWO = [
    Column("annotators", "Annotators", value=lambda row: row["annotators"]),
    Column("shared_pairs", "Shared pairs", "number", value=lambda row: row["pairs"]),
    Column("kappa", "Kappa", "number", value=lambda row: row["kappa"]),
]
COUNTED = {"controls": "controls_right", "calibration": "calibration_right"}


@dataclass(frozen=True)
class AnnotatorList:
    """The table of annotators.

    heads: the columns after code and flags in which somebody has a value. rows: (annotator, a text for each head).
    spread: (quartile, a text for each head).
    """

    heads: list[Head]
    rows: list[tuple[Annotator, list[str]]]
    spread: list[tuple[str, list[str]]]


def annotator_list(
    request: HttpRequest,
    found: Sequence[Annotator],
    models: Mapping[str, Mapping[str, float]],
    question: Question,
) -> AnnotatorList:
    """Makes the table in the order of the address; the usual one is by labels."""
    names = {**COLUMNS, **share_names(question), **MODELS}
    values: dict[str, dict[str, Any]] = {
        each.code: {**columns_of(each, question.labels), **models.get(each.code, {})} for each in found
    }
    keys = [key for key in names if any(row.get(key) is not None for row in values.values())]

    def value_in(key: str) -> Callable[[Annotator], Any]:
        return lambda each: values[each.code].get(key)

    columns = [
        Column("code", "Code", value=lambda each: each.code),
        Column("flags", "Flags", value=lambda each: ", ".join(each.flags) or None),
        *(Column(key, names[key], "number", value=value_in(key)) for key in keys),
    ]
    table = sorted_list(request, found, columns, USUAL, "people")
    return AnnotatorList(
        heads=table.heads,
        rows=[(each, [_text(key, each, values[each.code].get(key)) for key in keys]) for each in table.rows],
        spread=[
            (quarter, [shown_figure(key, figures.get(key)) for key in keys])
            for quarter, figures in spread_of(found, question.labels)
        ],
    )


def pairwise_list(request: HttpRequest, found: Sequence[dict[str, Any]]) -> SortedList:
    """Makes the table of kappas, the most shared pairs first."""
    return sorted_list(request, found, OF_TWO, "-shared_pairs", "pairwise")


def _text(key: str, each: Annotator, value: float | None) -> str:
    if value is None:
        return ""
    if key in COUNTED:
        return f"{getattr(each, COUNTED[key])} of {getattr(each, key)}"
    return f"{value:.2f}" if key in MODELS else shown_figure(key, value)


PAIRWISE_SHOWN = 50
# What the columns of quality.MEANINGS are called on the page.
NAMED = {
    **COLUMNS,
    "shares": "A column a label",
    "weeks": "By week (CSV of a person’s chart, JSON)",
    **MODELS,
}


@researcher_form
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows agreement under the main question or `question`: statistics, kappas, a dimension (`by`), author, gold.

    `as=csv`: all as CSV. POST requests a new count, or stops one with `do=stop`.
    """
    refuse_others(request, "question", "by", "as", "part")
    corpus = get_object_or_404(Corpus, slug=slug)
    question = asked_question(request, slug) if corpus.questions.exists() else None
    context: dict[str, Any] = {"corpus": corpus, "question": question, "also": also(question)}
    if question is not None:
        by = request.GET.get("by", FIRST_DIMENSION)
        if by not in DIMENSIONS:
            raise UnknownFilter(f"There is no agreement by {by}. There is by: {', '.join(DIMENSIONS)}.")
        if request.method == "POST":
            count_or_stop(request, question, Kind.AGREEMENT, by=by)
            return redirect(address_in("agreement", question, by=by))
        if "part" in request.GET:
            return cached_part(request, question, Kind.AGREEMENT, by)
        found, row = current_agreement(question, by)
        if request.GET.get("as") == "csv" and found is not None:
            return HttpResponse(found.as_csv(), content_type="text/csv; charset=utf-8")
        context |= {"cached": row, "by": by, "dimensions": DIMENSIONS}
        if found is not None:
            context |= agreement_context(found, question, by)
    return render(request, "annotation_site/agreement.html", context)


@researcher_form
def annotators_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows charts of annotators, a row for each (sorted by `sort`), flags with their rules, and pairwise kappas.

    POST requests a new count, or stops one with `do=stop`: of the reliability models with `what=models`, else of the
    statistics.
    """
    question = asked_question(request, slug)
    if request.method == "POST":
        # The statistics last: when they are counted, so is everything.
        figures = (Kind.PAIRWISE, Kind.ANNOTATORS)
        count_or_stop(
            request, question, *((Kind.MODELS,) if request.POST.get("what") == "models" else figures)
        )
        return redirect(address_in("annotators", question))
    if "part" in request.GET:
        return cached_part(
            request, question, Kind.MODELS if request.GET["part"] == "models" else Kind.ANNOTATORS
        )
    models, models_cached = current(question, Kind.MODELS)
    found, row = current_annotators(question)
    pairwise, _ = current(question, Kind.PAIRWISE)
    two = pairwise_list(request, pairwise or ())
    reliability = models["annotators"] if models else {}
    context = {
        "corpus": question.corpus,
        "question": question,
        "also": also(question),
        "charts": list(shown(annotator_figures.OF_ALL, question, Counted(question, found or ()))),
        "list": annotator_list(request, found or (), reliability, question),
        "cached": row,
        "is_counted": found is not None,
        "models": models,
        "models_cached": models_cached,
        "pairwise": two,
        "pairwise_shown": two.rows[:PAIRWISE_SHOWN],
        "pairwise_is_sorted": order_in(request, OF_TWO, "") != "",
        "meanings": [(NAMED[name], meaning) for name, meaning in MEANINGS.items()],
        "rules": RULES,
        "definitions": DEFINITIONS,
    }
    return render(request, "annotation_site/annotators.html", context)


def agreement_context(found: AgreementReport, question: Question, by: str) -> dict[str, Any]:
    """Returns `figures` and `breakdown`, the values that the page writes in words, and `charts` by name."""
    parameters = agreement_figures.By(by=by)
    charts = shown(agreement_figures.FIGURES, question, Counted(question, found), parameters)
    return {
        "figures": found.figures,
        "charts": {each.figure.name.replace("-", "_"): each for each in charts},
        "has_author": found.figures["individual_equals_author"] is not None,
        "breakdown": found.breakdown,
        "definitions": DEFINITIONS,
    }
