"""The page on which researchers see what an act would do with chosen pairs, before they let it happen.

A list sends its form to its own address, which holds the filters: so “all that pass” are the pairs of that address.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from collection.models import Corpus, Pair
from shared.among import Among
from shared.lists import View
from validation.errors import NotLookedAt, ValidationError
from validation.models import Question
from validation.pairs.acting import ACTS, Act, Chosen, Effect, carry_out, labels_wanted
from validation.pairs.pair_sets import TO_DECIDE, sets_of
from validation.questions.addresses import address_in, text_in

LONGEST = 1000  # characters of what the form says


def act_on_pairs(request: HttpRequest, corpus: Corpus, passing: Callable[[], Iterable[str]]) -> HttpResponse:
    """Shows what the act in the form would do, or carries it out once it is confirmed, and leads back to the list.

    passing: returns the ids of all pairs that pass the list's filters.
    """
    back = View(request, (), {}).address({})
    act = ACTS.get(request.POST.get("do", ""))
    if act is None:
        messages.warning(request, "Choose what to do with the pairs.")
        return redirect(back)
    slug = text_in(request, "question") or request.GET.get("question", "")
    which = {"slug": slug} if slug else {"is_main": True}
    question = get_object_or_404(Question.objects.select_related("corpus"), corpus=corpus, **which)
    is_all = request.POST.get("which") == "all"
    given = passing() if is_all else [name.replace("\0", "") for name in request.POST.getlist("pair")]
    names = list(islice(given, act.most + 1))
    if not names or len(names) > act.most:
        many = f"{act.name} takes up to {act.most:,} pairs at a time. Narrow the filters, or do it in parts."
        messages.warning(
            request, many if names else "No pair was chosen: tick pairs, or choose all that pass."
        )
        return redirect(back)
    chosen = Chosen(
        question,
        dict(Pair.objects.filter(Among("public_id", names), corpus=corpus).values_list("public_id", "pk")),
        {name: text_in(request, name)[:LONGEST].strip() for name in ("set", "reason", "labels")},
        cast(User, request.user),
    )
    effect, error = Effect(), ""
    try:
        if request.POST.get("confirm") == "yes":
            expected = request.POST.get("expected", "")
            done = carry_out(act, chosen, int(expected) if expected.isdecimal() and len(expected) < 9 else 0)
            if done:
                _tell(request, act, *done)
                return redirect(_next_of(request, question, back))
            error = "The pairs have changed in the meantime. Nothing was done: look again."
        effect = act.plan(chosen)
    except NotLookedAt as refusal:
        error = f"{refusal} Count it on the page “Open pairs” of {corpus.name} first."
    except ValidationError as refusal:
        error = str(refusal)
        if not effect.keys:
            effect = _planned(act, chosen)
    context = {
        "corpus": corpus,
        "question": question,
        "questions": corpus.questions.order_by("-is_main", "slug"),
        "do": request.POST["do"],
        "act": act,
        "said": act.does.format(pairs=_pairs(len(effect.keys))),
        "which": "all" if is_all else "ticked",
        "names": [] if is_all else names,
        "number": len(chosen.keys),
        "effect": effect,
        "fee": round(effect.cents * corpus.platform_fee_percent / 100),
        "given": {**chosen.given, "labels": labels_wanted(question, chosen.given)},
        "sets": sets_of(corpus),
        "back": back,
        "error": error,
    }
    return render(request, "validation/pairs/act.html", context, status=422 if error else 200)


def _planned(act: Act, chosen: Chosen) -> Effect:
    try:
        return act.plan(chosen)
    except ValidationError:
        return Effect()


def _pairs(number: int) -> str:
    return f"{number:,} pair{'' if number == 1 else 's'}"


def _tell(request: HttpRequest, act: Act, effect: Effect, number: int) -> None:
    messages.success(request, f"{_pairs(number)} {'is' if number == 1 else 'are'} {act.did}.")
    if effect.left_out:
        why = "; ".join(f"{count:,} {reason}" for reason, count in effect.left_out.items())
        messages.info(request, f"Left out: {why}.")


def _next_of(request: HttpRequest, question: Question, back: str) -> str:
    """Returns where the researcher goes on: at the first dispute, or in the list."""
    return address_in("adjudication", question, set=TO_DECIDE) if request.POST["do"] == "decide" else back
