"""Researchers' page that withdraws pairs by the answers to a question or by a list, and restores them."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from collection.models import PARTITIONS, Vetting
from nli.labels import NO_GOLD
from shared.csv_files import csv_file, csv_lines
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
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
from validation.questions.addresses import address_in, also, asked_question, back_from, number_in, text_in
from validation.questions.lookup import answer_words, main_wordings
from validation.statistics.cached import Kind, current
from validation.statistics.cached_pages import cached_part, count_or_stop

OF_VETTINGS = [
    Column("at", "When", value=lambda each: each.created_at, largest_first=True),
    Column("by", "Who", value=lambda each: str(each.by)),
    Column("which", "Which pairs", value=lambda each: each.chosen_by),
    Column("pairs", "Pairs", "number", value=lambda each: each.pairs_withdrawn),
    Column("reason", "Why", value=lambda each: each.reason),
    Column("undone_at", "State", value=lambda each: each.undone_at, largest_first=True),
]
LONGEST_LIST = 2_000_000  # characters; a longer one is for the command


@researcher_form
def vetting(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Previews the withdrawal of chosen pairs, withdraws them with a reason, and restores them.

    `as=csv`: the list of all withdrawals as CSV.
    """
    question = asked_question(request, slug)
    vettings = question.corpus.vettings.select_related("by").order_by("-pk")
    table = sorted_list(request, vettings, OF_VETTINGS, place="withdrawals")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, OF_VETTINGS), f"{slug}-withdrawals")
    if "part" in request.GET:
        return cached_part(request, question, Kind.CROSS_TABLE)
    do, by = request.POST.get("do", ""), cast(User, request.user)
    error, seen = "", None
    try:
        if do == "undo":
            back = undo_vetting(vetting=_asked_vetting(request, question), by=by)
            messages.success(
                request, f"{back:,} pair{'' if back == 1 else 's'} count{'s' * (back == 1)} again."
            )
            return redirect(back_from(request, question, "vetting"))
        if "what" in request.POST:
            count_or_stop(request, question, Kind.CROSS_TABLE)
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
    cross, row = (None, None) if question.is_main else current(question, Kind.CROSS_TABLE)
    context: dict[str, Any] = {
        "question": question,
        "questions": question.corpus.questions.order_by("-is_main", "slug"),
        "labels": question.labels,
        "words": answer_words(question),
        "partitions": PARTITIONS,
        "chosen": request.POST.getlist("label"),
        "how": request.POST.get("by", GOLD),
        "ways": [(GOLD, "the answer by the question’s rule"), (ANY, "any label that counts")],
        "partition": request.POST.get("partition", ""),
        "names": text_in(request, "names"),
        "reason": text_in(request, "reason"),
        "seen": seen,
        "divided": _divided(seen, main_wordings(question.corpus)),
        "error": error,
        "tables": _tables(cross, answer_words(question), main_wordings(question.corpus)),
        "cached": row,
        "also": also(question),
        "vettings": table,
    }
    return render(request, "validation/pairs/vetting.html", context, status=422 if error else 200)


@researcher_page
def vetted_csv(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Returns the pairs of a withdrawal as CSV, to be published separately."""
    found = get_object_or_404(Vetting.objects.select_related("corpus"), corpus__slug=slug, pk=number)
    return csv_file(csv_lines(vetted_rows(found)), f"{slug}-withdrawn-{number}")


def choice_in(request: HttpRequest, question: Question) -> Choice:
    """Reads the choice from the form. Raises ValidationError if the list is too long."""
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


def _divided(seen: Preview | None, words: dict[str, str]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Counts what would be withdrawn, by genre, gold label (in the corpus's `words`) and partition."""
    if seen is None:
        return []
    named = {"By genre": seen.genres, "By gold label": seen.gold, "By partition": seen.partitions}
    return [
        (what, [(words.get(name, name), number) for name, number in counts.most_common()])
        for what, counts in named.items()
        if counts
    ]


def _tables(
    table: dict[str, Any] | None, words: dict[str, str], gold_words: dict[str, str]
) -> list[dict[str, Any]]:
    """Returns the parts of the cross-table for the page, in the corpus's words: pairs that count, and withdrawn pairs."""
    if table is None:
        return []
    words, gold_words = {**words, NO_GOLD: "no answer by the rule"}, {**gold_words, NO_GOLD: "no gold label"}
    titles = {"standing": "Pairs that count", "withdrawn": "Pairs that were vetted out"}
    return [
        {
            "title": title,
            "columns": [gold_words.get(label, label) for label in table["gold_labels"]],
            "rows": [
                (words.get(answer, answer), numbers, sum(numbers))
                for answer, numbers in zip(table["answers"], rows, strict=True)
            ],
        }
        for part, title in titles.items()
        for rows in table[part].values()
    ]
