"""The writer's own pages: work by day, advice, earnings, reports."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.models import User
from accounts.pages.access import annotator_page
from collection.models import Corpus, ExamAttempt, ProblemReport, ReturnedText, Review, WritingAssignment
from collection.writing import statistics
from collection.writing.claiming import why_no_work
from collection.writing.who_may_write import texts_to_mend

REPORTS_A_PAGE = 20
DAYS_SHOWN, TASKS_SHOWN, ANSWERS_SHOWN, CORPORA_SHOWN = 14, 10, 5, 5


@annotator_page
def my_writing(request: HttpRequest) -> HttpResponse:
    """Shows what this person wrote by day, the latest tasks with their advice, and what comes next."""
    user = cast(User, request.user)
    corpora = Corpus.objects.written_for_by(user)[:CORPORA_SHOWN]
    tasks = list(WritingAssignment.objects.handed_to(user).sent().with_words().order_by("-pk")[:TASKS_SHOWN])
    shared: dict[int, Corpus] = {}
    for task in tasks:
        task.corpus = shared.setdefault(task.corpus_id, task.corpus)  # its answers' words are read once
    remarks = ReturnedText.objects.of(user).exclude(outcome=ReturnedText.Outcome.TAKEN_BACK)
    earned = statistics.earned_by_writing(user)
    context = {
        "days": statistics.writing_days(user, DAYS_SHOWN),
        "tasks": tasks,
        "answers": ProblemReport.objects.made_by(user).answered()[:ANSWERS_SHOWN],
        "advice": statistics.advice_to(user, DAYS_SHOWN),
        "earned": earned,
        "earned_in_all": sum(cents for _, cents in earned.values()),
        "took_exam": ExamAttempt.objects.filter(annotator=user).exists(),
        "next": [(corpus, why_no_work(corpus=corpus, annotator=user)) for corpus in corpora],
        "days_shown": DAYS_SHOWN,
        "remarks": remarks.select_related("pair").order_by("-pk")[:ANSWERS_SHOWN],
        "reviews": Review.objects.said_to(user).exclude(verdict="fine", remark="").reverse()[:ANSWERS_SHOWN],
        "returned": texts_to_mend(user, timezone.now()).select_related("pair"),
    }
    return render(request, "collection/writing/my_writing.html", context)


@annotator_page
def my_reports(request: HttpRequest) -> HttpResponse:
    """Lists this person's problem reports with the answers."""
    before = request.GET.get("before", "")
    reports = ProblemReport.objects.made_by(cast(User, request.user))
    if before.isdecimal() and len(before) < 19:  # a primary key has at most 18 digits here
        reports = reports.filter(pk__lt=int(before))
    rows = list(reports[: REPORTS_A_PAGE + 1])
    context = {
        "reports": rows[:REPORTS_A_PAGE],
        "older": rows[REPORTS_A_PAGE - 1].pk if len(rows) > REPORTS_A_PAGE else None,
        "before": before,
    }
    return render(request, "collection/writing/my_reports.html", context)
