"""The page on why agreement changed: a week without each person and genre, and agreement by two properties at once."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.pages.access import researcher_form
from collection.models import Corpus
from shared.figures import Figure, Parameters, Shown, shown
from shared.numbers import short_day
from validation.models import Question
from validation.questions.addresses import (
    address_in,
    also,
    asked_parameters,
    asked_question,
    refuse_others,
)
from validation.statistics.agreement import WEEKS
from validation.statistics.agreement_cells import CELLS, Two
from validation.statistics.agreement_without import A_WEEK, WITHOUT, Week, last_whole_week, sentence_of
from validation.statistics.cached import Kind, current
from validation.statistics.cached_pages import CACHED, cached_part, count_or_stop
from validation.statistics.scope import Counted
from validation.statistics.vote_patterns import DIMENSIONS, TITLES


@researcher_form
def agreement_why_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows a `week` (any day of it) without each person and genre, and agreement `by` one property `across` another.

    POST requests the count that `what` names, or stops it with `do=stop`.
    """
    refuse_others(request, "question", "week", "by", "across", "part")
    corpus = get_object_or_404(Corpus, slug=slug)
    if not corpus.questions.exists():
        return render(request, "annotation_site/agreement_why.html", {"corpus": corpus})
    question = asked_question(request, slug)
    week, two = asked_parameters(request, Week), asked_parameters(request, Two)
    query = {**week.asked(), **two.asked()}
    kinds = {Kind.WITHOUT: week.counted_by, Kind.CELLS: two.counted_by}
    by_name = {CACHED[kind][0]: kind for kind in kinds}
    if request.method == "POST":
        kind = by_name.get(request.POST.get("what", ""), Kind.WITHOUT)
        count_or_stop(request, question, kind, by=kinds[kind])
        return redirect(address_in("agreement-why", question, **query))
    prefix = "".join(f"{key}={value}&" for key, value in query.items())
    if request.GET.get("part") in by_name:
        kind = by_name[request.GET["part"]]
        return cached_part(request, question, kind, kinds[kind], prefix)
    chosen = date.fromisoformat(week.counted_by)
    context: dict[str, Any] = {
        "corpus": corpus,
        "question": question,
        "also": f"{also(question)}{prefix}",
        "week": week.counted_by,
        "weeks": _weeks(chosen),
        "week_in_words": short_day(chosen),
        "two": two,
        "pair": f"{TITLES.get(two.by, two.by)} and {TITLES.get(two.across, two.across)}",
        "properties": [(name, TITLES.get(name, name)) for name in DIMENSIONS],
    }
    found, context["without_cached"] = current(question, Kind.WITHOUT, kinds[Kind.WITHOUT])
    if found:
        data = Counted(question, found)
        context |= {"without": _figure(WITHOUT, question, data, week), "sentence": sentence_of(data)}
    found, context["cells_cached"] = current(question, Kind.CELLS, kinds[Kind.CELLS])
    if found:
        data = Counted(question, found)
        context |= {"cells": _figure(CELLS, question, data, two), "cells_counted": True}
    return render(request, "annotation_site/agreement_why.html", context)


def _figure(figure: Figure, question: Question, data: Counted, parameters: Parameters) -> Shown | None:
    return next(shown([figure], question, data, parameters), None)


def _weeks(chosen: date) -> list[tuple[str, str]]:
    """Returns (Monday, its name) of the last weeks, the newest first, and of the chosen one."""
    newest = last_whole_week() + A_WEEK
    mondays = {newest - n * A_WEEK for n in range(WEEKS)} | {chosen}
    return [(day.isoformat(), short_day(day)) for day in sorted(mondays, reverse=True)]
