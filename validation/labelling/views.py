"""Annotators' pages for labelling: instructions, exam, the batch."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.idempotency import KeyReused, KeyUnusable
from accounts.models import Consent, User, new_token
from accounts.pages.access import annotator_form, annotator_required, hands_out_work, safe_next
from accounts.people.consents import ConsentMissing
from accounts.templatetags.money import you_earned
from collection.joining.entry_pages import not_after_the_end
from collection.joining.exam_pages import ExamWords, exam_page
from collection.models import Exam
from collection.texts import direction_of
from collection.writing.forms import CheckForm, by_script
from validation.annotators.membership import ENDED, WayIn, has_ended, open_exam, way_in
from validation.errors import CannotCorrect, NotInPool, NoWork, UnknownAssignment, UnknownSlot, WrongLabel
from validation.labelling.claiming import Batch, Refusal, claim_batch
from validation.labelling.correcting import SentAnswer, correct_batch, sent_answers
from validation.labelling.drafts import drafted, keep_draft
from validation.labelling.instructions import has_read, pays_for_reading, read_instructions
from validation.labelling.submitting import BatchResult, submit_and_claim, submit_batch
from validation.models import Assignment, BatchItem, Label, Question
from validation.quality_control.control_items import bonus_of
from validation.questions.addresses import address_in, address_of
from validation.questions.choices import Choice, choices_of
from validation.questions.lookup import question_or_404

MOST_REASON = 2000  # characters


def answers_in(request: HttpRequest) -> dict[str, Any]:
    """Returns the form's batch and answers as arguments of `submit_batch` and `keep_draft`, which check them."""
    posted = request.POST
    return {
        # PostgreSQL does not store NUL characters.
        "token": posted.get("assignment", "").replace("\0", ""),
        "labels": _fields(posted, "label-"),
        "skips": _fields(posted, "skip-"),
        "reasons": {
            slot: text.replace("\0", "")[:MOST_REASON].strip()
            for slot, text in _fields(posted, "reason-").items()
        },
        "active_ms": {
            slot: int(ms) for slot, ms in _fields(posted, "ms-").items() if ms.isdecimal() and len(ms) < 9
        },
    }


def _fields(posted: QueryDict, prefix: str) -> dict[str, str]:
    """Returns the posted fields with this prefix, except empty ones."""
    return {
        name.removeprefix(prefix): value
        for name, value in posted.items()
        if name.startswith(prefix) and value and isinstance(value, str)
    }


# Session key: ids of the questions whose instructions were read, which saves a query for each batch.
READ = "question-read"
# Placeholders in the cached HTML of an item (decision 31). NUL characters cannot occur in texts.
SLOT, NUMBER, PREMISE, HYPOTHESIS, ANSWERS = (
    f"\0{name}\0" for name in ("slot", "number", "premise", "hypothesis", "answers")
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
@not_after_the_end
@hands_out_work
def labelling(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """GET claims a batch, or shows the open one; POST submits it."""
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
        return _refused(request, question, refusal.why, exam=exam_address(question, open_exam(question)))
    return batch_page(request, question, batch, confirmed=request.GET.get("confirmed", ""))


@annotator_form
def instructions(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """Shows instructions, worked examples, FAQ and the check, which annotators pass before their first batch.

    A POST by a script requests which of the given answers are wrong.
    """
    question = question_or_404(slug, question_slug)
    target = safe_next(request) or address_of("labelling", question)
    is_read = _has_read(request, question)
    way = WayIn() if is_read else way_in(question, cast(User, request.user))
    if way.refusal:
        return _refused(request, question, way.refusal)
    form = check_form(question, request.POST if request.method == "POST" and not is_read else None)
    if request.method == "POST" and by_script(request):
        return JsonResponse({"wrong": form.verdicts()})
    if request.method == "POST" and (is_read or form.is_valid()):
        wrong = (
            []
            if is_read
            else read_instructions(
                question=question,
                annotator=cast(User, request.user),
                answers=form.answers,
                tries_before=form.tries_before,
            )
        )
        if not wrong:
            _remember_read(request, question)
            return redirect(target)
        form.explain(wrong)
    exam = exam_address(question, way.exam)
    pays = not is_read and pays_for_reading(question=question, annotator=cast(User, request.user))
    return instructions_page(request, question, form, next=target, is_read=is_read, exam=exam, pays=pays)


def instructions_page(
    request: HttpRequest, question: Question, form: CheckForm, **more: str | bool
) -> HttpResponse:
    """Renders the page.

    `more`: `next`, where it leads; `is_read`; `pays`, for reading; `exam`, the address of one that must be passed first.
    """
    form.focus_first_error()
    context = {
        "question": question,
        "choices": choices_of(question),
        "form": form,
        "direction": direction_of(question.corpus.language),
        "bonus_cents": bonus_of(question),
        **more,
    }
    return render(
        request, "validation/labelling/instructions.html", context, status=422 if form.errors else 200
    )


def check_form(question: Question, sent: QueryDict | None = None) -> CheckForm:
    """Returns the check after the instructions, filled with what was sent."""
    answers = [(choice.label, choice.wording) for choice in choices_of(question)]
    return CheckForm(question.check_questions.all(), answers, sent, say=question.corpus.say)


def exam_words(question: Question) -> ExamWords:
    return ExamWords(
        asked=question.corpus.say(question.asked),
        choices=[(choice.label, choice.wording, choice.help) for choice in choices_of(question)],
        work=address_of("labelling", question),
        go=gettext("Judge sentences"),
        hides_premise=question.hides_premise,
    )


@annotator_form
def labelling_exam(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    question = question_or_404(slug, question_slug)
    paper = get_object_or_404(
        Exam.objects.select_related("corpus"),
        corpus=question.corpus,
        qualification=question.qualification_id,
        slug=f"label-{question.slug}",
    )
    if has_ended(question, cast(User, request.user)):
        return _refused(request, question, str(ENDED))
    return exam_page(request, paper, exam_words(question))


def _refused(request: HttpRequest, question: Question, why: str, **more: str) -> HttpResponse:
    context = {"question": question, "nothing": NotInPool(why), **more}
    return render(request, "validation/labelling/no_work.html", context, status=403)


@never_cache
@require_POST
@annotator_required
def draft(request: HttpRequest) -> HttpResponse:
    """Stores the chosen answers when an annotator leaves the page; the browser ignores the response."""
    try:
        keep_draft(annotator=cast(User, request.user), **answers_in(request))
    except UnknownAssignment as error:
        raise Http404(str(error)) from None
    except ConsentMissing as error:
        return HttpResponse(str(error), status=403, content_type="text/plain; charset=utf-8")
    except WrongLabel as error:
        return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


@annotator_form
def correct(request: HttpRequest, token: str) -> HttpResponse:
    """Shows what an annotator answered in a batch that they sent; a POST changes it."""
    annotator = cast(User, request.user)
    batch = get_object_or_404(
        Assignment.objects.select_related("question__corpus", "annotator"), annotator=annotator, token=token
    )
    question, error, chosen = batch.question, "", {}
    if request.method == "POST":
        sent = answers_in(request)
        try:
            # A comment that somebody emptied is sent as an empty field.
            reasons = {slot: sent["reasons"].get(slot, "") for slot in sent["labels"]}
            changed = correct_batch(annotator=annotator, token=token, labels=sent["labels"], reasons=reasons)
        except ConsentMissing:
            return _ask_for_consent(request, question)
        except UnknownSlot as unknown:
            raise Http404(str(unknown)) from None
        except (WrongLabel, CannotCorrect) as refusal:
            unchanged = gettext("Nothing was changed.")
            error, chosen = f"{refusal} {unchanged}", request.POST.dict()
        else:
            messages.success(request, _corrected_sentence(changed))
            return redirect("my-work")
    choices, language = tuple(choices_of(question)), question.corpus.language
    answers = sent_answers(batch, timezone.now()).values()
    context = {
        "question": question,
        "pairs": list(_sent_pairs(answers, choices, chosen)),
        "can_change": any(not answer.closed for answer in answers),
        "minutes": question.correct_minutes,
        "language": _language(language),
        "hides_premise": question.hides_premise,
        "direction": direction_of(language),
        "error": error,
    }
    return render(request, "validation/labelling/correct.html", context, status=422 if error else 200)


def _sent_pairs(
    answers: Iterable[SentAnswer], choices: tuple[Choice, ...], chosen: Mapping[str, str]
) -> Iterator[tuple[SentAnswer, SafeString, str]]:
    """Yields each answer, its premise as HTML, and the HTML of its fields, or the words of its label if that is final.

    `chosen`: the filled fields of the form.
    """
    words = {choice.label: choice.wording for choice in choices}
    for number, answer in enumerate(answers, start=1):
        fields = words.get(answer.label, answer.label)
        if not answer.closed:
            label = chosen.get(f"label-{answer.slot}", answer.label)
            reason = chosen.get(f"reason-{answer.slot}", answer.row.reason)
            given = _answers(choices, label=label, reason=reason, may_skip=False)
            fields = _filled(given, {SLOT: answer.slot, NUMBER: str(number)})
        yield answer, _premise(answer.item.seat), fields


def _corrected_sentence(changed: int) -> str:
    if not changed:
        return gettext("Your answers stay as they were.")
    sentence = ngettext("%(count)s answer is changed.", "%(count)s answers are changed.", changed)
    return sentence % {"count": changed} + " " + gettext("Your pay stays the same.")


def exam_address(question: Question, exam: Exam | None) -> str:
    """Returns the address of the exam that grants the question's qualification; empty without one."""
    if exam is None:
        return ""
    is_own = exam.slug == f"label-{question.slug}"
    return address_of("labelling-exam", question) if is_own else reverse("exam", args=[question.corpus.slug])


def _gate(request: HttpRequest, question: Question) -> HttpResponse | None:
    """Redirects to the consent form and the instructions before the first batch; returns None after these."""
    if _has_read(request, question):
        _remember_read(request, question)
        return None
    way = way_in(question, cast(User, request.user))
    if way.refusal:
        return _refused(request, question, way.refusal)
    if not Consent.objects.is_given(cast(User, request.user), question.corpus.consent_form_id):
        return _ask_for_consent(request, question)
    here = urlencode({"next": address_of("labelling", question)})
    return redirect(f"{address_of('labelling-instructions', question)}?{here}")


def _ask_for_consent(request: HttpRequest, question: Question) -> HttpResponse:
    """Redirects to the consent form, and from there back. Chosen answers stay in the browser, and the batch stays open."""
    here = urlencode({"next": address_of("labelling", question)})
    page = f"{reverse('consent', args=[question.corpus.consent_form_id])}?{here}"
    return HttpResponseClientRedirect(page) if _is_swap(request) else redirect(page)


def _has_read(request: HttpRequest, question: Question) -> bool:
    """Returns whether the annotator has read the instructions, on any device. The session caches only True."""
    remembered = question.pk in request.session.get(READ, [])
    return remembered or has_read(question=question, annotator=cast(User, request.user))


def _remember_read(request: HttpRequest, question: Question) -> None:
    """Records in the session that the instructions were read. Only requests that may write call it."""
    if question.pk not in request.session.get(READ, []):
        request.session[READ] = sorted({*request.session.get(READ, []), question.pk})


def batch_page(
    request: HttpRequest,
    question: Question,
    batch: Batch,
    *,
    error: str = "",
    status: int = 200,
    confirmed: str = "",
) -> HttpResponse:
    """Renders the whole page, or for htmx only the part with the batch."""
    choices, language = tuple(choices_of(question)), question.corpus.language
    # After an error or with a draft, the page shows the answers that were chosen.
    chosen = request.POST.dict() if error else drafted(batch.assignment) if batch.renewed else {}
    frame = _frame(len(batch.items), language, question.hides_premise, get_language() or "")
    context = {
        "question": question,
        "choices": choices,
        "batch": batch,
        "key": new_token(),
        "pairs": list(_pairs(batch.items, frame, choices, chosen)),
        "confirmed": confirmed,
        "error": error,
        "instructions_address": address_in("preview-instructions", question)
        if getattr(request, "preview_of", "")
        else address_of("labelling-instructions", question),
    }
    template = (
        "validation/labelling/_next_batch.html"
        if _is_swap(request)
        else "validation/labelling/labelling.html"
    )
    return render(request, template, context, status=status)


def _pairs(
    items: Iterable[BatchItem], frame: str, choices: tuple[Choice, ...], chosen: Mapping[str, str]
) -> Iterator[SafeString]:
    """Yields the HTML of each item. `chosen`: the filled fields of the form."""
    unanswered = _unanswered(choices, get_language() or "")
    for number, item in enumerate(items, start=1):
        slot, pair = item.seat.token, item.seat.pair
        given: dict[str, Any] = {
            name: chosen.get(f"{name}-{slot}", "") for name in ("label", "skip", "reason", "ms")
        }
        values = {
            ANSWERS: _answers(choices, **given) if any(given.values()) else unanswered,
            SLOT: slot,
            NUMBER: str(number),
            HYPOTHESIS: escape(pair.hypothesis),
            PREMISE: _premise(item.seat),
        }
        yield _filled(frame, values)


def _filled(html: str, values: Mapping[str, str]) -> SafeString:
    for placeholder, value in values.items():
        html = html.replace(placeholder, value)
    return mark_safe(html)


def _premise(seat: Label) -> SafeString:
    """Returns the premise as HTML: a list of its sentences, if it has several."""
    premise = seat.pair.premise
    if premise.sentence_count > 1:
        sentences = format_html_join("", "<li>{}</li>", ((sentence,) for sentence in premise.sentences))
        return format_html("<ol>{}</ol>", sentences)
    return format_html("<p>{}</p>", premise.text)


@lru_cache(maxsize=100)
def _frame(total: int, language: str, hides_premise: bool, readers_language: str) -> str:
    """Renders an item of a batch of `total` items once, with placeholders for all that differs between its items.

    `language` is that of the texts. Rendering each item took a third of the function calls of a batch.
    """
    context = {
        "total": total,
        "slot": SLOT,
        "number": NUMBER,
        "answers": mark_safe(ANSWERS),
        "premise": mark_safe(PREMISE),
        "hypothesis": mark_safe(HYPOTHESIS),
        "hides_premise": hides_premise,
        "language": _language(language),
        "direction": direction_of(language),
    }
    return render_to_string("validation/labelling/_pair.html", context)


def _language(language: str) -> SafeString:
    """Returns the HTML attributes of texts in this language."""
    return format_html('lang="{}" dir="{}"', language, direction_of(language))


@lru_cache(maxsize=100)
def _unanswered(choices: tuple[Choice, ...], language: str) -> SafeString:
    """Renders the empty answer fields once for all items of a question, in each language of the interface."""
    return _answers(choices)


def _answers(
    choices: tuple[Choice, ...],
    label: str = "",
    skip: str = "",
    reason: str = "",
    ms: str = "",
    may_skip: bool = True,
) -> SafeString:
    """Renders the answer fields of an item, with placeholders for its slot and number."""
    context = {
        "choices": choices,
        "skip_reasons": BatchItem.SkipReason.choices if may_skip else [],
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
    # `confirmed` tells the script of the next page to delete its copy of this batch. In the session it would cost two
    # writes per batch.
    return redirect(f"{address_of('labelling', question)}?{urlencode({'confirmed': sent['token']})}")


def _is_swap(request: HttpRequest) -> bool:
    """Returns whether htmx makes the request; the response then replaces the batch on the open page."""
    return bool(getattr(request, "htmx", None))


def _swapped(
    request: HttpRequest,
    question: Question,
    result: BatchResult,
    then: Batch | Refusal,
    token: str,
) -> HttpResponse:
    """Returns the next batch for the open page; if there is none, redirects to the page that says why."""
    messages.success(request, saved_sentence(result))
    if result.finishes_visit:
        return HttpResponseClientRedirect(reverse("visit"))
    if isinstance(then, Batch) and result.question == question:
        return batch_page(request, question, then, confirmed=token)
    page = f"{address_of('labelling', result.question)}?{urlencode({'confirmed': token})}"
    return HttpResponseClientRedirect(page)


def _again(request: HttpRequest, question: Question, error: str) -> HttpResponse:
    """Shows the batch again, with the chosen answers and the error."""
    try:
        batch = claim_batch(question=question, annotator=cast(User, request.user))
    except (NoWork, NotInPool) as nothing:
        return render(
            request,
            "validation/labelling/no_work.html",
            {"question": question, "nothing": nothing},
            status=409,
        )
    return batch_page(request, question, batch, error=error, status=422)


def saved_sentence(result: BatchResult) -> str:
    if result.repeated:
        return gettext("These answers were saved before. Nothing was saved or paid twice.")
    if not result.answered:
        return (
            gettext("Nothing was saved, because you chose no answer.")
            if result.left
            else gettext("All sentences had answers already, so nothing more was saved.")
        )
    sentence = gettext("Your answers are saved.")
    if result.cents:
        sentence += " " + you_earned(result.cents)
    if result.surplus:
        sentence += " " + gettext(
            "You are paid, although somebody else judged some of these sentences first."
        )
    if result.left:
        still = ngettext(
            "%(count)s sentence still needs an answer.",
            "%(count)s sentences still need an answer.",
            result.left,
        )
        sentence += " " + still % {"count": result.left}
    return sentence
