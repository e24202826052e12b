"""Opens the pairs for labelling that were chosen on the pages of a run."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.pages.access import researcher_post
from collection.models import Pair
from modeling.models import TrainingRun
from validation.errors import NotLookedAt
from validation.models import Question
from validation.pairs.opening import open_for_validation

MOST_CHOSEN = 1000


@researcher_post
def open_chosen(request: HttpRequest, pk: int) -> HttpResponse:
    """Opens the chosen pairs under a question of the corpus, by default the main one, and redirects back."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    corpus = run.snapshot.corpus
    slug = request.POST.get("question", "").replace("\0", "")
    which = {"slug": slug} if slug else {"is_main": True}
    question = get_object_or_404(Question.objects.select_related("corpus"), corpus=corpus, **which)
    names = {name.replace("\0", "") for name in request.POST.getlist("pair")[:MOST_CHOSEN]}
    pairs = Pair.objects.filter(corpus=corpus, public_id__in=names)
    if not names:
        messages.warning(request, "No pair was chosen: tick the pairs that annotators shall label.")
    else:
        try:
            _tell(request, question, len(names), open_for_validation(question=question, pairs=pairs))
        except NotLookedAt as refusal:
            messages.warning(request, f"{refusal} Count it on the page “Open pairs” of {corpus.name} first.")
    back = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return redirect(back)
    return redirect("run", pk)


def _tell(request: HttpRequest, question: Question, chosen: int, opened: int) -> None:
    if opened:
        messages.success(
            request,
            f"{opened:,} pair{pluralize(opened, ' is,s are')} open for labelling."
            " Annotators see neither gold labels nor predictions.",
        )
    if opened < chosen:
        left = chosen - opened
        messages.info(
            request,
            f"{left:,} of the chosen pairs {pluralize(left, 'was,were')} not opened: they have seats or labels under this"
            f" question already, were withdrawn, or are not in {question.corpus.name}. To label such pairs again, choose"
            " another question; pairs whose labels split can get extra labels.",
        )
