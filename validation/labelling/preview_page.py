"""The labelling page as annotators see it, for researchers to try: nothing is claimed, sent or stored."""

from django.http import Http404, HttpRequest, HttpResponse

from accounts.pages.access import previewed, researcher_page
from collection.models import Pair
from validation.labelling.claiming import Batch
from validation.labelling.views import batch_page
from validation.models import Assignment, BatchItem, Label
from validation.questions.addresses import asked_question

PAIRS_READ = 100  # to find a batch of different premises


@researcher_page
@previewed
def preview_labelling(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows a batch of the first pairs of different premises, under the main question or `question`."""
    question = asked_question(request, slug)
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).select_related("premise").order_by("pk")
    chosen = list({pair.premise_id: pair for pair in pairs[:PAIRS_READ]}.values())[: question.batch_size]
    if not chosen:
        raise Http404("This corpus has no pair yet, so there is no labelling page to show.")
    assignment = Assignment(question=question, token="preview")
    items = [
        BatchItem(
            assignment=assignment,
            order=order,
            seat=Label(
                question=question,
                pair=pair,
                premise=pair.premise,
                sentence=int(question.by_sentence),
                token=f"preview-{order}",
            ),
        )
        for order, pair in enumerate(chosen)
    ]
    return batch_page(request, question, Batch(assignment, items))
