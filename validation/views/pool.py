"""Researchers: the pool and each person in it, pairs to adjudicate, control items."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import researcher_required
from accounts.models import User
from collection.models import Corpus, Pair
from collection.texts import direction_of
from validation import actions
from validation.gold import adjudication_queue, split_pairs
from validation.models import Adjudication, Exclusion, Question
from validation.queues import (
    CONTROLS_BEFORE_A_FLAG,
    control_items,
    exclusions_of,
    judgements,
    known_as,
    pool_of,
)
from validation.views.labelling import choices_of

MEMBERS_SHOWN = 500
GOLD_SHOWN = 30
DECIDED_SHOWN = 10
MOST_LABELS = 1000


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody who labels this corpus; POST invites somebody."""
    question = _question(slug)
    error, name = "", _text(request, "name").strip()
    if request.method == "POST":
        annotator = known_as(name)
        if annotator is not None:
            actions.invite(question=question, annotator=annotator)
            messages.success(request, f"{annotator.code} may label {question.corpus.name}.")
            return redirect("pool", slug=slug)
        error = f"Nobody who annotates has the code or user name “{name}”. Please check its spelling."
    context = {
        "question": question,
        "members": pool_of(question)[:MEMBERS_SHOWN],
        "before_a_flag": CONTROLS_BEFORE_A_FLAG,
        "error": error,
        "name": name,
    }
    return render(request, "validation/pool.html", context, status=422 if error else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def member(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One person: their record, and excluding them (or undoing it) after a look at what that does."""
    question = _question(slug)
    annotator = get_object_or_404(User, code=code)
    standing = Exclusion.objects.filter(corpus=question.corpus, annotator=annotator, undone_at=None).first()
    by, error = cast(User, request.user), ""
    retract = request.POST.get("retract") == "yes"
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            if standing is None:
                reason = _text(request, "reason")
                done = actions.exclude(
                    corpus=question.corpus, annotator=annotator, by=by, reason=reason, retract_pairs=retract
                )
                messages.success(request, f"{code} is excluded; {done.labels:,} labels were withdrawn.")
            else:
                back = actions.undo_exclusion(exclusion=standing, by=by)
                messages.success(request, f"{code} may label again; {back.labels:,} labels are back.")
            return redirect("pool-member", slug=slug, code=code)
        except actions.ValidationError as refusal:
            error = str(refusal)
    context: dict[str, Any] = {
        "question": question,
        "annotator": annotator,
        "member": pool_of(question).filter(annotator=annotator).first(),
        "exclusions": exclusions_of(question.corpus, annotator),
        "standing": standing,
        "reason": request.POST.get("reason", ""),
        "retract": retract,
        "error": error,
        "wrote": Pair.objects.standing().filter(corpus=question.corpus, author=annotator).count(),
        **_preview(question.corpus, annotator, standing, by, retract),
    }
    return render(request, "validation/pool_member.html", context, status=422 if error else 200)


def _preview(
    corpus: Corpus, annotator: User, standing: Exclusion | None, by: User, retract: bool
) -> dict[str, Any]:
    if standing is not None:
        return {"back": actions.preview_undoing(exclusion=standing, by=by)}
    seen = actions.preview_exclusion(corpus=corpus, annotator=annotator, by=by, retract_pairs=retract)
    return {"seen": seen, "gold": list(seen.gold.items())[:GOLD_SHOWN], "gold_shown": GOLD_SHOWN}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """The next pair that the votes leave open: who said what, and a decision with a reason."""
    question = _question(slug)
    error = ""
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=_text(request, "pair"))
        try:
            decision = actions.adjudicate(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                reason=_text(request, "reason"),
                by=cast(User, request.user),
            )
            messages.success(request, f"Decided: {decision.label}. It is marked as adjudicated everywhere.")
            return redirect("adjudication", slug=slug)
        except actions.AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect("adjudication", slug=slug)
        except actions.ValidationError as refusal:
            error = str(refusal)
    queue = adjudication_queue(question).select_related("premise")
    after = request.GET.get("after", "")
    later = queue.filter(pk__gt=int(after)) if after.isdecimal() and len(after) < 19 else queue
    shown = (queue.filter(public_id=_text(request, "pair")).first() if error else None) or later.first()
    decided = Adjudication.objects.filter(question=question).select_related("pair", "by").order_by("-pk")
    context = {
        "question": question,
        "waiting": queue.count(),
        "pair": shown,
        "judgements": judgements(shown, question) if shown else [],
        "choices": choices_of(question),
        "decided": decided[:DECIDED_SHOWN],
        "direction": direction_of(question.corpus.language),
        "error": error,
        "posted": request.POST,
    }
    return render(request, "validation/adjudication.html", context, status=422 if error else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def controls(request: HttpRequest, slug: str) -> HttpResponse:
    """An expert labels a share of the open pairs, one after the other, without seeing what others said."""
    question = _question(slug)
    percent, seed = _number(request, "percent", 1, 100), _number(request, "seed", 0, 2**31 - 1)
    error = ""
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=_text(request, "pair"))
        try:
            actions.label_as_expert(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                by=cast(User, request.user),
                reason=_text(request, "reason"),
            )
            return redirect(f"{request.path}?percent={percent}&seed={seed}")
        except actions.AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(f"{request.path}?percent={percent}&seed={seed}")
        except actions.ValidationError as refusal:
            error = str(refusal)
    left, drawn = control_items(question, share=percent / 100, seed=seed)
    context = {
        "question": question,
        "percent": percent,
        "seed": seed,
        "left": len(left),
        "drawn": drawn,
        "pair": Pair.objects.select_related("premise").filter(pk__in=left[:1]).first(),
        "choices": choices_of(question),
        "direction": direction_of(question.corpus.language),
        "error": error,
    }
    return render(request, "validation/controls.html", context, status=422 if error else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def more_labels(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks for more labels where the first ones split; says first for how many pairs."""
    question = _question(slug)
    most = min(question.most_labels, MOST_LABELS)
    labels = _number(request, "labels", 2 * question.seats, most)
    votes = _number(request, "votes", question.threshold, question.seats)
    seed, error = _number(request, "seed", 0, 2**31 - 1), ""
    pairs = split_pairs(question, votes).count()
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            asked = actions.open_more_labels(question=question, labels=labels, most_votes=votes, seed=seed)
            messages.success(request, f"Asked for {labels} labels in all; pairs: {asked:,}.")
            return redirect("more-labels", slug=slug)
        except actions.TooManyLabels as refusal:
            error = str(refusal)
    context = {
        "question": question,
        "labels": labels,
        "votes": votes,
        "seed": seed,
        "most": most,
        "pairs": pairs,
        "error": error,
    }
    return render(request, "validation/more_labels.html", context, status=422 if error else 200)


def _question(slug: str) -> Question:
    questions = Question.objects.select_related("corpus").prefetch_related("label_wordings")
    return get_object_or_404(questions, corpus__slug=slug, is_main=True)


def _text(request: HttpRequest, name: str) -> str:
    """A posted field; PostgreSQL takes no NUL character."""
    return request.POST.get(name, "").replace("\0", "")


def _number(request: HttpRequest, name: str, usual: int, most: int) -> int:
    """A whole number of the form or the address, from 0 to `most`; anything else is the usual one."""
    text = request.POST.get(name) or request.GET.get(name, "")
    return min(int(text), most) if text.isdecimal() and len(text) < 12 else usual
