"""`{% workspace as shell %}` finds out what stands around a researcher's page: its corpus, sections and breadcrumbs."""

from typing import Any

from django import template
from django.template import Context

from annotation_site.workspace.sections import Shell, shell_of
from collection.models import Corpus
from validation.models import Question

register = template.Library()

# Where pages keep what they are about, and the way from there to its corpus.
SUBJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("corpus", ()),
    ("question", ("corpus",)),
    ("snapshot", ("corpus",)),
    ("run", ("snapshot", "corpus")),
    ("file", ("snapshot", "corpus")),
)


@register.simple_tag(takes_context=True)
def workspace(context: Context) -> Shell:
    """Returns the shell of the page. Its corpus is the one that the page is about, or the one of `?corpus=SLUG`."""
    request, question = context["request"], context.get("question")
    corpus: Corpus | None = _corpus_of(context)
    name = request.resolver_match.url_name if request.resolver_match else ""
    slug = corpus.slug if corpus is not None else request.GET.get("corpus", "")
    other = question.slug if isinstance(question, Question) and not question.is_main else ""
    return shell_of(request.user, name or "", slug, other)


def _corpus_of(context: Context) -> Corpus | None:
    for name, way in SUBJECTS:
        subject: Any = context.get(name)
        for step in way:
            subject = getattr(subject, step, None)
        if isinstance(subject, Corpus):
            return subject
    return None
