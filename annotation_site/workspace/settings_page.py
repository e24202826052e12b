"""Shows the settings of a corpus, and changes them by its file: the text, the differences, a confirmation."""

import hashlib
import json

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.pages.access import researcher_form, researcher_page
from annotation_site.intake.corpus_files import load
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused
from collection.corpus_schema import CorpusFile
from collection.models import Corpus, PromptVersion
from validation.questions.addresses import text_in
from validation.questions.lookup import main_wordings

CHANGED_MEANWHILE = "The corpus or the text has changed since you looked. These are the changes now."
# Lists of the admin that show one corpus: title, address, and the filter that chooses the corpus.
RECORDS = (
    ("Entry links", "admin:collection_entrylink_changelist", "corpus__id__exact"),
    ("Exams", "admin:collection_exam_changelist", "corpus__id__exact"),
    ("Invitations and qualifications", "admin:accounts_grant_changelist", ""),
    ("People", "admin:accounts_user_changelist", ""),
    ("Labels", "admin:validation_label_changelist", "question__corpus__id__exact"),
    ("Dropped lines", "admin:collection_droppedline_changelist", "genre__corpus__id__exact"),
)


@researcher_page
def corpus_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows how the corpus is set up, its questions and prompts, and the lists about it among the records."""
    corpus = get_object_or_404(
        Corpus.objects.select_related("consent_form", "writing_qualification"), slug=slug
    )
    newest: dict[int, PromptVersion] = {
        version.prompt_id: version for version in PromptVersion.objects.newest().filter(prompt__corpus=corpus)
    }
    words = main_wordings(corpus)
    context = {
        "corpus": corpus,
        "labels": [words.get(label, label) for label in corpus.labels],
        "genres": corpus.genres.order_by("slug").select_related("prompt"),
        "questions": corpus.questions.order_by("-is_main", "slug").annotate(members=Count("memberships")),
        "exams": corpus.exams.order_by("slug").select_related("qualification"),
        "prompts": [(prompt, newest.get(prompt.pk)) for prompt in corpus.prompts.order_by("slug")],
        "records": [
            (title, reverse(name) + (f"?{chooser}={corpus.pk}" if chooser else ""))
            for title, name, chooser in RECORDS
        ],
    }
    return render(request, "workspace/settings.html", context)


@researcher_form
def corpus_file(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Shows what a corpus file would change, as `load_corpus` does, and changes it after a confirmation.

    slug: the corpus whose file is expected; empty: any, also a new one. The page accepts text; its script reads a
    chosen file into the field, since the site accepts no uploads.
    """
    corpus = get_object_or_404(Corpus, slug=slug) if slug else None
    text = text_in(request, "text")
    errors: list[str] = []
    file, changes = None, None
    if request.method == "POST":
        try:
            file = corpus_file_in(text, "corpus file")
            if corpus is not None and file.corpus.slug != corpus.slug:
                raise BadCorpusFile([_other_corpus(file, corpus)])
            changes = load(file, dry_run=True)
            if request.POST.get("do") == "load":
                if request.POST.get("seen") == _digest(text, changes):
                    load(file, expected=changes)
                    number = len(changes.lines)
                    messages.success(request, f"{number} change{'' if number == 1 else 's'} made.")
                    return redirect("corpus-overview", file.corpus.slug)
                errors = [CHANGED_MEANWHILE]
        except BadCorpusFile as problem:
            errors = problem.errors
        except LoadRefused as problem:
            errors = problem.reasons
    context = {
        "corpus": corpus,
        "text": text,
        "errors": errors,
        "file": file,
        "changes": changes,
        "is_new": file is not None and not Corpus.objects.filter(slug=file.corpus.slug).exists(),
        "warnings": [*file.warnings, *changes.notes] if file is not None and changes is not None else [],
        "seen": _digest(text, changes) if changes else "",
    }
    return render(request, "workspace/corpus_file.html", context, status=422 if errors else 200)


def _other_corpus(file: CorpusFile, corpus: Corpus) -> str:
    return (
        f"[corpus] slug: this file describes the corpus “{file.corpus.slug}”, and this page is about “{corpus.slug}”."
        " To load another corpus, go to all corpora and choose New corpus."
    )


def _digest(text: str, changes: Changes) -> str:
    """Returns a digest of what a confirmation confirms: this text, and these changes."""
    return hashlib.sha256(json.dumps([text.replace("\r\n", "\n"), changes.lines]).encode()).hexdigest()
