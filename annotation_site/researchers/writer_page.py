"""A page for each writer of a corpus: what is kept of how they wrote. It is read by people, and decides nothing."""

from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.models import User
from accounts.pages.access import researcher_page
from annotation_site.researchers.evidence import Measure, tasks_of, texts_by, typed_by
from collection.models import Corpus, Pair, WritingAssignment
from collection.texts import direction_of
from shared.numbers import written

TASKS_SHOWN, ALIKE_SHOWN = 20, 5


@researcher_page
def writer_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Shows how a writer's sentences were typed, and how near they are to others, beside the other writers."""
    corpus = get_object_or_404(Corpus, slug=slug)
    writer = get_object_or_404(User, code=code)
    texts = Prefetch("pairs", Pair.objects.order_by("pk"))
    shown = tasks_of(corpus).filter(annotator=writer).select_related("signals").prefetch_related(texts)
    if not WritingAssignment.objects.filter(corpus=corpus, annotator=writer).exists():
        raise Http404
    of_texts, alike = texts_by(corpus, writer)
    context = {
        "corpus": corpus,
        "code": code,
        "tasks": shown[:TASKS_SHOWN],
        "rows": [_row(each) for each in (*typed_by(corpus, writer), *of_texts)],
        "alike": alike[:ALIKE_SHOWN],
        "direction": direction_of(corpus.language),
    }
    return render(request, "annotation_site/writer.html", context)


def _row(measure: Measure) -> dict[str, str]:
    of = len(measure.others)
    return {
        "name": measure.name,
        "definition": measure.definition,
        "value": "–" if measure.value is None else written(measure.value, measure.kind),
        "middle": "–" if measure.middle is None else written(measure.middle, measure.kind),
        "above": f"{measure.above:,} of {of:,}" if of and measure.value is not None else "–",
    }
