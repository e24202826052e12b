"""Drafts: what was begun on one device and may be continued on another."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from accounts.access import annotator_required
from accounts.actions import ConsentMissing
from accounts.models import User
from collection.advice import AFTER_TYPING
from collection.models import Corpus
from collection.writing import submitting
from collection.writing.forms import WritingForm
from collection.writing.task_pages import ask_for_consent, not_yours, own_task, texts_kept_for_visitors


@require_POST
@texts_kept_for_visitors
@annotator_required
def draft(request: HttpRequest, corpus: str) -> HttpResponse:
    """Keeps what stands in the fields. A script gets advice on it as JSON; without scripts the task comes back."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    assignment = own_task(request, found, user)
    if assignment is None:
        return not_yours(request, found)
    texts = WritingForm(assignment, request.POST).raw_texts
    try:
        saved_at = submitting.save_draft(annotator=user, token=assignment.token, texts=texts)
    except ConsentMissing:
        return ask_for_consent(request, found)
    if "application/json" in request.headers.get("Accept", ""):
        typed = {label: text for label, text in texts.items() if label in assignment.labels}
        advice = submitting.advice_on(assignment, typed)
        said = {each.label: each.words for each in advice if each.kind not in AFTER_TYPING}
        return JsonResponse({"saved_at": saved_at and saved_at.isoformat(), "advice": said})
    if saved_at:
        messages.success(request, "Your draft is kept. You can go on with it here or on another device.")
    return redirect("writing", corpus=corpus)


@require_POST
@annotator_required
def discard_draft(request: HttpRequest, corpus: str) -> HttpResponse:
    """Throws away what was begun for a premise whose time ran out."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    assignment = own_task(request, found, user)
    if assignment is None:
        return not_yours(request, found)
    submitting.discard_draft(annotator=user, token=assignment.token)
    messages.info(request, "That draft is gone.")
    return redirect("writing", corpus=corpus)
