"""The writing page as writers see it, for researchers to try: nothing is claimed, sent or stored."""

from datetime import timedelta
from typing import cast

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import User
from accounts.pages.access import previewed, researcher_page
from collection.models import Corpus, Premise, PromptVersion, WritingAssignment, WritingSeat
from collection.writing.forms import WritingForm
from collection.writing.task_pages import task_page


@researcher_page
@previewed
def preview_writing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the writing page with a premise of the corpus, under the newest version of its prompt or of `prompt`."""
    corpus = get_object_or_404(Corpus, slug=slug)
    premises = Premise.objects.filter(corpus=corpus, genre__prompt__isnull=False).exclude(status="dropped")
    if name := request.GET.get("prompt"):
        premises = premises.filter(genre__prompt__slug=name)
    premise = premises.select_related("genre__prompt").order_by("pk").first()
    if premise is None:
        raise Http404("This corpus has no prompt with a premise, so there is no writing page to show.")
    version = PromptVersion.objects.newest().filter(prompt=premise.genre.prompt).first()
    assignment = WritingAssignment(
        pk=0,  # of no row: it is never saved
        token="preview",
        corpus=corpus,
        annotator=cast(User, request.user),
        seat=WritingSeat(
            premise=premise,
            genre=premise.genre,
            leased_until=timezone.now() + timedelta(seconds=settings.WRITING_LEASE_SECONDS),
        ),
        prompt_version=version,
    )
    return task_page(request, assignment, WritingForm(assignment))
