"""The annotator's start page, and the page of their own work."""

from datetime import date, timedelta
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.models import User
from accounts.pages.access import annotator_page
from collection.models import ExamAttempt, Exclusion, LedgerEntry
from collection.writing.who_may_write import texts_to_mend
from validation.labelling.correcting import recent_batches
from validation.start_page.my_work import days_of, own_statistics
from validation.start_page.offers import offers_for

DAYS_A_PAGE = 30
FIRST_DAY = date(2000, 1, 1)  # earlier than any work, and far from the first date of the calendar


@annotator_page
def start(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    context = {
        "offers": offers_for(user),
        "exams": ExamAttempt.objects.waiting().filter(annotator=user).select_related("exam__corpus"),
        "returned": texts_to_mend(user, timezone.now()).select_related("pair"),
        "ended": Exclusion.objects.of(user).select_related("corpus").order_by("corpus__name"),
        "earned": LedgerEntry.objects.filter(user=user).total_cents(),
    }
    return render(request, "validation/start_page/start.html", context)


@annotator_page
def my_work(request: HttpRequest) -> HttpResponse:
    """Shows an annotator's work, one row per day and thirty days per page, and how well their labels agree."""
    today = timezone.localdate()
    try:
        until = max(min(date.fromisoformat(request.GET.get("until", "")), today), FIRST_DAY)
    except ValueError:
        until = today
    context = {
        "days": days_of(cast(User, request.user), until=until, days=DAYS_A_PAGE),
        "since": until - timedelta(days=DAYS_A_PAGE - 1),
        "earlier": until - timedelta(days=DAYS_A_PAGE),
        "until": until,
        "is_newest": until == today,
        "recent": recent_batches(cast(User, request.user), timezone.now()) if until == today else [],
        "own": own_statistics(cast(User, request.user)) if until == today else [],
    }
    return render(request, "validation/start_page/my_work.html", context)
