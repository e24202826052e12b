"""The doors to writing: a platform's link and its completion code, and the exam."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import annotator_required
from accounts.models import Consent, User
from collection import entering, exams
from collection.labels import PLAIN_WORDS
from collection.models import Corpus, EntryLink, Exam
from collection.texts import direction_of

IN_VISIT = "in_visit"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Where a platform sends people. Looking makes nothing; the button makes the account and signs in."""
    link = get_object_or_404(EntryLink.objects.select_related("corpus", "grants"), token=token)
    context = {"link": link, "corpus": link.corpus}
    try:
        identity = entering.identity_in(link, request.GET.dict())
        if request.method == "POST" and not _is_researcher(request):
            visit = entering.enter(link=link, **identity)
            login(request, visit.user, backend="django.contrib.auth.backends.ModelBackend")
            request.session[IN_VISIT] = True  # every page then shows the way to the code
            return redirect("visit")
    except entering.EntryRefused as refusal:
        return render(request, "collection/enter.html", {**context, "refusal": str(refusal)}, status=403)
    return render(request, "collection/enter.html", {**context, "is_researcher": _is_researcher(request)})


def _is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_researcher


@require_safe
@never_cache
@annotator_required
def visit(request: HttpRequest) -> HttpResponse:
    """How far a visit through a link is; at its end, the code."""
    stay = entering.latest_visit(cast(User, request.user))
    if stay is None:
        return redirect("start")
    finished = entering.finish(visit=stay)
    done = entering.tasks_done(stay)
    context = {
        "visit": stay,
        "link": stay.link,
        "finished": finished,
        "done": min(done, stay.link.tasks_wanted),
        "more": done - stay.link.tasks_wanted,
    }
    return render(request, "collection/visit.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@annotator_required
def exam(request: HttpRequest, corpus: str) -> HttpResponse:
    """The exam, its result, or why it cannot be taken now."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus, writing_exam__isnull=False)
    if not Consent.objects.is_given(user, found.consent_form_id):
        back = urlencode({"next": reverse("exam", args=[corpus])})
        return redirect(f"{reverse('consent', args=[found.consent_form_id])}?{back}")
    paper: Exam = found.writing_exam
    answers = {
        item.order: request.POST.get(f"answer-{item.order}", "") if request.method == "POST" else ""
        for item in paper.items.all()
    }
    errors: dict[int, str] = {}
    if request.method == "POST":
        try:
            attempt = exams.send_exam(exam=paper, annotator=user, answers=answers)
        except exams.ExamIncomplete as incomplete:
            errors = incomplete.errors
        except exams.ExamRefused as refusal:
            messages.info(request, str(refusal))
            return redirect("exam", corpus=corpus)
        else:
            messages.success(request, _outcome(attempt.passed))
            return redirect("exam", corpus=corpus)
    context = {
        "corpus": found,
        "exam": paper,
        "standing": exams.standing_of(paper, user),
        "direction": direction_of(found.language),
        "items": [
            {
                "item": item,
                "words": PLAIN_WORDS[item.label],
                "answer": answers[item.order],
                "error": errors.get(item.order, ""),
            }
            for item in paper.items.all()
        ],
        "choices": [(label, PLAIN_WORDS[label]) for label in found.labels],
        "errors": errors,
    }
    return render(request, "collection/exam.html", context, status=422 if errors else 200)


def _outcome(passed: bool | None) -> str:
    if passed is None:
        return "Thank you. A researcher reads what you wrote; the result will stand here."
    return "You passed. You may write from now on." if passed else "Thank you. That was not enough this time."
