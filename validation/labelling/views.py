"""Labelling: instructions, exam, the batch, the answer."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.idempotency import KeyReused, KeyUnusable
from accounts.models import Consent, User, new_token
from accounts.pages.access import annotator_required, hands_out_work, safe_next
from accounts.people.consents import ConsentMissing
from collection.joining.exam_pages import ExamWords, exam_page
from collection.models import Exam, Exclusion
from collection.texts import direction_of
from collection.writing.forms import CheckForm
from validation.errors import NotInPool, NoWork, UnknownAssignment, UnknownSlot, WrongLabel
from validation.labelling.claiming import ENDED, Batch, Refusal, claim_batch
from validation.labelling.drafts import drafted, keep_draft
from validation.labelling.forms import answers_in
from validation.labelling.instructions import has_read, read_instructions
from validation.labelling.submitting import BatchResult, submit_and_claim, submit_batch
from validation.models import BatchItem, Question
from validation.questions.addresses import address_of
from validation.questions.choices import Choice, choices_of
from validation.questions.lookup import question_or_404

# In the session, so that no batch asks the database again: ids of the questions whose instructions were read.
READ = "question-read"
# No text that anybody wrote can hold these.
SLOT, NUMBER = "\0slot\0", "\0number\0"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
@hands_out_work
def labelling(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """GET hands out a batch (or the one in hand); POST casts it."""
    question = question_or_404(slug, question_slug)
    gate = _gate(request, question)
    if gate:
        return gate
    try:
        return _submit(request, question) if request.method == "POST" else _next(request, question)
    except ConsentMissing:
        return _ask_for_consent(request, question)


def _next(request: HttpRequest, question: Question) -> HttpResponse:
    try:
        batch = claim_batch(question=question, annotator=cast(User, request.user))
    except NoWork as nothing:
        return render(
            request, "validation/labelling/no_work.html", {"question": question, "nothing": nothing}
        )
    except NotInPool as refusal:
        context = {"question": question, "nothing": refusal, "exam": exam_address(question)}
        return render(request, "validation/labelling/no_work.html", context, status=403)
    return _batch_page(request, question, batch, confirmed=request.GET.get("confirmed", ""))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
def instructions(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """What labelling asks for, with worked examples, the FAQ and a short check; read once before the first batch."""
    question = question_or_404(slug, question_slug)
    target = safe_next(request) or address_of("labelling", question)
    choices, is_read = choices_of(question), _has_read(request, question)
    form = CheckForm(
        question.check_questions.all(),
        [(choice.label, choice.wording) for choice in choices],
        request.POST if request.method == "POST" and not is_read else None,
    )
    if request.method == "POST" and (is_read or form.is_valid()):
        wrong = (
            []
            if is_read
            else read_instructions(
                question=question, annotator=cast(User, request.user), answers=form.answers
            )
        )
        if not wrong:
            _remember_read(request, question)
            return redirect(target)
        form.explain(wrong)
    context = {
        "question": question,
        "choices": choices,
        "next": target,
        "is_read": is_read,
        "form": form,
        "direction": direction_of(question.corpus.language),
    }
    return render(
        request, "validation/labelling/instructions.html", context, status=422 if form.errors else 200
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
def labelling_exam(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    question = question_or_404(slug, question_slug)
    paper = get_object_or_404(
        Exam.objects.select_related("corpus"),
        corpus=question.corpus,
        qualification=question.qualification_id,
        slug=f"label-{question.slug}",
    )
    excluded = Exclusion.objects.of(cast(User, request.user)).filter(corpus=question.corpus)
    if excluded.exists():
        context = {"question": question, "nothing": NotInPool(ENDED)}
        return render(request, "validation/labelling/no_work.html", context, status=403)
    words = ExamWords(
        asked=question.wording or "How do these relate?",
        choices=[(choice.label, choice.wording) for choice in choices_of(question)],
        work=address_of("labelling", question),
        go="Label pairs",
        hides_premise=question.hides_premise,
    )
    return exam_page(request, paper, words)


@never_cache
@require_POST
@annotator_required
def draft(request: HttpRequest) -> HttpResponse:
    """Takes what was chosen when the page is left; nobody reads the answer."""
    try:
        keep_draft(annotator=cast(User, request.user), **answers_in(request))
    except UnknownAssignment as error:
        raise Http404(str(error)) from None
    except ConsentMissing as error:
        return HttpResponse(str(error), status=403, content_type="text/plain; charset=utf-8")
    except WrongLabel as error:
        return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


def exam_address(question: Question) -> str:
    """Where the exam is that gives the question's qualification; empty where none does."""
    exam = Exam.objects.filter(qualification=question.qualification_id, is_open=True).first()
    if exam is None or not question.pool_is_open:
        return ""
    is_own = exam.slug == f"label-{question.slug}"
    return address_of("labelling-exam", question) if is_own else reverse("exam", args=[question.corpus.slug])


def _gate(request: HttpRequest, question: Question) -> HttpResponse | None:
    """Asks for the instructions to be read before the first batch, and for consent before them."""
    if _has_read(request, question):
        _remember_read(request, question)
        return None
    if not Consent.objects.is_given(cast(User, request.user), question.corpus.consent_form_id):
        return _ask_for_consent(request, question)
    here = urlencode({"next": address_of("labelling", question)})
    return redirect(f"{address_of('labelling-instructions', question)}?{here}")


def _ask_for_consent(request: HttpRequest, question: Question) -> HttpResponse:
    """Leads to the form and back. What was chosen and not saved stays in the browser, and the batch in hand."""
    here = urlencode({"next": address_of("labelling", question)})
    page = f"{reverse('consent', args=[question.corpus.consent_form_id])}?{here}"
    return HttpResponseClientRedirect(page) if _is_swap(request) else redirect(page)


def _has_read(request: HttpRequest, question: Question) -> bool:
    """On whatever device. A session remembers a yes, and nothing else."""
    remembered = question.pk in request.session.get(READ, [])
    return remembered or has_read(question=question, annotator=cast(User, request.user))


def _remember_read(request: HttpRequest, question: Question) -> None:
    """Saves a query for each batch. Only where something is written anyway: looking at instructions writes nothing."""
    if question.pk not in request.session.get(READ, []):
        request.session[READ] = sorted({*request.session.get(READ, []), question.pk})


def _batch_page(
    request: HttpRequest,
    question: Question,
    batch: Batch,
    *,
    error: str = "",
    status: int = 200,
    confirmed: str = "",
) -> HttpResponse:
    """The page; for the script of one that is open, only what takes the place of the batch there."""
    choices, language = choices_of(question), question.corpus.language
    # Who was at it before, here or elsewhere, finds what they chose.
    chosen = request.POST.dict() if error else drafted(batch.assignment) if batch.renewed else {}
    context = {
        "question": question,
        "choices": choices,
        "batch": batch,
        "key": new_token(),
        "pairs": list(_pairs(batch.items, tuple(choices), chosen)),
        "language": format_html('lang="{}" dir="{}"', language, direction_of(language)),
        "confirmed": confirmed,
        "error": error,
        "instructions_address": address_of("labelling-instructions", question),
    }
    template = (
        "validation/labelling/_next_batch.html"
        if _is_swap(request)
        else "validation/labelling/labelling.html"
    )
    return render(request, template, context, status=status)


def _pairs(
    items: Iterable[BatchItem], choices: tuple[Choice, ...], chosen: Mapping[str, str]
) -> Iterator[tuple[BatchItem, SafeString]]:
    """Each pair with its fields for an answer; `chosen`: the fields of the form, as far as they are filled."""
    unanswered = _unanswered(choices)
    for number, item in enumerate(items, start=1):
        slot = item.seat.token
        given = {name: chosen.get(f"{name}-{slot}", "") for name in ("label", "skip", "reason", "ms")}
        fields = _answers(choices, **given) if any(given.values()) else unanswered
        yield item, mark_safe(fields.replace(SLOT, slot).replace(NUMBER, str(number)))


@lru_cache(maxsize=100)
def _unanswered(choices: tuple[Choice, ...]) -> SafeString:
    """The same for every pair of a question: rendered once, not five times a batch."""
    return _answers(choices)


def _answers(
    choices: tuple[Choice, ...], label: str = "", skip: str = "", reason: str = "", ms: str = ""
) -> SafeString:
    """The fields for an answer to one pair, with marks in the places of its slot and number."""
    context = {
        "choices": choices,
        "skip_reasons": BatchItem.SkipReason.choices,
        "chosen": label,
        "skip": skip,
        "reason": reason,
        "ms": ms,
        "slot": SLOT,
        "number": NUMBER,
    }
    return render_to_string("validation/labelling/_answers.html", context)


def _submit(request: HttpRequest, question: Question) -> HttpResponse:
    sent: dict[str, Any] = {
        "annotator": cast(User, request.user),
        "key": request.POST.get("key", ""),
        **answers_in(request),
    }
    try:
        if _is_swap(request):
            return _swapped(request, question, *submit_and_claim(**sent), sent["token"])
        result = submit_batch(**sent)
    except (UnknownAssignment, UnknownSlot) as error:
        raise Http404(str(error)) from None
    except (WrongLabel, KeyReused, KeyUnusable) as error:
        return _again(request, question, str(error))
    messages.success(request, saved_sentence(result))
    if result.finishes_visit:
        return redirect("visit")
    # The next page lets the script forget what it kept of this batch: in the address, not in the session,
    # which would cost two writes a batch.
    return redirect(f"{address_of('labelling', question)}?{urlencode({'confirmed': sent['token']})}")


def _is_swap(request: HttpRequest) -> bool:
    """Whether the open page's script asks for the next batch to be put into it: one request a batch."""
    return bool(getattr(request, "htmx", None))


def _swapped(
    request: HttpRequest,
    question: Question,
    result: BatchResult,
    then: Batch | Refusal,
    token: str,
) -> HttpResponse:
    """The next batch for a page that is open; where there is none, the page that says why."""
    messages.success(request, saved_sentence(result))
    if result.finishes_visit:
        return HttpResponseClientRedirect(reverse("visit"))
    if isinstance(then, Batch) and result.question == question:
        return _batch_page(request, question, then, confirmed=token)
    page = f"{address_of('labelling', result.question)}?{urlencode({'confirmed': token})}"
    return HttpResponseClientRedirect(page)


def _again(request: HttpRequest, question: Question, error: str) -> HttpResponse:
    """The same batch once more, with what was chosen, and what is wrong."""
    try:
        batch = claim_batch(question=question, annotator=cast(User, request.user))
    except (NoWork, NotInPool) as nothing:
        return render(
            request,
            "validation/labelling/no_work.html",
            {"question": question, "nothing": nothing},
            status=409,
        )
    return _batch_page(request, question, batch, error=error, status=422)


def saved_sentence(result: BatchResult) -> str:
    if result.repeated:
        return "That was saved before; nothing was done twice."
    if not result.answered:
        return (
            "Nothing was sent: no answer was chosen."
            if result.left
            else "Nothing of this batch waited for an answer any more, so nothing more was saved."
        )
    sentence = f"Yours is saved. {result.cents} cents were added." if result.cents else "Yours is saved."
    if result.surplus:
        sentence += (
            " Somebody else finished some of these first. Yours are kept, and you are paid all the same."
        )
    if result.left:
        sentence += f" {result.left} of this batch still wait for an answer."
    return sentence
