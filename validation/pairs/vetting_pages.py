"""Researchers' page that withdraws pairs by the answers to a question or by a list, and restores them."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from collection.models import PARTITIONS, Vetting
from jobs.tasks import enqueue
from nli.labels import NO_GOLD
from shared.csv_files import csv_file
from shared.csv_tables import csv_lines
from validation.errors import ValidationError
from validation.models import Question
from validation.pairs.vetting import (
    ANY,
    BY,
    GOLD,
    Choice,
    Preview,
    preview_vetting,
    undo_vetting,
    vet,
    vetted_rows,
)
from validation.questions.addresses import address_in, asked_question, back_from, number_in, text_in
from validation.statistics.cached import Kind, current, request_statistics

LONGEST_LIST = 2_000_000  # characters; a longer one is for the command


@researcher_form
def vetting(request: HttpRequest, slug: str) -> HttpResponse:
    """Previews the withdrawal of chosen pairs, withdraws them with a reason, and restores them."""
    question = asked_question(request, slug)
    do, by = request.POST.get("do", ""), cast(User, request.user)
    error, seen = "", None
    try:
        if do == "undo":
            back = undo_vetting(vetting=_asked_vetting(request, question), by=by)
            messages.success(
                request, f"{back:,} pair{'' if back == 1 else 's'} count{'s' * (back == 1)} again."
            )
            return redirect(back_from(request, question, "vetting"))
        if do == "count":
            enqueue(request_statistics(question=question, kind=Kind.CROSS_TABLE))
            return redirect(address_in("vetting", question))
        if do:
            choice = choice_in(request, question)
            if do == "withdraw":
                made = vet(corpus=question.corpus, choice=choice, by=by, reason=text_in(request, "reason"))
                number = made.pairs_withdrawn
                messages.success(request, f"{number:,} pair{' was' if number == 1 else 's were'} withdrawn.")
                return redirect(back_from(request, question, "vetting"))
            seen = preview_vetting(corpus=question.corpus, choice=choice)
    except ValidationError as refusal:
        error = str(refusal)
    table, row = (None, None) if question.is_main else current(question, Kind.CROSS_TABLE)
    context: dict[str, Any] = {
        "question": question,
        "questions": question.corpus.questions.order_by("-is_main", "slug"),
        "labels": question.labels,
        "partitions": PARTITIONS,
        "chosen": request.POST.getlist("label"),
        "how": request.POST.get("by", GOLD),
        "ways": [(GOLD, "the answer by the question’s rule"), (ANY, "any label that counts")],
        "partition": request.POST.get("partition", ""),
        "names": text_in(request, "names"),
        "reason": text_in(request, "reason"),
        "seen": seen,
        "divided": _divided(seen),
        "error": error,
        "tables": _tables(table),
        "kept": row,
        "vettings": question.corpus.vettings.select_related("by").order_by("-pk"),
    }
    return render(request, "validation/pairs/vetting.html", context, status=422 if error else 200)


@researcher_page
def vetted_csv(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Returns the pairs of a withdrawal as CSV, to be published separately."""
    found = get_object_or_404(Vetting.objects.select_related("corpus"), corpus__slug=slug, pk=number)
    return csv_file(csv_lines(vetted_rows(found)), f"{slug}-withdrawn-{number}")


def choice_in(request: HttpRequest, question: Question) -> Choice:
    """Reads the choice from the form. Raises NothingChosen."""
    partition = request.POST.get("partition", "")
    partition = partition if partition in PARTITIONS else ""
    names = text_in(request, "names")
    if len(names) > LONGEST_LIST:
        raise ValidationError("The list is too long for the page: use manage.py vet_pairs --list FILE.")
    if listed := tuple(dict.fromkeys(names.split())):
        return Choice(names=listed, partition=partition)
    by = request.POST.get("by", GOLD)
    return Choice(
        question=question,
        labels=tuple(request.POST.getlist("label")),
        by=by if by in BY else GOLD,
        partition=partition,
    )


def _asked_vetting(request: HttpRequest, question: Question) -> Vetting:
    known = Vetting.objects.select_related("corpus").filter(corpus=question.corpus_id)
    return get_object_or_404(known, pk=number_in(request, "number", 0, 10**11))


def _divided(seen: Preview | None) -> list[tuple[str, list[tuple[str, int]]]]:
    """Counts what would be withdrawn, by genre, gold label and partition."""
    if seen is None:
        return []
    named = {"By genre": seen.genres, "By gold label": seen.gold, "By partition": seen.partitions}
    return [(what, counts.most_common()) for what, counts in named.items() if counts]


def _tables(table: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Returns the parts of the cross-table for the page: pairs that count, and withdrawn pairs."""
    if table is None:
        return []
    titles = {"standing": "Pairs that count", "withdrawn": "Pairs that were vetted out"}
    return [
        {
            "title": title,
            "columns": [label if label != NO_GOLD else "no gold label" for label in table["gold_labels"]],
            "rows": [
                (answer if answer != NO_GOLD else "no answer by the rule", numbers, sum(numbers))
                for answer, numbers in zip(table["answers"], rows, strict=True)
            ],
        }
        for part, title in titles.items()
        for rows in table[part].values()
    ]
