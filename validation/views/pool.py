"""Researchers: the pool and each person in it, pairs to adjudicate, control items."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import researcher_required
from collection.models import Corpus, Exclusion, Pair
from collection.texts import direction_of
from validation import actions
from validation.annotator_table import COLUMNS, columns_of, shown_figure, spread_of
from validation.measuring import shown_annotators, waiting_for_decision
from validation.models import Adjudication, Question
from validation.pairs import newest_labels, pair_to_decide
from validation.quality import MEANINGS, RULES
from validation.queues import (
    CONTROLS_BEFORE_A_FLAG,
    calibration_items,
    control_items,
    exclusions_of,
    imported_labels,
    imported_people,
    judgements,
    known_as,
    pool_of,
)
from validation.seats import words_of
from validation.views.asked import address_in, asked_question, number_in, text_in
from validation.views.labelling import choices_of

MEMBERS_SHOWN = 500
# What a button does, and what is said then.
PAUSING = {
    "pause": (actions.pause, "{code} is handed out nothing more until you let them go on."),
    "resume": (actions.resume, "{code} may go on labelling."),
}
LABELS_SHOWN = 30
GOLD_SHOWN = 30
DECIDED_SHOWN = 10
PASSED_OVER = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody who labels this corpus; POST invites somebody."""
    question = asked_question(request, slug)
    error, name = "", text_in(request, "name").strip()
    if request.method == "POST":
        annotator = known_as(name)
        try:
            if annotator is not None:
                actions.invite(question=question, annotator=annotator)
                messages.success(request, f"{annotator.code} may label {question.corpus.name}.")
                return redirect(address_in("pool", question))
            error = f"Nobody who annotates has the code “{name}”. Please check its spelling."
        except actions.NotInPool as refusal:
            error = str(refusal)
    context = {
        "question": question,
        "members": pool_of(question)[:MEMBERS_SHOWN],
        "imported": imported_people(question),
        "before_a_flag": CONTROLS_BEFORE_A_FLAG,
        "error": error,
        "name": name,
    }
    return render(request, "validation/pool.html", context, status=422 if error else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def member(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One person: their record, pausing them, and excluding them (or undoing it) after a look at what that does."""
    question = asked_question(request, slug)
    annotator = get_object_or_404(User, code=code)
    standing = Exclusion.objects.of(annotator).filter(corpus=question.corpus).first()
    by, error = cast(User, request.user), ""
    retract = request.POST.get("retract") == "yes"
    if request.method == "POST" and request.POST.get("do") in PAUSING:
        turn, said = PAUSING[request.POST["do"]]
        if turn(question=question, annotator=annotator):
            messages.success(request, said.format(code=code))
        return redirect(address_in("pool-member", question, code))
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            if standing is None:
                reason = text_in(request, "reason")
                done = actions.exclude(
                    corpus=question.corpus, annotator=annotator, by=by, reason=reason, retract_pairs=retract
                )
                messages.success(request, f"{code} is excluded; {done.labels:,} labels were withdrawn.")
            else:
                back = actions.undo_exclusion(exclusion=standing, by=by)
                messages.success(request, f"{code} may label again; {back.labels:,} labels are back.")
            return redirect(address_in("pool-member", question, code))
        except actions.ValidationError as refusal:
            error = str(refusal)
    context: dict[str, Any] = {
        "question": question,
        "annotator": annotator,
        "member": pool_of(question).filter(annotator=annotator).first(),
        "imported": imported_labels(question).filter(annotator=annotator).count(),
        "exclusions": exclusions_of(question.corpus, annotator),
        "standing": standing,
        "reason": request.POST.get("reason", ""),
        "retract": retract,
        "error": error,
        "wrote": Pair.objects.standing().filter(corpus=question.corpus, author=annotator).count(),
        "newest": newest_labels(annotator, question, LABELS_SHOWN),
        **_record(question, code),
        **_preview(question.corpus, annotator, standing, retract),
    }
    return render(request, "validation/pool_member.html", context, status=422 if error else 200)


def _record(question: Question, code: str) -> dict[str, Any]:
    """Somebody's figures beside everybody's: `figures` (name, meaning, value, quarters) and `flags` (name, rule).

    `counted`: whether the figures are there; `kept`: the row of those that a worker counts.
    """
    found, row = shown_annotators(question)
    one = next((each for each in found or () if each.code == code), None)
    if one is None:
        return {"kept": row, "counted": found is not None}
    spread = [figures for _, figures in spread_of(found or (), question.labels)]
    figures = [
        (
            COLUMNS.get(name, name),
            MEANINGS[name.partition(":")[0].replace("share", "shares")],
            shown_figure(name, value),
            [shown_figure(name, quarter[name]) for quarter in spread],
        )
        for name, value in columns_of(one, question.labels).items()
    ]
    flags = [(flag, RULES[flag]) for flag in one.flags]
    return {"kept": row, "counted": True, "figures": figures, "flags": flags, "has_spread": bool(spread)}


def _preview(corpus: Corpus, annotator: User, standing: Exclusion | None, retract: bool) -> dict[str, Any]:
    if standing is not None:
        return {"back": actions.preview_undoing(exclusion=standing)}
    seen = actions.preview_exclusion(corpus=corpus, annotator=annotator, retract_pairs=retract)
    return {"seen": seen, "gold": list(seen.gold.items())[:GOLD_SHOWN], "gold_shown": GOLD_SHOWN}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """The next pair that the votes leave open: who said what, and a decision with a reason."""
    question = asked_question(request, slug)
    error = ""
    if request.method == "POST" and "take_back" in request.POST:
        return _take_back(request, question)
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=text_in(request, "pair"))
        try:
            decision = actions.adjudicate(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                reason=text_in(request, "reason"),
                by=cast(User, request.user),
            )
            messages.success(request, f"Decided: {decision.label}. It is marked as adjudicated everywhere.")
            return redirect(address_in("adjudication", question))
        except actions.AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(address_in("adjudication", question))
        except actions.ValidationError as refusal:
            error = str(refusal)
    # After an error the same pair comes again, where it still waits.
    before = pair.pk - 1 if error else number_in(request, "after", 0, 2**62)
    shown, further = pair_to_decide(question, after=before)
    decided = Adjudication.objects.filter(question=question, withdrawn_at=None)
    decided = decided.select_related("pair", "by").order_by("-pk")
    context = {
        "question": question,
        "waiting": waiting_for_decision(question),
        "pair": shown,
        "further": further,
        "judgements": judgements(shown, question) if shown else [],
        "choices": choices_of(question),
        "words": words_of(question),
        "decided": decided[:DECIDED_SHOWN],
        "direction": direction_of(question.corpus.language),
        "error": error,
        "posted": request.POST,
    }
    return render(request, "validation/adjudication.html", context, status=422 if error else 200)


def _take_back(request: HttpRequest, question: Question) -> HttpResponse:
    decision = get_object_or_404(
        Adjudication, question=question, pair__public_id=text_in(request, "take_back"), withdrawn_at=None
    )
    try:
        actions.take_back(
            adjudication=decision, reason=text_in(request, "because"), by=cast(User, request.user)
        )
        messages.success(request, "The decision is taken back; it stays in the history of the pair.")
    except actions.ValidationError as refusal:
        messages.error(request, str(refusal))
    return redirect(address_in("adjudication", question))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def controls(request: HttpRequest, slug: str) -> HttpResponse:
    """An expert labels a share of the open pairs, one after the other, without seeing what others said."""
    question = asked_question(request, slug)
    percent, seed = number_in(request, "percent", 1, 100), number_in(request, "seed", 0, 2**31 - 1)
    error = ""
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=text_in(request, "pair"))
        try:
            actions.label_as_expert(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                by=cast(User, request.user),
                reason=text_in(request, "reason"),
            )
            return redirect(address_in("controls", question, percent=percent, seed=seed))
        except actions.AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(address_in("controls", question, percent=percent, seed=seed))
        except actions.ValidationError as refusal:
            error = str(refusal)
    left, drawn = control_items(question, share=percent / 100, seed=seed)
    # A pair that was withdrawn since the draw is passed over.
    standing = Pair.objects.standing().select_related("premise").in_bulk(left[:PASSED_OVER])
    context = {
        "question": question,
        "percent": percent,
        "seed": seed,
        "left": len(left),
        "drawn": drawn,
        "pair": next((standing[key] for key in left[:PASSED_OVER] if key in standing), None),
        "choices": choices_of(question),
        "direction": direction_of(question.corpus.language),
        "error": error,
    }
    return render(request, "validation/controls.html", context, status=422 if error else 200)


@never_cache
@require_safe
@researcher_required
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """The calibration items of a question, and how people answered each of them."""
    question = asked_question(request, slug)
    context = {"question": question, "items": calibration_items(question)}
    return render(request, "validation/calibration.html", context)
