"""The exam of those who will label: the question's own, in its own words."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.pages.access import annotator_required
from collection.joining.exam_pages import ExamWords, exam_page
from collection.models import Exam, Exclusion
from validation import actions
from validation.offers import address_of
from validation.views.labelling import choices_of, question_or_404


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
def labelling_exam(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    question = question_or_404(slug, question_slug)
    paper = get_object_or_404(
        Exam.objects.select_related("corpus"),
        corpus=question.corpus,
        qualification=question.qualification_id,
        slug=f"label-{question.slug}",
    )
    excluded = Exclusion.objects.of(cast(User, request.user)).filter(corpus=question.corpus)
    if excluded.exists():
        context = {"question": question, "nothing": actions.NotInPool(actions.ENDED)}
        return render(request, "validation/nothing.html", context, status=403)
    words = ExamWords(
        asked=question.wording or "How do these relate?",
        choices=[(choice.label, choice.wording) for choice in choices_of(question)],
        work=address_of("labelling", question),
        go="Label pairs",
        hides_premise=question.hides_premise,
    )
    return exam_page(request, paper, words)
