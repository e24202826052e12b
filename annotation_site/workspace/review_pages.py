"""Pages of reviews: what was found in a sample of sentences, writers' levels, and one sentence after the other to judge."""

from collections import Counter
from typing import cast

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.models import User
from accounts.pages.access import hands_out_work, researcher_form, researcher_page
from annotation_site.researchers.feedback_figures import FIGURES, judged_in
from collection.errors import NotPossible
from collection.models import Corpus, LevelChange, Review
from collection.texts import direction_of
from collection.writing.levels import EXAM_AGAIN
from collection.writing.reviews import claim_review, judge_review
from shared.figures import shown
from validation.questions.addresses import number_in
from validation.questions.lookup import main_wordings

CHANGES_SHOWN = 20


@researcher_page
def reviews_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows how many sentences wait for review, what the judged ones say of each arm, and the levels of writers."""
    corpus = get_object_or_404(Corpus, slug=slug)
    drawn = Review.objects.filter(corpus=corpus)
    names = [str(level) for level in corpus.levels.all()]
    changes = LevelChange.objects.filter(corpus=corpus).select_related("writer").order_by("-pk")
    context = {
        "corpus": corpus,
        "shares": corpus.prompts.exclude(review_percent=0).order_by("slug"),
        "drawn": drawn.count(),
        "waiting": drawn.waiting().count(),
        "figures": list(shown(FIGURES, corpus, judged_in(corpus))),
        "levels": names and _writers_at(corpus, names),
        "changes": [(each, _name(names, each.level)) for each in changes[:CHANGES_SHOWN]],
    }
    return render(request, "workspace/reviews.html", context)


@hands_out_work
@researcher_form
def review_next(request: HttpRequest, slug: str) -> HttpResponse:
    """Hands out the next sentence to judge; a POST stores what is said of one. It names neither writer nor arm."""
    corpus = get_object_or_404(Corpus, slug=slug)
    reviewer, error = cast(User, request.user), ""
    verdict, remark = (request.POST.get(name, "").replace("\0", "") for name in ("verdict", "remark"))
    if request.method == "POST":
        number = number_in(request, "review", 0, 10**18)
        review = Review.objects.select_related("corpus", "writer").filter(corpus=corpus, pk=number).first()
        try:
            if review is None:
                raise NotPossible("This corpus has no such sentence to review.")
            judge_review(review=review, by=reviewer, verdict=verdict, remark=remark)
            return redirect("review-next", slug)
        except NotPossible as refusal:
            if review is None or review.verdict:
                messages.warning(request, str(refusal))
                return redirect("review-next", slug)
            error = str(refusal)
    found = claim_review(corpus=corpus, reviewer=reviewer)
    context = {
        "corpus": corpus,
        "review": found and Review.objects.select_related("pair__premise").get(pk=found.pk),
        "left": Review.objects.waiting(corpus).count(),
        "verdicts": Review.Verdict.choices,
        "verdict": verdict if error else "",
        "remark": remark if error else "",
        "error": error,
        "words": main_wordings(corpus),
        "direction": direction_of(corpus.language),
        "here": reverse("review-next", args=[slug]),
    }
    return render(request, "workspace/review_next.html", context, status=422 if error else 200)


def _name(names: list[str], level: int) -> str:
    if level == EXAM_AGAIN:
        return "exam to be taken again"
    return names[level] if level < len(names) else f"level {level + 1}"


def _writers_at(corpus: Corpus, names: list[str]) -> list[tuple[str, int]]:
    """Returns (level, how many writers are at it), of writers whose level has changed, and of the other reviewed ones."""
    mine = LevelChange.objects.filter(corpus=corpus, writer=OuterRef("writer")).order_by("-pk")
    reviewed = Review.objects.filter(corpus=corpus, is_feedback=True).order_by().values("writer").distinct()
    standing = reviewed.annotate(at=Coalesce(Subquery(mine.values("level")[:1]), 0))
    places = Counter(standing.values_list("at", flat=True))
    return [(_name(names, place), places[place]) for place in sorted({*places, *range(len(names))})]
