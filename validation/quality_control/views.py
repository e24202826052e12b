"""Researchers' pages about control items and calibration items."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from collection.models import Pair
from collection.texts import direction_of
from shared.csv_files import csv_file
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from validation.errors import AlreadyDecided, ValidationError
from validation.quality_control.calibration import calibration_items
from validation.quality_control.control_items import MOST, control_items, label_as_expert
from validation.questions.addresses import address_in, asked_question, number_in, text_in
from validation.questions.choices import choices_of
from validation.questions.lookup import answer_words

PASSED_OVER = 50
COLUMNS = [
    Column("premise", "Text", value=lambda each: each.premise),
    Column("hypothesis", "Sentence", value=lambda each: each.hypothesis),
    Column("label", "The expert’s label", value=lambda each: each.label),
    Column("seen", "Seen by", "number", value=lambda each: each.met),
    Column(
        "right", "Right", "number", value=lambda each: each.right / each.answered if each.answered else None
    ),
    Column("in_use", "In use", value=lambda each: "yes" if each.is_open else "no"),
    Column("answered", value=lambda each: each.answered, on_page=False),
]


@researcher_form
def controls(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows an expert one open pair after the other, without its labels; POST stores the expert's label."""
    question = asked_question(request, slug)
    percent, seed = number_in(request, "percent", 1, 100), number_in(request, "seed", 0, 2**31 - 1)
    error = ""
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=text_in(request, "pair"))
        try:
            label_as_expert(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                by=cast(User, request.user),
                reason=text_in(request, "reason"),
            )
            return redirect(address_in("controls", question, percent=percent, seed=seed))
        except AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(address_in("controls", question, percent=percent, seed=seed))
        except ValidationError as refusal:
            error = str(refusal)
    left, drawn = control_items(question, share=percent / 100, seed=seed)
    # Pairs that were withdrawn since the draw are left out.
    standing = Pair.objects.standing().select_related("premise").in_bulk(left[:PASSED_OVER])
    context = {
        "question": question,
        "percent": percent,
        "seed": seed,
        "left": len(left),
        "drawn": drawn,
        "most": MOST,
        "pair": next((standing[key] for key in left[:PASSED_OVER] if key in standing), None),
        "choices": choices_of(question),
        "direction": direction_of(question.corpus.language),
        "error": error,
    }
    return render(
        request, "validation/quality_control/control_items.html", context, status=422 if error else 200
    )


@researcher_page
def calibration(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists the calibration items of a question, with the numbers of answers; `as=csv`: as CSV."""
    question = asked_question(request, slug)
    table = sorted_list(request, calibration_items(question), COLUMNS)
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, COLUMNS), f"{slug}-calibration-items")
    context = {"question": question, "table": table, "words": answer_words(question)}
    return render(request, "validation/quality_control/calibration_items.html", context)
