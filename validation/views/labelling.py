"""The annotator's start page, and labelling: instructions, the batch, the answer."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import annotator_required, safe_next
from accounts.actions import KeyReused, KeyUnusable
from accounts.models import Consent, LedgerEntry, User, new_token
from collection.forms import CheckForm
from collection.texts import direction_of
from validation import actions
from validation.models import Assignment, BatchItem, Question
from validation.offers import days_of, offers_for
from validation.quality import own_figures

DAYS_A_PAGE = 30
FIRST_DAY = date(2000, 1, 1)  # earlier than any work, and far from where the calendar ends
READ = "question-read"  # in the session: ids of the questions whose instructions this person has read


@dataclass(frozen=True)
class Choice:
    """One label as a button: the corpus's wording, and the keys that choose it."""

    label: str
    wording: str
    help: str
    number: int
    letter: str


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
def labelling(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """GET hands out a batch (or the one in hand); POST casts it."""
    question = _question(slug, question_slug)
    gate = _gate(request, question)
    if gate:
        return gate
    if request.method == "POST":
        return _submit(request, question)
    try:
        batch = actions.claim_batch(question=question, annotator=cast(User, request.user))
    except actions.NoWork as nothing:
        return render(request, "validation/nothing.html", {"question": question, "nothing": nothing})
    except actions.NotInPool as refusal:
        return render(
            request, "validation/nothing.html", {"question": question, "nothing": refusal}, status=403
        )
    return _batch_page(request, question, batch)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
def instructions(request: HttpRequest, slug: str, question_slug: str | None = None) -> HttpResponse:
    """What labelling asks for, with worked examples, the FAQ and a short check; read once before the first batch."""
    question = _question(slug, question_slug)
    target = safe_next(request) or address_of("labelling", question)
    choices, is_read = choices_of(question), _has_read(request, question)
    form = CheckForm(
        question.check_questions.all(),
        [(choice.label, choice.wording) for choice in choices],
        request.POST if request.method == "POST" and not is_read else None,
    )
    if request.method == "POST" and (is_read or form.is_passed()):
        request.session[READ] = sorted({*request.session.get(READ, []), question.pk})
        return redirect(target)
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
    """The labels in the corpus's order and words. A letter is a key only where it tells labels apart."""
    wordings = list(question.label_wordings.all())
    entries = [(entry.label, entry.wording, entry.help) for entry in wordings] or [
        (label, label.capitalize(), "") for label in question.labels
    ]
    initials = [label[0] for label, _, _ in entries]
    return [
        Choice(
            label,
            wording,
            text,
            number,
            label[0] if initials.count(label[0]) == 1 and label[0].isalpha() else "",
        )
        for number, (label, wording, text) in enumerate(entries, start=1)
    ]


def address_of(name: str, question: Question) -> str:
    """A page of the question: the main one is known by its corpus alone."""
    more = [] if question.is_main else [question.slug]
    return reverse(name, args=[question.corpus.slug, *more])


def _question(slug: str, question_slug: str | None) -> Question:
    questions = Question.objects.select_related("corpus__consent_form").prefetch_related("label_wordings")
    which: dict[str, Any] = {"is_main": True} if question_slug is None else {"slug": question_slug}
    return get_object_or_404(questions, corpus__slug=slug, **which)


def _gate(request: HttpRequest, question: Question) -> HttpResponse | None:
    """Consent and instructions stand before the first batch."""
    here = urlencode({"next": address_of("labelling", question)})
    form_id = question.corpus.consent_form_id
    if form_id and not Consent.objects.given_by(cast(User, request.user)).filter(form=form_id).exists():
        return redirect(f"{reverse('consent', args=[form_id])}?{here}")
    if not _has_read(request, question):
        return redirect(f"{address_of('labelling-instructions', question)}?{here}")
    return None


def _has_read(request: HttpRequest, question: Question) -> bool:
    """In this session, or, to judge by what they have in hand or did before, in an earlier one."""
    if question.pk in request.session.get(READ, []):
        return True
    return Assignment.objects.filter(question=question, annotator=cast(User, request.user)).exists()


def _batch_page(
    request: HttpRequest, question: Question, batch: actions.Batch, *, error: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "question": question,
        "choices": choices_of(question),
        "batch": batch,
        "key": new_token(),
        "skip_reasons": BatchItem.SkipReason.choices,
        "direction": direction_of(question.corpus.language),
        "confirmed": request.GET.get("confirmed", ""),
        "error": error,
        "instructions_address": address_of("labelling-instructions", question),
        "reasons": {
            name.removeprefix("reason-"): request.POST[name]
            for name in request.POST
            if name.startswith("reason-")
        },
        "chosen": {
            name.removeprefix("label-"): request.POST[name]
            for name in request.POST
            if name.startswith("label-")
        },
    }
    return render(request, "validation/labelling.html", context, status=status)


def _submit(request: HttpRequest, question: Question) -> HttpResponse:
    token = request.POST.get("assignment", "").replace("\0", "")  # none has one; PostgreSQL takes none
    try:
        result = actions.submit_batch(
            annotator=cast(User, request.user),
            token=token,
            labels=_fields(request, "label-"),
            skips=_fields(request, "skip-"),
            reasons={
                slot: text.replace("\0", "")[:2000].strip()
                for slot, text in _fields(request, "reason-").items()
            },
            active_ms={
                slot: int(ms)
                for slot, ms in _fields(request, "ms-").items()
                if ms.isdecimal() and len(ms) < 9
            },
            key=request.POST.get("key", ""),
        )
    except (actions.UnknownAssignment, actions.UnknownSlot) as error:
        raise Http404(str(error)) from None
    except (actions.WrongLabel, KeyReused, KeyUnusable) as error:
        return _again(request, question, str(error))
    messages.success(request, saved_sentence(result))
    # The next page lets the script forget what it kept of this batch: in the address, not in the session,
    # which would cost two writes a batch.
    return redirect(f"{address_of('labelling', question)}?{urlencode({'confirmed': token})}")


def _again(request: HttpRequest, question: Question, error: str) -> HttpResponse:
    """The same batch once more, with what was chosen, and what is wrong."""
    try:
        batch = actions.claim_batch(question=question, annotator=cast(User, request.user))
    except (actions.NoWork, actions.NotInPool) as nothing:
        return render(
            request, "validation/nothing.html", {"question": question, "nothing": nothing}, status=409
        )
    return _batch_page(request, question, batch, error=error, status=422)


def _fields(request: HttpRequest, prefix: str) -> dict[str, str]:
    """Posted fields of that prefix, those without an answer left out."""
    return {
        name.removeprefix(prefix): value
        for name, value in request.POST.items()
        if name.startswith(prefix) and value and isinstance(value, str)
    }


def saved_sentence(result: actions.BatchResult) -> str:
    if result.repeated:
        return "That was saved before; nothing was done twice."
    sentence = f"Yours is saved. {result.cents} cents were added." if result.cents else "Yours is saved."
    if result.surplus:
        sentence += (
            " Somebody else finished some of these first. Yours are kept, and you are paid all the same."
        )
    if result.left:
        sentence += f" {result.left} of this batch still wait for an answer."
    return sentence
