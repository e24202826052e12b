"""Researchers' pages about the pool of a question and each annotator in it."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from accounts.people.gates import viewer
from collection.models import Corpus, Exclusion, Pair
from shared.csv_files import csv_file
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from validation.annotators.exclusion import exclude, preview_exclusion, preview_undoing, undo_exclusion
from validation.annotators.membership import invite, pause, resume
from validation.annotators.people import people_of
from validation.annotators.pool import (
    annotator_by_code,
    control_answers,
    exclusions_of,
    imported_labels,
    imported_people,
    newest_labels,
    pool_of,
)
from validation.errors import NotInPool, ValidationError
from validation.models import Question
from validation.questions.addresses import address_in, also, asked_question, text_in
from validation.questions.lookup import answer_words
from validation.statistics.annotator_figures import shown_of
from validation.statistics.annotator_quality import CONTROLS_BEFORE_A_FLAG, MEANINGS, RULES
from validation.statistics.annotator_table import COLUMNS, columns_of, share_names, shown_figure, spread_of
from validation.statistics.cached import current_annotators

MEMBERS_SHOWN = 500


def _column(key: str, name: str = "") -> Column:
    return Column(key, name, "number", value=lambda each: getattr(each, key), on_page=bool(name))


OF_POOL = [
    Column("code", "Code", value=lambda each: each.annotator.code),
    Column("status", "Status", value=lambda each: each.status),
    _column("cast", "Labels"),
    _column("withdrawn", "Withdrawn"),
    _column("controls_right", "Control items right"),
    _column("calibration_right", "Calibration items right"),
    _column("controls"),
    _column("calibration"),
]
# Button -> action and message.
PAUSING = {
    "pause": (pause, "{code} is paused: they get no more batches until you resume them."),
    "resume": (resume, "{code} may label again."),
}
LABELS_SHOWN = 30
GOLD_SHOWN = 30


@researcher_form
def members(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists the members of the pool; `as=csv`: as CSV. POST invites an annotator."""
    question = asked_question(request, slug)
    error, name = "", text_in(request, "name").strip()
    if request.method == "POST":
        annotator = annotator_by_code(name)
        try:
            if annotator is not None:
                invite(question=question, annotator=annotator)
                messages.success(request, f"{annotator.code} is in the pool of {question.corpus.name}.")
                return redirect(address_in("pool", question))
            error = f"There is no annotator with the code “{name}”. Please check its spelling."
        except NotInPool as refusal:
            error = str(refusal)
    table = sorted_list(request, pool_of(question), OF_POOL, "-cast")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, OF_POOL), f"{slug}-pool")
    context = {
        "question": question,
        "table": table,
        "members": table.rows[:MEMBERS_SHOWN],
        "imported": imported_people(question),
        "before_a_flag": CONTROLS_BEFORE_A_FLAG,
        "error": error,
        "name": name,
    }
    return render(request, "validation/annotators/pool.html", context, status=422 if error else 200)


@researcher_form
def member(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Shows an annotator's record; POST pauses, resumes, previews an exclusion, excludes, or undoes an exclusion.

    What an exclusion would change is counted only on request. To exclude takes the typed `code`.
    """
    question = asked_question(request, slug)
    annotator = get_object_or_404(User.objects.filter(people_of(viewer())), code=code)
    standing = Exclusion.objects.of(annotator).filter(corpus=question.corpus).first()
    by, error = cast(User, request.user), ""
    retract = request.POST.get("retract") == "yes"
    if request.method == "POST" and request.POST.get("do") in PAUSING:
        turn, message = PAUSING[request.POST["do"]]
        if turn(question=question, annotator=annotator):
            messages.success(request, message.format(code=code))
        return redirect(address_in("pool-member", question, code))
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            if standing is None:
                if text_in(request, "code").strip() != code:
                    raise ValidationError(f"Nobody was excluded. To confirm, type the code {code} below.")
                reason = text_in(request, "reason")
                done = exclude(
                    corpus=question.corpus, annotator=annotator, by=by, reason=reason, retract_pairs=retract
                )
                messages.success(request, f"{code} is excluded; {done.labels:,} labels were withdrawn.")
            else:
                back = undo_exclusion(exclusion=standing, by=by)
                messages.success(request, f"{code} may label again; {back.labels:,} labels are back.")
            return redirect(address_in("pool-member", question, code))
        except ValidationError as refusal:
            error = str(refusal)
    record = _record(question, annotator)
    context: dict[str, Any] = {
        "question": question,
        "also": also(question),
        "words": answer_words(question),
        "annotator": annotator,
        "member": next(iter(pool_of(question, annotator)), None),
        "imported": imported_labels(question).filter(annotator=annotator).count(),
        "exclusions": exclusions_of(question.corpus, annotator),
        "standing": standing,
        "reason": request.POST.get("reason", ""),
        "retract": retract,
        "error": error,
        "wrote": Pair.objects.standing().filter(corpus=question.corpus, author=annotator).count(),
        "newest": newest_labels(annotator, question, LABELS_SHOWN),
        "controls": control_answers(annotator, question, LABELS_SHOWN),
        **record,
        **(
            _preview(question.corpus, annotator, standing, retract)
            if standing or request.method == "POST"
            else {}
        ),
    }
    return render(request, "validation/annotators/pool_member.html", context, status=422 if error else 200)


def _record(question: Question, annotator: User) -> dict[str, Any]:
    """Returns an annotator's statistics: `figures` (name, meaning, value, quartiles of all), `flags` (name, rule).

    `counted`: whether there are statistics; `kept`: the cached row; `charts`: figures.
    """
    found, row = current_annotators(question)
    charts = shown_of(annotator, found or (), question)
    one = next((each for each in found or () if each.code == annotator.code), None)
    if one is None:
        return {"kept": row, "counted": found is not None, "charts": charts}
    spread = [figures for _, figures in spread_of(found or (), question.labels)]
    names = COLUMNS | share_names(question)
    figures = [
        (
            names[name],
            MEANINGS[name.partition(":")[0].replace("share", "shares")],
            shown_figure(name, value),
            [shown_figure(name, quarter[name]) for quarter in spread],
        )
        for name, value in columns_of(one, question.labels).items()
        if value is not None
    ]
    return {
        "kept": row,
        "counted": True,
        "figures": figures,
        "flags": [(flag, RULES[flag]) for flag in one.flags],
        "has_spread": bool(spread),
        "charts": charts,
    }


def _preview(corpus: Corpus, annotator: User, standing: Exclusion | None, retract: bool) -> dict[str, Any]:
    if standing is not None:
        return {"back": preview_undoing(exclusion=standing)}
    seen = preview_exclusion(corpus=corpus, annotator=annotator, retract_pairs=retract)
    return {"seen": seen, "gold": list(seen.gold.items())[:GOLD_SHOWN], "gold_shown": GOLD_SHOWN}
