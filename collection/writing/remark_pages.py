"""The page on which writers read what researchers say of their sentences, before they go on."""

import math
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import Grant, User
from accounts.pages.access import annotator_form
from collection.models import Corpus, Review
from collection.texts import direction_of
from collection.writing.levels import standing_of
from collection.writing.reviews import read_reviews

REMARKS_A_PAGE = 20


@annotator_form
def remarks(request: HttpRequest, corpus: str) -> HttpResponse:
    """Shows what this writer has not read, the oldest first; a POST notes that they read it, and goes on to the work."""
    writer, found = cast(User, request.user), get_object_or_404(Corpus, slug=corpus)
    if request.method == "POST":
        numbers = [
            int(text) for text in request.POST.getlist("review") if text.isdecimal() and len(text) < 19
        ]
        read_reviews(writer=writer, reviews=numbers)
        return redirect("writing", corpus)
    unread = list(Review.objects.said_to(writer).filter(corpus=found, read_at=None)[:REMARKS_A_PAGE])
    if not unread:
        return redirect("writing", corpus)
    standing = standing_of(found, writer)
    level = standing.level
    for each in unread:
        each.corpus = found  # its answers' words are read once
    context = {
        "corpus": found,
        "direction": direction_of(found.language),
        "reviews": unread,
        "shown": [each for each in unread if each.verdict != Review.Verdict.FINE or each.remark],
        "good": sum(each.verdict == Review.Verdict.FINE for each in unread),
        "level": level,
        "needed": math.ceil(level.rises_from * level.of / 100) if level and standing.above else 0,
        "least": math.ceil(level.falls_below * level.of / 100) if level else 0,
        "takes_exam": standing.takes_exam
        and not Grant.objects.is_held(writer, found.writing_qualification_id),
    }
    return render(request, "collection/writing/remarks.html", context)
