"""The pages of a task: writing, sending, skipping, drafts."""

from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.idempotency import KeyReused
from accounts.models import User
from accounts.pages.access import View, annotator_post, annotator_required, hands_out_work
from accounts.people.consents import ConsentMissing
from accounts.templatetags.money import you_earned
from collection import errors
from collection.joining.entry_pages import not_after_the_end
from collection.models import Corpus, WritingAssignment
from collection.texts import direction_of
from collection.writing import claiming, guidance, submitting
from collection.writing.forms import SkipForm, WritingForm, by_script, typed_texts
from collection.writing.who_may_write import texts_to_mend
from shared.bidi import isolated

UNSENT_SHOWN = 10


def unsaved_texts_shown_to_visitors(view: View) -> View:
    """Shows the typed texts to people whose session has ended, instead of the sign-in page."""

    @wraps(view)
    def shown(request: HttpRequest, **place: Any) -> HttpResponseBase:
        if request.method == "POST" and not isinstance(request.user, User):
            page = reverse("writing", args=[place["corpus"]]) if "corpus" in place else request.path
            here = urlencode({"next": page})
            why = gettext("You are signed out, so this could not be saved.")
            return _show_unsaved(
                request, why, gettext("Sign in and go on"), f"{reverse('sign-in')}?{here}", status=403
            )
        return view(request, **place)

    return shown


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@unsaved_texts_shown_to_visitors
@annotator_required
@not_after_the_end
@hands_out_work
def writing(request: HttpRequest, corpus: str) -> HttpResponse:
    """Shows the next premise and its fields; `?prompt=` chooses the kind of text. A POST submits the texts."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    if request.method == "POST":
        return _save(request, found, user)
    # What a researcher returned comes before new work.
    returned = texts_to_mend(user, timezone.now()).filter(pair__corpus=found).first()
    if returned is not None:
        return redirect("returned-text", returned.pk)
    chosen = request.GET.get("prompt", "")
    try:
        assignment = claiming.claim_writing(corpus=found, annotator=user, prompt=chosen)
    except ConsentMissing:
        return redirect(_consent_page(found))
    except errors.RemarksToRead:
        return redirect("remarks", corpus)
    except errors.NoWork as nothing:
        return _nothing(request, found, nothing)
    if chosen not in ("", assignment.prompt_version.prompt.root.slug):
        has_work, why = _why_another_kind(assignment, chosen)
        messages.info(request, why)
        chosen = chosen if has_work else ""
    if not claiming.has_passed(annotator=user, version=assignment.prompt_version):
        return redirect("prompt", corpus=corpus, version=assignment.prompt_version_id)
    return task_page(request, assignment, WritingForm(assignment), next_kind=chosen)


def _why_another_kind(assignment: WritingAssignment, chosen: str) -> tuple[bool, str]:
    """Returns whether the chosen kind has a text for this person, and why they get one of another kind now."""
    with_work = claiming.prompts_with_work(assignment.annotator, [assignment.corpus])
    found = next((each for each in with_work.get(assignment.corpus_id, []) if each.slug == chosen), None)
    if found is None:
        return False, gettext("There are no texts left of the kind you chose. Here is one of another kind.")
    return True, gettext(
        "You already have a text of the kind “%(name)s”. Send it or skip it; then you get a text of the kind “%(chosen)s”."
    ) % {"name": isolated(assignment.prompt_version.prompt.root.name), "chosen": isolated(found.name)}


def _save(request: HttpRequest, corpus: Corpus, user: User) -> HttpResponse:
    assignment = own_task(request, corpus, user)
    if assignment is None:
        return not_yours(request, corpus)
    form = WritingForm(assignment, request.POST)
    if form.only_reports:
        return _skip(request, corpus, user, assignment)
    if form.is_valid():
        try:
            result = submitting.submit_writing(
                annotator=user,
                token=assignment.token,
                texts=form.texts,
                key=form.cleaned_data["key"],
                problem=form.cleaned_data["problem"],
                signals=form.signals,
                model_helped=form.cleaned_data.get("model_helped", False),
            )
        except errors.InvalidWriting as invalid:
            form.blame(invalid.errors)
        except ConsentMissing:
            return ask_for_consent(request, corpus)
        except (errors.TaskOver, KeyReused) as over:
            sent_before = gettext(
                "You sent your sentences for this text before. Those are saved, and they count."
            )
            why = sent_before if isinstance(over, KeyReused) else str(over)
            next_one = reverse("writing", args=[corpus.slug])
            return _show_unsaved(request, why, gettext("Go on to the next one"), next_one, status=409)
        else:
            _say_saved(request, result, bool(form.cleaned_data["problem"]))
            return _go_on(request, assignment, result.finishes_visit)
    form.focus_first_error()
    return task_page(request, assignment, form, status=422)


def _say_saved(request: HttpRequest, result: submitting.WritingResult, is_reported: bool) -> None:
    if result.surplus:
        text = gettext("Saved. You are paid, although this text was no longer open for you.")
    elif result.repeated:
        text = gettext("This was saved before. Nothing is lost.")
    else:
        text = gettext("Saved.")
    said = _with_pay(text, result.cents)
    if is_reported:
        thanks = gettext("A researcher will read what you reported.")
        said = f"{said} {thanks}"
    messages.success(request, said)


def _with_pay(sentence: str, cents: int) -> str:
    if not cents:
        return sentence
    return f"{sentence} {you_earned(cents)}"


@require_POST
@unsaved_texts_shown_to_visitors
@annotator_required
def skip(request: HttpRequest, corpus: str) -> HttpResponse:
    """Releases the premise, with an optional reason, and reports a problem if one was typed. Typed texts stay readable."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    assignment = own_task(request, found, user)
    if assignment is None:
        return not_yours(request, found)
    return _skip(request, found, user, assignment)


def _skip(request: HttpRequest, corpus: Corpus, user: User, assignment: WritingAssignment) -> HttpResponse:
    form, task = SkipForm(request.POST), WritingForm(assignment, request.POST)
    if not form.is_valid():
        task.focus_first_error()
        return task_page(request, assignment, task, status=422)
    answer = form.cleaned_data
    cents = submitting.skip_writing(
        annotator=user,
        token=assignment.token,
        problem=answer["problem"],
        reason=answer["reason"],
        texts=task.raw_texts,
    )
    told = _skipped(assignment, bool(answer["problem"]), answer["reason"], cents)
    if task.has_typed and assignment.drafts.exists():
        told += " " + gettext("The sentences that you wrote for it are kept at the end of the writing page.")
    messages.info(request, told)
    return _go_on(request, assignment)


def _go_on(request: HttpRequest, done: WritingAssignment, finishes_visit: bool = False) -> HttpResponse:
    """Sends a browser, or tells its script, to the page after a saved or skipped task.

    The address names the task, and that page deletes the device's copy. In the session, a reload or a second tab could
    take the name away before that page reads it.
    """
    chosen = request.POST.get("next_kind", "")
    task = urlencode({"confirmed": done.token, **({"prompt": chosen} if chosen else {})})
    page = reverse("visit") if finishes_visit else f"{reverse('writing', args=[done.corpus.slug])}?{task}"
    return JsonResponse({"next": page}) if by_script(request) else redirect(page)


def _skipped(assignment: WritingAssignment, is_reported: bool, reason: str, cents: int) -> str:
    done = gettext("Skipped.")
    if is_reported:
        done = gettext("Skipped. Thank you: a researcher will read what you reported.")
    elif reason == WritingAssignment.SkipReason.UPSETTING:
        done = gettext("Skipped. Take a break whenever you like.")
    if assignment.pay_cents and not cents:
        unpaid = gettext("The text that you skipped is not paid.")
        return f"{done} {unpaid}"
    return _with_pay(done, cents)


def own_task(request: HttpRequest, corpus: Corpus, user: User) -> WritingAssignment | None:
    # No token has a NUL, and PostgreSQL accepts none in a query.
    token = request.POST.get("token", "").replace("\0", "")
    return WritingAssignment.objects.handed_to(user).filter(corpus=corpus, token=token).first()


def not_yours(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    why = gettext("You do not have this task. Did you begin it with another account?")
    return _show_unsaved(
        request, why, gettext("Go to one of your tasks"), reverse("writing", args=[corpus.slug]), status=404
    )


def ask_for_consent(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    why = gettext("This could not be saved: the consent text has changed, or you took your consent back.")
    return _show_unsaved(request, why, gettext("Read it and agree"), _consent_page(corpus), status=403)


def _show_unsaved(request: HttpRequest, why: str, go_on: str, address: str, *, status: int) -> HttpResponse:
    """Shows texts that could not be saved, for copying, and a link to continue."""
    context = {"why": why, "texts": typed_texts(request.POST), "go_on": go_on, "address": address}
    return render(request, "collection/writing/unsaved.html", context, status=status)


def _consent_page(corpus: Corpus) -> str:
    """Returns the address of the consent form, which redirects back to the work."""
    back = urlencode({"next": reverse("writing", args=[corpus.slug])})
    return f"{reverse('consent', args=[corpus.consent_form_id])}?{back}"


def task_page(
    request: HttpRequest,
    assignment: WritingAssignment,
    form: WritingForm,
    status: int = 200,
    changed: errors.DraftChanged | None = None,
    next_kind: str = "",
) -> HttpResponse:
    """Shows a task with its form.

    `changed`: the draft that was stored from another device. `next_kind`: the prompt that was chosen for the text after
    this one; the form sends it along.
    """
    until = assignment.seat.leased_until
    context = {
        "assignment": assignment,
        "corpus": assignment.corpus,
        "premise": assignment.seat.premise,
        "direction": direction_of(assignment.corpus.language),
        "version": assignment.prompt_version,
        "form": form,
        "changed": changed,
        "texts_there": list(changed.texts.values()) if changed else [],
        "left_today": claiming.left_today(assignment.corpus, assignment.annotator, timezone.now()),
        "is_model_away": guidance.is_away(assignment),
        "skip_reason": request.POST.get("reason", ""),
        "skip_reasons": WritingAssignment.SkipReason.choices,
        **_drafts_left(assignment.corpus, assignment.annotator),
        "confirmed": request.GET.get("confirmed", ""),
        "next_kind": request.POST.get("next_kind", next_kind),
        "seconds_left": max(int((until - timezone.now()).total_seconds()), 0) if until else 0,
    }
    return render(request, "collection/writing/writing.html", context, status=status)


def _drafts_left(corpus: Corpus, annotator: User) -> dict[str, list[WritingForm]]:
    """Returns forms of this person's ended tasks with drafts: `unsent`, which can be submitted, and `skipped`."""
    found: dict[str, list[WritingForm]] = {"unsent": [], "skipped": []}
    ended = WritingAssignment.objects.handed_to(annotator).filter(corpus=corpus).with_drafts_left()
    for each in ended[:UNSENT_SHOWN]:
        each.corpus = corpus  # its answers' words are read once
        found["unsent" if each.may_be_sent else "skipped"].append(WritingForm(each))
    return found


def _nothing(request: HttpRequest, corpus: Corpus, nothing: errors.NoWork) -> HttpResponse:
    context = {
        "corpus": corpus,
        "direction": direction_of(corpus.language),
        "nothing": nothing,
        **_drafts_left(corpus, cast(User, request.user)),
        "confirmed": request.GET.get("confirmed", ""),
    }
    return render(request, "collection/writing/nothing.html", context)


@require_POST
@unsaved_texts_shown_to_visitors
@annotator_required
def draft(request: HttpRequest, corpus: str) -> HttpResponse:
    """Stores a draft. Returns advice as JSON to a script, and the task to a browser without scripts."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    assignment = own_task(request, found, user)
    if assignment is None:
        return not_yours(request, found)
    texts = WritingForm(assignment, request.POST).raw_texts
    try:
        saved = submitting.save_draft(
            annotator=user, token=assignment.token, texts=texts, base=request.POST.get("base")
        )
    except ConsentMissing:
        return ask_for_consent(request, found)
    except errors.DraftChanged as changed:
        if by_script(request):
            found_there = {"texts": changed.texts, "version": changed.version}
            return JsonResponse({"error": str(changed), **found_there}, status=409)
        form = WritingForm(assignment, request.POST)
        form.start_from(changed.version)
        return task_page(request, assignment, form, status=409, changed=changed)
    typed = {label: text for label, text in texts.items() if label in assignment.labels}
    told = submitting.look_at(assignment, typed, saved.new if saved else ())
    if by_script(request):
        return JsonResponse(
            {
                "saved_at": saved.saved_at.isoformat() if saved else None,
                "version": saved.version if saved else "",
                "advice": told.advice,
                "answers": told.answers,
            }
        )
    if saved:
        messages.success(
            request, gettext("Your draft is saved. You can go on with it here or on another device.")
        )
    for each in told.advice.values():
        messages.info(request, each)
    return redirect("writing", corpus=corpus)


@annotator_post
def discard_draft(request: HttpRequest, corpus: str) -> HttpResponse:
    """Deletes the draft of an expired task."""
    user = cast(User, request.user)
    found = get_object_or_404(Corpus, slug=corpus)
    assignment = own_task(request, found, user)
    if assignment is None:
        return not_yours(request, found)
    submitting.discard_draft(annotator=user, token=assignment.token)
    messages.info(request, gettext("The draft is deleted."))
    return redirect("writing", corpus=corpus)
