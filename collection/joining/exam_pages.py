"""The page of an exam, for writing or for labelling."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import Consent, User
from accounts.pages.access import annotator_required
from collection.errors import PAUSED
from collection.joining import exams
from collection.models import WRITING_EXAM, Exam
from collection.texts import direction_of

ANSWER = re.compile(r"answer-([0-9]{1,4})")  # the name of a field has the place of its item


@dataclass(frozen=True)
class ExamWords:
    """The wording of an exam page. `asked`: the question above a pair; `choices`: (label, words, when it is right)."""

    asked: str
    choices: list[tuple[str, str, str]]
    work: str
    go: str
    hides_premise: bool = False


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@annotator_required
def exam(request: HttpRequest, corpus: str) -> HttpResponse:
    """Shows the exam of those who will write."""
    found = get_object_or_404(Exam.objects.select_related("corpus"), corpus__slug=corpus, slug=WRITING_EXAM)
    return exam_page(request, found, writing_words(found))


def writing_words(paper: Exam) -> ExamWords:
    corpus = paper.corpus
    return ExamWords(
        asked=corpus.asked,
        choices=[
            (label, words, corpus.answer_helps.get(label, ""))
            for label, words in corpus.answer_words.items()
            if label in paper.labels
        ],
        work=reverse("writing", args=[corpus.slug]),
        go=gettext("Write sentences"),
    )


def exam_page(request: HttpRequest, paper: Exam, words: ExamWords) -> HttpResponse:
    """Shows the exam, its result, or why it cannot be taken now. A POST submits it."""
    user, corpus = cast(User, request.user), paper.corpus
    if not Consent.objects.is_given(user, corpus.consent_form_id):
        back = urlencode({"next": request.path})
        return redirect(f"{reverse('consent', args=[corpus.consent_form_id])}?{back}")
    answers = {
        int(field[1]): str(text) for name, text in request.POST.items() if (field := ANSWER.fullmatch(name))
    }
    errors: dict[int, str] = {}
    if request.method == "POST":
        try:
            attempt = exams.send_exam(exam=paper, annotator=user, answers=answers)
        except exams.ExamIncomplete as incomplete:
            errors = incomplete.errors
        except exams.ExamRefused as refusal:
            messages.info(request, str(refusal))
            return redirect(request.path)
        else:
            messages.success(request, _outcome(paper, attempt.passed))
            return redirect(request.path)
    standing = exams.standing_of(paper, user)
    if corpus.paused_at is not None and not errors and not standing.why_not:
        standing = replace(standing, why_not=str(PAUSED))  # who has begun may still send
    return exam_form(request, paper, words, standing, answers, errors)


def exam_form(
    request: HttpRequest,
    paper: Exam,
    words: ExamWords,
    standing: exams.Standing,
    answers: Mapping[int, str] = MappingProxyType({}),
    errors: Mapping[int, str] = MappingProxyType({}),
) -> HttpResponse:
    """Renders an exam. `answers`, `errors`: what was sent, and what is wrong with it, by the places of items."""
    corpus, items = paper.corpus, list(paper.items.all())
    context = {
        "corpus": corpus,
        "exam": paper,
        "words": words,
        "standing": standing,
        "direction": direction_of(corpus.language),
        "items": [
            {
                "item": item,
                "words": corpus.answer_words.get(item.label, item.label),
                "help": corpus.answer_helps.get(item.label, ""),
                "answer": answers.get(item.order, ""),
                "error": errors.get(item.order, ""),
            }
            for item in items
        ],
        "asks_for_answers": not all(item.asks_for_text for item in items),
        "asks_for_texts": any(item.asks_for_text for item in items),
        "errors": errors,
    }
    return render(request, "collection/joining/exam.html", context, status=422 if errors else 200)


def _outcome(paper: Exam, passed: bool | None) -> str:
    if passed is None:
        return gettext("Thank you. The exam is sent.")
    if passed:
        if paper.slug == WRITING_EXAM:
            return gettext("You passed. You may write from now on.")
        return gettext("You passed. You may judge sentences from now on.")
    return gettext("Thank you. You did not pass.")
