"""Pauses, archives or deletes a corpus, after saying what happens."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from accounts.pages.access import researcher_form
from annotation_site.intake.corpus_deletion import HoldsWork, delete_corpus, refusal, work_in
from collection.corpora import states
from collection.models import Corpus, WritingSeat
from collection.models.querysets import is_leased
from validation.models import Assignment
from validation.questions.addresses import text_in

CHANGES: dict[str, tuple[Callable[..., bool], str]] = {
    "pause": (states.pause, "All work is paused."),
    "resume": (states.resume, "People can work again."),
    "archive": (states.archive, "The corpus is archived."),
    "restore": (states.restore, "The corpus is back in the list. Its work stays paused until you resume it."),
}


@researcher_form
def corpus_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows what each change of the corpus's state does, and makes it."""
    corpus = get_object_or_404(Corpus, slug=slug)
    error = ""
    if request.method == "POST":
        do = request.POST.get("do", "")
        if do in CHANGES:
            change, said = CHANGES[do]
            if change(corpus=corpus):
                messages.success(request, said)
            return redirect("corpus-state", slug)
        if do == "delete":
            typed = text_in(request, "slug").strip()
            if typed != slug:
                error = f"Type the short name of the corpus, {slug}, to delete it."
            else:
                try:
                    delete_corpus(corpus=corpus)
                except HoldsWork as why:
                    error = str(why)
                else:
                    messages.success(request, f"The corpus {corpus.name} is deleted.")
                    return redirect("admin:index")
    now = timezone.now()
    work = work_in(corpus)
    context = {
        "corpus": corpus,
        "error": error,
        "texts": WritingSeat.objects.filter(
            is_leased(now), premise__corpus=corpus, submitted_at=None
        ).count(),
        "batches": Assignment.objects.filter(is_leased(now), question__corpus=corpus, closed_at=None).count(),
        "premises": corpus.premises.count(),
        "why_not": refusal(work) if work else "",
    }
    return render(request, "workspace/corpus_state.html", context, status=422 if error else 200)
