"""The annotator's start page, and labelling: instructions, the batch, the answer."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.idempotency import KeyReused, KeyUnusable
from accounts.models import Consent, User, new_token
from accounts.pages.access import annotator_required, hands_out_work, safe_next
from accounts.people.consents import ConsentMissing
from collection.models import Exam, LedgerEntry
from collection.templatetags.labels import label_mark
from collection.texts import direction_of
from collection.writing.forms import CheckForm
from validation import actions
from validation.models import BatchItem, Question
from validation.offers import address_of, days_of, offers_for
from validation.quality import own_figures
from validation.seats import question_of, wordings_of
from validation.views.answers import answers_in, drafted

DAYS_A_PAGE = 30
FIRST_DAY = date(2000, 1, 1)  # earlier than any work, and far from where the calendar ends
# In the session, so that no batch asks the database again: ids of the questions whose instructions were read.
READ = "question-read"


@dataclass(frozen=True)
class Choice:
    """One label as a button: the corpus's wording, and the keys that choose it."""

    label: str
    wording: str
    help: str
    number: int
    letter: str

    @cached_property
    def mark(self) -> SafeString:
        return label_mark(self.label, self.wording)

    @cached_property
    def button(self) -> SafeString:
        """Its radio button from the value on: made once, and shown with every pair of the batch."""
        keys = (str(self.number), self.letter.upper()) if self.letter else (str(self.number),)
        return format_html(
            ' value="{}" data-number="{}" data-letter="{}"> {}<span class="keys" aria-hidden="true">{}</span>',
            self.label,
            self.number,
            self.letter,
            self.mark,
            format_html_join(" ", "<kbd>{}</kbd>", ((key,) for key in keys)),
        )


# No text that anybody wrote can hold these.
SLOT, NUMBER = "\0slot\0", "\0number\0"


@never_cache
@require_safe
@annotator_required
def start(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    context = {
        "offers": offers_for(user),
        "earned": LedgerEntry.objects.filter(user=user).total_cents(),
    }
    return render(request, "validation/start.html", context)


@never_cache
@require_safe
@annotator_required
def my_work(request: HttpRequest) -> HttpResponse:
    """What I wrote and labelled, a row a day, thirty days a page, and how my labels do."""
    today = timezone.now().date()
    try:
        until = max(min(date.fromisoformat(request.GET.get("until", "")), today), FIRST_DAY)
    except ValueError:
        until = today
    context = {
        "days": days_of(cast(User, request.user), until=until, days=DAYS_A_PAGE),
        "since": until - timedelta(days=DAYS_A_PAGE - 1),
        "earlier": until - timedelta(days=DAYS_A_PAGE),
        "until": until,
        "is_newest": until == today,
        "own": own_figures(cast(User, request.user)) if until == today else [],
    }
    return render(request, "validation/my_work.html", context)


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
        batch = actions.claim_batch(question=question, annotator=cast(User, request.user))
    except actions.NoWork as nothing:
        return render(request, "validation/nothing.html", {"question": question, "nothing": nothing})
    except actions.NotInPool as refusal:
        context = {"question": question, "nothing": refusal, "exam": exam_address(question)}
        return render(request, "validation/nothing.html", context, status=403)
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
            else actions.read_instructions(
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
    return render(request, "validation/instructions.html", context, status=422 if form.errors else 200)


def choices_of(question: Question) -> list[Choice]:
    """The labels in the corpus's order and words. A label that is a digit has that digit for its key."""
    entries = wordings_of(question) or [(label, label.capitalize(), "") for label in question.labels]
    letters = _letters({label: wording for label, wording, _ in entries})
    return [
        Choice(label, wording, text, int(label) if label.isdecimal() else place, letters.get(label, ""))
        for place, (label, wording, text) in enumerate(entries, start=1)
    ]


def _letters(wordings: dict[str, str]) -> dict[str, str]:
    """Label -> the letter that is its key: for all labels of a question or for none.

    None where a letter would not tell the labels apart, or where it begins another answer of one word: where
    the answers are Yes, Unknown and No, whoever presses N does not mean neutral.
    """
    letters = {label: label[0] for label in wordings if label[0].isalpha()}
    misleads = any(
        letters.get(label) == wording[:1].lower()
        for label in wordings
        for other, wording in wordings.items()
        if other != label and " " not in wording
    )
    return {} if misleads or len(set(letters.values())) < len(wordings) else letters


def exam_address(question: Question) -> str:
    """Where the exam is that gives the question's qualification; empty where none does."""
    exam = Exam.objects.filter(qualification=question.qualification_id, is_open=True).first()
    if exam is None or not question.pool_is_open:
        return ""
    is_own = exam.slug == f"label-{question.slug}"
    return address_of("labelling-exam", question) if is_own else reverse("exam", args=[question.corpus.slug])


def question_or_404(slug: str, question_slug: str | None) -> Question:
    question = question_of(slug, question_slug)
    if question is None:
        raise Http404("There is no such question.")
    return question


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
    return remembered or actions.has_read(question=question, annotator=cast(User, request.user))


def _remember_read(request: HttpRequest, question: Question) -> None:
    """Saves a query for each batch. Only where something is written anyway: looking at instructions writes nothing."""
    if question.pk not in request.session.get(READ, []):
        request.session[READ] = sorted({*request.session.get(READ, []), question.pk})


def _batch_page(
    request: HttpRequest,
    question: Question,
    batch: actions.Batch,
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
    template = "validation/_next_batch.html" if _is_swap(request) else "validation/labelling.html"
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
    return render_to_string("validation/_answers.html", context)


def _submit(request: HttpRequest, question: Question) -> HttpResponse:
    sent: dict[str, Any] = {
        "annotator": cast(User, request.user),
        "key": request.POST.get("key", ""),
        **answers_in(request),
    }
    try:
        if _is_swap(request):
            return _swapped(request, question, *actions.submit_and_claim(**sent), sent["token"])
        result = actions.submit_batch(**sent)
    except (actions.UnknownAssignment, actions.UnknownSlot) as error:
        raise Http404(str(error)) from None
    except (actions.WrongLabel, KeyReused, KeyUnusable) as error:
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
    result: actions.BatchResult,
    then: actions.Batch | actions.Refusal,
    token: str,
) -> HttpResponse:
    """The next batch for a page that is open; where there is none, the page that says why."""
    messages.success(request, saved_sentence(result))
    if result.finishes_visit:
        return HttpResponseClientRedirect(reverse("visit"))
    if isinstance(then, actions.Batch) and result.question == question:
        return _batch_page(request, question, then, confirmed=token)
    page = f"{address_of('labelling', result.question)}?{urlencode({'confirmed': token})}"
    return HttpResponseClientRedirect(page)


def _again(request: HttpRequest, question: Question, error: str) -> HttpResponse:
    """The same batch once more, with what was chosen, and what is wrong."""
    try:
        batch = actions.claim_batch(question=question, annotator=cast(User, request.user))
    except (actions.NoWork, actions.NotInPool) as nothing:
        return render(
            request, "validation/nothing.html", {"question": question, "nothing": nothing}, status=409
        )
    return _batch_page(request, question, batch, error=error, status=422)


def saved_sentence(result: actions.BatchResult) -> str:
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
