"""Creates or changes a corpus in the browser: the text of its file, the differences, a confirmation."""

import hashlib
import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.pages.access import researcher_form
from annotation_site.intake.corpus_files import load
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused
from collection.corpus_schema import CorpusFile
from collection.models import Corpus
from validation.questions.addresses import text_in

CHANGED_MEANWHILE = "The corpus or the text has changed since you looked. These are the changes now."


@researcher_form
def corpus_file(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Show what a corpus file would change, as `load_corpus` does, and change it after a confirmation.

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
    """Return a digest of what a confirmation confirms: this text, and these changes."""
    return hashlib.sha256(json.dumps([text.replace("\r\n", "\n"), changes.lines]).encode()).hexdigest()
