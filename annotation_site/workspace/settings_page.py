"""Shows how a corpus is set up."""

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from accounts.pages.access import researcher_page
from collection.models import Corpus, PromptVersion
from validation.questions.lookup import main_wordings

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
        "newest": corpus.texts.newest_first().defer("text").first(),
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
