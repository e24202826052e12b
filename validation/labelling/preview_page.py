"""Pages of labelling, and exams, as annotators see them, for researchers to try: nothing is claimed, sent or stored."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from accounts.pages.access import previewed, researcher_page
from collection.joining.exam_pages import ExamWords, exam_form, writing_words
from collection.joining.exams import Standing
from collection.models import WRITING_EXAM, Exam, Pair, Premise
from validation.labelling.claiming import Batch
from validation.labelling.views import batch_page, check_form, exam_words, instructions_page
from validation.models import Assignment, BatchItem, Label
from validation.questions.addresses import address_in, asked_question

PAIRS_READ = 100  # to find a batch of different premises


@researcher_page
@previewed
def preview_labelling(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows a batch of the first pairs of different premises, under the main question or `question`."""
    return preview_batch(request, slug)


def preview_batch(request: HttpRequest, slug: str, texts: Mapping[str, str] | None = None) -> HttpResponse:
    """Returns the page of a batch: of the pair with these texts, else of the first pairs, else of the worked examples."""
    question = asked_question(request, slug)
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).select_related("premise").order_by("pk")
    known = [] if texts else list({pair.premise_id: pair for pair in pairs[:PAIRS_READ]}.values())
    examples = [(each.premise, each.hypothesis) for each in question.examples.all()]
    given = [(texts["premise"], texts["hypothesis"])] if texts else examples
    chosen = (known or [_pair_of(*each) for each in given])[: question.batch_size]
    if not chosen:
        raise Http404(
            "This corpus has no pair and no worked example yet, so there is no labelling page to show."
        )
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


@researcher_page
@previewed
def preview_instructions(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the instructions and the check of the main question, or of `question`."""
    question = asked_question(request, slug)
    next_page = address_in("preview-labelling", question)
    return instructions_page(request, question, check_form(question), next=next_page, is_read=False, exam="")


@researcher_page
@previewed
def preview_exam(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Shows an exam of the corpus as somebody sees it who has not tried it."""
    paper = get_object_or_404(Exam.objects.select_related("corpus"), corpus__slug=slug, slug=name)
    untried = Standing(holds=False, last=None, tries_left=paper.tries, why_not="")
    return exam_form(request, paper, _words_of(paper), untried)


def _pair_of(premise: str, hypothesis: str) -> Pair:
    lines = premise.strip().splitlines()
    return Pair(premise=Premise(text="\n".join(lines), sentence_count=len(lines)), hypothesis=hypothesis)


def _words_of(paper: Exam) -> ExamWords:
    if paper.slug == WRITING_EXAM:
        return writing_words(paper)
    return exam_words(get_object_or_404(paper.corpus.questions, slug=paper.slug.removeprefix("label-")))
