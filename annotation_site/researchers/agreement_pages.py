"""Pages about agreement and annotators."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.pages.access import researcher_form
from accounts.pages.error_pages import UnknownFilter
from collection.models import Corpus
from shared.csv_files import csv_file
from shared.figures import shown
from shared.lists import Filter, Row, Shown, View
from shared.sorted_lists import SortedList, order_in, sorted_list, sorted_rows
from shared.tables import Column
from validation.annotators.pool import ROLES, STATES, standing_of
from validation.models import Question
from validation.questions.addresses import address_in, also, asked_question, refuse_others
from validation.statistics import agreement_figures, annotator_figures
from validation.statistics.agreement import AgreementReport
from validation.statistics.annotator_quality import MEANINGS, RULES, Annotator
from validation.statistics.annotator_table import (
    COLUMNS,
    as_csv,
    columns_of,
    share_names,
    shown_figure,
    spread_of,
    table_of,
)
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
UNFLAGGED = "none"
NO_BREAK = "\u00a0"
OF_TWO = [
    Column("annotators", "Annotators", value=lambda row: row["annotators"]),
    Column("shared_pairs", "Shared pairs", "number", value=lambda row: row["pairs"]),
    Column("kappa", "Kappa", "number", value=lambda row: row["kappa"]),
]
COUNTED = {"controls": "controls_right", "calibration": "calibration_right"}


def annotator_list(
    request: HttpRequest,
    found: Sequence[Annotator],
    models: Mapping[str, Mapping[str, float]],
    question: Question,
) -> tuple[Shown, list[Annotator]]:
    """Returns the list as the address asks for it, a column for each figure that somebody has, and all that pass."""
    names = {**COLUMNS, **share_names(question), **MODELS}
    values: dict[str, dict[str, Any]] = {
        each.code: {**columns_of(each, question.labels), **models.get(each.code, {})} for each in found
    }
    keys = [key for key in names if any(row.get(key) is not None for row in values.values())]

    def value_in(key: str) -> Callable[[Annotator], Any]:
        return lambda each: values[each.code].get(key)

    known = standing_of(question, values)
    columns = [
        Column("code", "Code", "page", value=lambda each: each.code),
        Column("flags", "Flags", value=lambda each: ", ".join(each.flags) or None),
        *(Column(key, names[key], "number", value=value_in(key)) for key in keys),
        Column("role", "Role", value=lambda each: ", ".join(known[each.code][0]), on_page=False),
        Column("state", "State", value=lambda each: known[each.code][1], on_page=False),
    ]
    view = View.by_heads(request, columns, USUAL)
    filters = [
        Filter("text", "Code"),
        Filter("flag", "Flags", {**{flag: flag for flag in RULES}, UNFLAGGED: "no flag"}),
        Filter("role", "Role", {role: role for role in ROLES}),
        Filter("state", "State", {state: state for state in STATES}),
    ]
    facts = (
        (each, {"text": each.code, "flag": each.flags or (UNFLAGGED,), "role": role, "state": state})
        for each in found
        for role, state in (known[each.code],)
    )
    passing, numbers = view.narrowed(filters, facts)
    page = view.page(sorted_rows(passing, columns, view.order), len(passing))

    def row(each: Annotator) -> Row:
        cells: dict[str, Any] = {key: _text(key, each, values[each.code].get(key)) for key in keys}
        pairs = address_in("pairs", question, by="validator", group=each.code)
        cells["labels"] = (cells["labels"], pairs, f"pairs of {each.code}")
        code = (each.code, address_in("pool-member", question, each.code), "")
        others = {column.key: column.value(each) for column in columns if column.key not in cells}
        flags = ", ".join(flag.replace(" ", NO_BREAK) for flag in each.flags)
        return Row(each.code, {**others, **cells, "code": code, "flags": flags})

    quarters = [
        Row(
            "",
            {"code": (quarter.capitalize(), "", "")} | {key: shown_figure(key, of.get(key)) for key in keys},
        )
        for quarter, of in spread_of(found, question.labels)
    ]
    shown = view.page_of(
        [row(each) for each in page], filters, numbers=numbers, page=page, foot=quarters, name="annotator"
    )
    return shown, passing


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
def annotators_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists annotators, with charts, flags with their rules, and pairwise kappas. `as=csv`: all that pass, as CSV.

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
    listed, passing = annotator_list(request, found or (), reliability, question)
    if request.GET.get("as") == "csv":
        return csv_file(as_csv(table_of(question, passing), question.labels), f"{slug}-annotators")
    context = {
        "corpus": question.corpus,
        "question": question,
        "also": also(question),
        "charts": list(shown(annotator_figures.OF_ALL, question, Counted(question, found or ()))),
        "list": listed,
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
